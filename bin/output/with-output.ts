import type { OpenContext } from '../../packages/webcrawl/internal.js';
import { library } from '../library.js';
import { EXIT, type Cli } from '../cli.js';
import { say, write } from './output.js';

export interface OutputOptions {
  readonly output?: string;
  readonly force?: boolean;
}

/**
 * Runs a function that writes data to standard output or to a file. The file gets its final name only after all data was written. After an
 * error or a stop, it never gets this name.
 * @throws CrawlError BAD_OUTPUT, STORE_FULL
 */
export async function withOutput<T>(
  cli: Cli,
  crawl: Pick<OpenContext, 'tables'>,
  { output, force = false }: OutputOptions,
  task: (put: (data: string | Uint8Array) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (output === undefined) return task((data) => write(cli.io.stdout, data));
  const { openOutput } = await library();
  await using file = await openOutput(output, force, crawl.tables);
  const result = await task((data) => file.write(data));
  if (cli.exitCode === EXIT.interrupted) say(cli.io, `Stopped on request; ${output} was not written.`);
  else await file.commit();
  return result;
}
