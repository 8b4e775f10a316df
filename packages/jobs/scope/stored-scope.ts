import { CrawlError } from '../../errors/index.js';
import { INDEX_COLUMNS, type Store } from '../../../webtable/index.js';
import type { CrawlScope } from './crawl-scope.js';

/** The scope that the last crawl on a table ran with, in its `meta` table. */
const KEY = 'crawl';
const COLUMN = INDEX_COLUMNS.crawlScope;

/** What the table knows of its last crawl. */
interface StoredCrawl {
  readonly scope: CrawlScope;
  /** When the refetch began that has not come to its end, in ms since the epoch. */
  readonly refetchSince?: number;
}

/**
 * The scope of the last crawl; undefined where none has run.
 * @throws CrawlError TABLE_DAMAGED when it cannot be read
 */
export async function readScope(store: Store): Promise<CrawlScope | undefined> {
  const found = await read(store);
  if (found !== 'damaged') return found?.scope;
  throw new CrawlError('TABLE_DAMAGED', 'the scope of the last crawl cannot be read', {
    hint: 'the next `webcrawl crawl` writes it anew',
  });
}

/** When the refetch began that was stopped or killed, in ms since the epoch; undefined where none was. */
export async function readRefetch(store: Store): Promise<number | undefined> {
  const found = await read(store);
  return found === 'damaged' ? undefined : found?.refetchSince;
}

async function read(store: Store): Promise<StoredCrawl | 'damaged' | undefined> {
  const [row] = await store.get('meta', [KEY], [COLUMN]);
  const cell = row?.cells.get(COLUMN);
  if (!cell) return undefined;
  try {
    const found = JSON.parse(Buffer.from(cell).toString('utf8')) as StoredCrawl;
    const { stay, include, exclude, folders } = found.scope;
    const isWhole = typeof stay === 'string' && Array.isArray(include) && Array.isArray(exclude) && folders !== null;
    return isWhole && typeof folders === 'object' ? found : 'damaged';
  } catch {
    return 'damaged';
  }
}

/**
 * Notes the scope of the crawl that begins.
 * @param refetchSince when its refetch began, as long as that is under way, in ms since the epoch
 */
export async function writeScope(store: Store, scope: CrawlScope, refetchSince?: number): Promise<void> {
  const stored: StoredCrawl = { scope, ...(refetchSince !== undefined && { refetchSince }) };
  await store.write('meta', [{ key: KEY, put: new Map([[COLUMN, Buffer.from(JSON.stringify(stored), 'utf8')]]) }]);
}
