import { CommanderError } from 'commander';
import { CrawlError } from '../packages/webcrawl/names.js';
import { EXIT } from './cli.js';
import type { Io } from './io.js';
import { say } from './output/output.js';
import { buildProgram } from './program.js';

/**
 * Runs one command line and returns the exit status. Nothing is thrown: every error is reported on standard error.
 * @param args what follows the name of the command
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { command, cli } = buildProgram(io);
  try {
    await command.parseAsync(args, { from: 'user' });
    return cli.exitCode;
  } catch (thrown) {
    // Whoever waits for a table may stop waiting.
    if (io.signal.aborted && thrown instanceof CrawlError && thrown.code === 'TABLE_LOCKED') return EXIT.interrupted;
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    return reportError(io, thrown, cli.options().verbose === true);
  }
}

/** Says on standard error what went wrong, with `verbose` also where, and returns the exit status for it. */
export function reportError(io: Io, thrown: unknown, verbose: boolean): number {
  const error = asCrawlError(thrown);
  say(io, `error [${error.code}]: ${error.message}`);
  if (error.hint !== undefined) say(io, `hint: ${error.hint}`);
  if (verbose) say(io, stacks(error));
  return error.exitCode;
}

function asCrawlError(thrown: unknown): CrawlError {
  if (thrown instanceof CrawlError) return thrown;
  if (thrown instanceof CommanderError) return usageError(thrown);
  // What closing threw on top of an error: the first one says what happened.
  if (thrown instanceof Error && 'suppressed' in thrown && thrown.suppressed !== undefined) {
    return asCrawlError(thrown.suppressed);
  }
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return new CrawlError('INTERNAL', message, {
    cause: thrown,
    hint: 'this is a fault in webcrawl or a plugin; -v shows where',
  });
}

function usageError(error: CommanderError): CrawlError {
  const hint = 'webcrawl --help lists commands and options, webcrawl help <command> those of one command';
  // Help that was not asked for has been written already.
  if (error.code === 'commander.help') return new CrawlError('USAGE', 'expected a command, found none', { hint });
  return new CrawlError('USAGE', error.message.replace(/^error: /, ''), { hint });
}

function stacks(error: unknown): string {
  const lines: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    lines.push(`${depth === 0 ? '' : 'caused by '}${at.stack ?? at.message}`);
  }
  return lines.join('\n');
}
