import type { Crawl } from '../../packages/webcrawl/index.js';
import { library } from '../library.js';
import { EXIT, type Cli } from '../cli.js';
import { say, write } from './output.js';

/** The options of a verb that writes data. */
export interface OutputOptions {
  /** A file, in place of standard output. */
  readonly output?: string;
  /** Replace the file where it is there already. */
  readonly force?: boolean;
}

/**
 * Runs what writes data, to standard output or to a file. The file is there only when all was written: not when
 * something was thrown, and not when the command was asked to stop.
 * @throws CrawlError BAD_OUTPUT, STORE_FULL
 */
export async function withOutput(
  cli: Cli,
  crawl: Pick<Crawl, 'tables'>,
  { output, force = false }: OutputOptions,
  task: (put: (data: string | Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (output === undefined) return task((data) => write(cli.io.stdout, data));
  const { openOutput } = await library();
  await using file = await openOutput(output, force, crawl.tables);
  await task((data) => file.write(data));
  if (cli.exitCode === EXIT.interrupted) say(cli.io, `Stopped as asked; ${output} was not written.`);
  else await file.commit();
}
