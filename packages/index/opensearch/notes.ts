import { CrawlError } from '../../errors/index.js';
import type { Connection } from './connection.js';
import { notesOf, type IndexNotes } from './schema.js';

/**
 * What an index notes of itself; undefined where there is none.
 * @throws CrawlError BAD_SETTING where another program made it
 */
export async function findIndex(connection: Connection): Promise<IndexNotes | undefined> {
  const answer = await connection.find('/_mapping');
  if (answer === undefined) return undefined;
  const found = (answer as Record<string, { readonly mappings?: unknown } | undefined>)?.[connection.index];
  const notes = notesOf(found?.mappings);
  if (notes) return notes;
  throw new CrawlError(
    'BAD_SETTING',
    `expected an index that webcrawl made at ${connection.name}, found ${found ? 'one of another program' : 'an alias, or no OpenSearch'}`,
    {
      hint:
        'name another index as index.url, which is made when it is missing; where webcrawl made this one, and it was removed while it ' +
        'was written, the server made it anew: remove it once more',
    },
  );
}

/** Notes it. */
export async function writeNotes(connection: Connection, notes: IndexNotes): Promise<IndexNotes> {
  await connection.ask('PUT', '/_mapping', { _meta: { webcrawl: notes } });
  return notes;
}
