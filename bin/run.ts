import { CommanderError, type Command } from 'commander';
import { CrawlError, tooFewFiles } from '../packages/webcrawl/names.js';
import { EXIT } from './cli.js';
import { helpHint } from './help.js';
import type { Io } from './io.js';
import { say } from './output/output.js';
import { buildProgram } from './program.js';

/**
 * Runs one command line, and returns the exit status. It never throws; every error is printed on standard error.
 * @param args the arguments after the name of the command
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { command, cli } = buildProgram(io, args.includes('-h'));
  let running: Command | undefined;
  command.hook('preAction', (_, action) => void (running = action));
  try {
    await command.parseAsync(args, { from: 'user' });
    return cli.exitCode;
  } catch (thrown) {
    // It is not an error if the user stops the command while it waits for a table or for input.
    const isStopped = thrown === io.signal.reason || (thrown instanceof CrawlError && thrown.code === 'TABLE_LOCKED');
    if (io.signal.aborted && isStopped) return EXIT.interrupted;
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    return reportError(io, thrown, cli.options().verbose === true, running);
  }
}

/**
 * Prints an error on standard error; with `verbose`, also its place in the code. Returns the exit status.
 * @param running the command that failed, if it was found
 */
export function reportError(io: Io, thrown: unknown, verbose: boolean, running?: Command): number {
  const error = asCrawlError(thrown);
  const hint = error.hint ?? (error.code === 'USAGE' && running ? helpHint(running) : undefined);
  say(io, `error [${error.code}]: ${error.message}`);
  if (hint !== undefined) say(io, `hint: ${hint}`);
  if (verbose) say(io, stacks(error));
  return error.exitCode;
}

function asCrawlError(thrown: unknown): CrawlError {
  if (thrown instanceof CrawlError) return thrown;
  // An error of the close is suppressed, because the first error is the cause.
  if (thrown instanceof Error && 'suppressed' in thrown && thrown.suppressed !== undefined) {
    return asCrawlError(thrown.suppressed);
  }
  const tooFew = tooFewFiles(thrown);
  if (tooFew) return tooFew;
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return new CrawlError('INTERNAL', message, {
    cause: thrown,
    hint: 'this is a fault in webcrawl or a plugin; -v shows where',
  });
}

function stacks(error: unknown): string {
  const lines: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    lines.push(`${depth === 0 ? '' : 'caused by '}${at.stack ?? at.message}`);
  }
  return lines.join('\n');
}
