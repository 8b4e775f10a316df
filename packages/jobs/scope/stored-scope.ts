import { CrawlError } from '../../errors/index.js';
import { INDEX_COLUMNS, type Store } from '../../../webtable/index.js';
import type { CrawlScope } from './crawl-scope.js';

/** The scope that the last crawl on a table ran with, in its `meta` table. */
const KEY = 'crawl';
const COLUMN = INDEX_COLUMNS.crawlScope;

/**
 * The scope of the last crawl; undefined where none has run.
 * @throws CrawlError TABLE_DAMAGED when it can not be read
 */
export async function readScope(store: Store): Promise<CrawlScope | undefined> {
  const [row] = await store.get('meta', [KEY], [COLUMN]);
  const cell = row?.cells.get(COLUMN);
  if (!cell) return undefined;
  try {
    const found = JSON.parse(Buffer.from(cell).toString('utf8')) as CrawlScope;
    if (typeof found.stay === 'string' && Array.isArray(found.include) && Array.isArray(found.exclude)) return found;
  } catch {
    // What is said of it below is all there is to say.
  }
  throw new CrawlError('TABLE_DAMAGED', 'the scope of the last crawl can not be read', {
    hint: 'the next `webcrawl crawl` writes it anew',
  });
}

/** Notes the scope of the crawl that begins. */
export async function writeScope(store: Store, scope: CrawlScope): Promise<void> {
  await store.write('meta', [{ key: KEY, put: new Map([[COLUMN, Buffer.from(JSON.stringify(scope), 'utf8')]]) }]);
}
