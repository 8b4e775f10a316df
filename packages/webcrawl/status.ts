import { SharedStore, type Holder } from '../../webtable/index.js';
import { ownStatus, type TableStatus } from '../jobs/index.js';
import { readIndexUse, type IndexUse } from './index-use.js';
import type { Crawl } from './open-crawl.js';

/** What goes on at a table, and in which process. */
export interface CrawlStatus extends TableStatus {
  /** The other process that has the table open; absent where this one has. */
  readonly holder?: Holder;
  /** The search index; absent where there is none. */
  readonly index?: IndexUse;
}

/** What a status is read of. */
export type StatusCrawl = Pick<
  Crawl,
  'tables' | 'settings' | 'clock' | 'running' | 'since' | 'diskUse' | 'holder' | 'indexFolder'
>;

/** What goes on at a table, also where another process has it open; it costs that process next to nothing. */
export async function status(crawl: StatusCrawl): Promise<CrawlStatus> {
  return statusWith(crawl, () => readIndexUse(crawl));
}

/** The same for whoever asks often, and keeps the index open. */
export async function statusWith(
  crawl: StatusCrawl,
  indexUse: () => Promise<IndexUse | undefined>,
): Promise<CrawlStatus> {
  const { store } = crawl.tables;
  const index = await indexUse();
  const remote = store instanceof SharedStore ? ((await store.remoteStatus()) as TableStatus | undefined) : undefined;
  const { holder } = crawl;
  return {
    ...(remote ?? (await ownStatus(crawl))),
    ...(remote && holder && { holder }),
    ...(index && { index }),
  };
}
