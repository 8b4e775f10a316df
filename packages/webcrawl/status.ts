import { SharedStore, type Holder } from '../../webtable/index.js';
import { ownStatus, type TableStatus } from '../jobs/index.js';
import type { Crawl } from './open-crawl.js';

/** What goes on at a table, and in which process. */
export interface CrawlStatus extends TableStatus {
  /** The other process that has the table open; absent where this one has. */
  readonly holder?: Holder;
}

/** What goes on at a table, also where another process has it open; it costs that process next to nothing. */
export async function status(
  crawl: Pick<Crawl, 'tables' | 'clock' | 'running' | 'since' | 'diskUse' | 'holder'>,
): Promise<CrawlStatus> {
  const { store } = crawl.tables;
  const remote = store instanceof SharedStore ? ((await store.remoteStatus()) as TableStatus | undefined) : undefined;
  if (remote === undefined) return ownStatus(crawl);
  const { holder } = crawl;
  return { ...remote, ...(holder && { holder }) };
}
