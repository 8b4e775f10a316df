import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Tables } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { isS3 } from './s3/s3-url.js';

/**
 * Refuses an output in the folder of the table, where it could take the place of a file of the table.
 * @throws CrawlError BAD_OUTPUT
 */
export async function checkOutside({ directory }: Pick<Tables, 'directory'>, output: string): Promise<void> {
  if (!output || output === '-' || isS3(output) || directory === undefined) return;
  const [table, real] = await Promise.all([realPath(directory), realPath(output)]);
  if (!`${real}${sep}`.startsWith(`${table}${sep}`)) return;
  throw new CrawlError('BAD_OUTPUT', `expected an output outside the folder of the table, found ${output}`, {
    hint: 'the files there are those of the table; name another folder',
  });
}

/** Without symbolic links, also where the end of it is not there yet. */
async function realPath(path: string): Promise<string> {
  const full = resolve(path);
  const parent = dirname(full);
  return realpath(full).catch(async () => (parent === full ? full : join(await realPath(parent), basename(full))));
}
