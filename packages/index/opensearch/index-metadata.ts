import { CrawlError } from '../../errors/index.js';
import type { Connection } from './connection.js';
import { metadataOf, type IndexMetadata } from './schema.js';

/**
 * Reads the metadata of the index. Undefined: the index does not exist.
 * @throws CrawlError BAD_SETTING for an index of another program
 */
export async function findIndex(connection: Connection): Promise<IndexMetadata | undefined> {
  const response = await connection.find('/_mapping');
  if (response === undefined) return undefined;
  const found = (response as Record<string, { readonly mappings?: unknown } | undefined>)?.[connection.index];
  const metadata = metadataOf(found?.mappings);
  if (metadata) return metadata;
  throw new CrawlError(
    'BAD_SETTING',
    `expected an index that webcrawl made at ${connection.name}, found ${found ? 'one of another program' : 'an alias, or no OpenSearch'}`,
    {
      hint:
        'name another index as index.url (it is made if missing). If webcrawl made this one, and it was removed while it was ' +
        'written, the server made it again: remove it once more.',
    },
  );
}

export async function writeMetadata(connection: Connection, metadata: IndexMetadata): Promise<IndexMetadata> {
  await connection.ask('PUT', '/_mapping', { _meta: { webcrawl: metadata } });
  return metadata;
}
