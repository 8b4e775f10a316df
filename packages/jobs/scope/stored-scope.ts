import { CrawlError } from '../../errors/index.js';
import type { Tables } from '../../../webtable/index.js';
import type { CrawlScope } from './crawl-scope.js';

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
export async function readScope({ runs }: Pick<Tables, 'runs'>): Promise<CrawlScope | undefined> {
  const found = await read({ runs });
  if (found !== 'damaged') return found?.scope;
  throw new CrawlError('TABLE_DAMAGED', 'the scope of the last crawl cannot be read', {
    hint: 'the next `webcrawl crawl` writes it anew',
  });
}

/** When the refetch began that was stopped or killed, in ms since the epoch; undefined where none was. */
export async function readRefetch({ runs }: Pick<Tables, 'runs'>): Promise<number | undefined> {
  const found = await read({ runs });
  return found === 'damaged' ? undefined : found?.refetchSince;
}

async function read({ runs }: Pick<Tables, 'runs'>): Promise<StoredCrawl | 'damaged' | undefined> {
  try {
    const found = (await runs.lastCrawl()) as Partial<StoredCrawl> | null | undefined;
    if (found === undefined) return undefined;
    const { stay, include, exclude, folders } = found?.scope ?? ({} as Partial<CrawlScope>);
    const isWhole = typeof stay === 'string' && Array.isArray(include) && Array.isArray(exclude) && folders !== null;
    return isWhole && typeof folders === 'object' ? (found as StoredCrawl) : 'damaged';
  } catch (error) {
    // A store that fails says nothing of what is in it.
    if (error instanceof CrawlError && error.code === 'TABLE_DAMAGED') return 'damaged';
    throw error;
  }
}

/**
 * Notes the scope of the crawl that begins.
 * @param refetchSince when its refetch began, as long as that is under way, in ms since the epoch
 */
export async function writeScope(
  { runs }: Pick<Tables, 'runs'>,
  scope: CrawlScope,
  refetchSince?: number,
): Promise<void> {
  const stored: StoredCrawl = { scope, ...(refetchSince !== undefined && { refetchSince }) };
  await runs.putLastCrawl(stored);
}
