import { createSetAside, hostKeyOfRow, type CrawlContext, type LogState } from '../core/index.js';

/**
 * The reasons why some changes of an interval may be missing.
 * `due`: pages are due and were not fetched.
 * `host_backoff`: pages are due, but their hosts are in back-off.
 * `under_way`: updatedb has not closed some batches, which hold pages.
 * `baseline`: the first crawl of the table is not complete, so a page may be old although it is fetched for the first time.
 * `log_begins`: the log begins after the start of the interval.
 * `removed`: older changes were removed.
 * `not_logged`: `db.changesKeptDays` is 0, so no change is logged.
 */
export type IncompleteReason =
  | 'due'
  | 'host_backoff'
  | 'under_way'
  | 'baseline'
  | 'log_begins'
  | 'removed'
  | 'not_logged';

/** A reason with its details. */
export interface Incomplete {
  readonly reason: IncompleteReason;
  /** Number of pages to which the reason applies. */
  readonly pages?: number;
  /** true: there are more pages, which were not counted. */
  readonly more?: true;
  /** All changes from this time on are known, in ms since the epoch. */
  readonly since?: number;
}

const MAX_COUNTED_PAGES = 100_000;

/**
 * Returns why changes after a time may be missing, as far as this is known now. It reads the state of each host and one or two small
 * entries for each due page, up to a limit. It reads no rows.
 * @param kept the first time whose changes are kept, according to the settings
 */
export async function incompleteness(
  { tables, settings, clock }: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>,
  state: LogState,
  since: number,
  kept: number,
): Promise<readonly Incomplete[]> {
  const because: Incomplete[] = [];
  if (settings.db.changesKeptDays === 0) because.push({ reason: 'not_logged' });
  const { begun, removedBefore = 0, baselineEnd } = state;
  const known = Math.max(removedBefore, kept);
  if (begun === undefined || since < begun) {
    because.push({ reason: 'log_begins', ...(begun !== undefined && { since: begun }) });
  }
  if (begun !== undefined && begun < known && since < known) because.push({ reason: 'removed', since: known });
  if (begun !== undefined && baselineEnd === undefined) because.push({ reason: 'baseline' });
  because.push(...(await pagesDue({ tables, settings, clock })));
  const held = (await tables.batches.list()).reduce((sum, { size }) => sum + size, 0);
  if (held > 0) because.push({ reason: 'under_way', pages: held });
  return because;
}

/** Counts the pages that are due, separately for hosts that generate skips and for other hosts. */
async function pagesDue(crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>): Promise<Incomplete[]> {
  const now = crawl.clock();
  const isSetAside = createSetAside(crawl, now);
  const pages = { due: 0, host_backoff: 0 };
  let counted = 0;
  for await (const entries of crawl.tables.frontier.dueUntil(now)) {
    for (const { rowKey } of entries.slice(0, MAX_COUNTED_PAGES - counted)) {
      pages[(await isSetAside(hostKeyOfRow(rowKey))) ? 'host_backoff' : 'due']++;
    }
    counted += entries.length;
    if (counted >= MAX_COUNTED_PAGES) break;
  }
  const isCut = counted >= MAX_COUNTED_PAGES;
  return (['due', 'host_backoff'] as const)
    .filter((reason) => pages[reason] > 0)
    .map((reason) => ({ reason, pages: pages[reason], ...(isCut && { more: true }) }));
}
