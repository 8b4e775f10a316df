import { sep } from 'node:path';
import type { Tables } from '../../core/index.js';
import { CrawlError } from '../../errors/index.js';
import { realPath } from '../../util/index.js';
import { isS3 } from './s3/s3-url.js';

/**
 * Refuses an output in the folder of the table, where it could replace a file of the table.
 * @throws CrawlError BAD_OUTPUT
 */
export async function checkOutside({ directory }: Pick<Tables, 'directory'>, output: string): Promise<void> {
  if (!output || output === '-' || isS3(output) || directory === undefined) return;
  const [table, real] = await Promise.all([realPath(directory), realPath(output)]);
  if (!`${real}${sep}`.startsWith(`${table}${sep}`)) return;
  throw new CrawlError('BAD_OUTPUT', `${output} is in the folder of the table`, {
    hint: 'that folder has the files of the table; name another folder',
  });
}
