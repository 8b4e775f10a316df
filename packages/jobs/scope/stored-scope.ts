import { CrawlError } from '../../errors/index.js';
import type { Tables } from '../../../webtable/index.js';
import type { CrawlScope } from './crawl-scope.js';

/** What the table stores about the last crawl. */
interface StoredCrawl {
  readonly scope: CrawlScope;
  /** When the unfinished refetch began, in ms since the epoch. Absent: no refetch is unfinished. */
  readonly refetchSince?: number;
}

/**
 * Reads the scope of the last crawl. Returns undefined if there was no crawl.
 * @throws CrawlError TABLE_DAMAGED if the scope cannot be read
 */
export async function readScope({ runs }: Pick<Tables, 'runs'>): Promise<CrawlScope | undefined> {
  const found = await read({ runs });
  if (found !== 'damaged') return found?.scope;
  throw new CrawlError('TABLE_DAMAGED', 'the scope of the last crawl cannot be read', {
    hint: 'run `webcrawl crawl` with the seeds of that crawl to store the scope again',
  });
}

/** Reads when an unfinished refetch began, in ms since the epoch. Returns undefined if no refetch is unfinished. */
export async function readRefetch({ runs }: Pick<Tables, 'runs'>): Promise<number | undefined> {
  const found = await read({ runs });
  return found === 'damaged' ? undefined : found?.refetchSince;
}

async function read({ runs }: Pick<Tables, 'runs'>): Promise<StoredCrawl | 'damaged' | undefined> {
  try {
    const found = (await runs.lastCrawl()) as Partial<StoredCrawl> | null | undefined;
    if (found === undefined) return undefined;
    const {
      stay,
      include,
      exclude,
      folders,
      targetFolders = [],
      sites = [],
    } = found?.scope ?? ({} as Partial<CrawlScope>);
    if (typeof stay !== 'string' || typeof folders !== 'object' || folders === null) return 'damaged';
    const lists = [include, exclude, sites, targetFolders, ...Object.values(folders)];
    return lists.every(isTexts) ? (found as StoredCrawl) : 'damaged';
  } catch (error) {
    // Other errors are thrown again. If the store fails, it is unknown whether the scope is damaged.
    if (error instanceof CrawlError && error.code === 'TABLE_DAMAGED') return 'damaged';
    throw error;
  }
}

function isTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((each) => typeof each === 'string');
}

/**
 * Stores the scope of a new crawl.
 * @param refetchSince when an unfinished refetch of the crawl began, in ms since the epoch
 */
export async function writeScope(
  { runs }: Pick<Tables, 'runs'>,
  scope: CrawlScope,
  refetchSince?: number,
): Promise<void> {
  const stored: StoredCrawl = { scope, ...(refetchSince !== undefined && { refetchSince }) };
  await runs.putLastCrawl(stored);
}
