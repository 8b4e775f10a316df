import {
  batchTime,
  isBodyLost,
  keyAfter,
  type Field,
  type JsonValue,
  type KeyRange,
  type PageRow,
  type Shard,
} from '../../../webtable/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { selectorOf, withRules, type CrawlContext, type PageSelection, type Tracker } from '../../jobs/index.js';
import type { Target } from '../target/target.js';

/** Which pages to export. */
export interface ExportSelection extends PageSelection {
  /**
   * What changed: pages that were fetched then or later, or that updatedb has updated in a batch of then or later. The id of a
   * batch, or ms since the epoch.
   */
  readonly since?: string | number;
  /** Pages at the most, in key order. */
  readonly limit?: number;
  /**
   * One of several parts of the pages, which others export: those between two keys, in an output of its own. Its name says which:
   * `pages-00002-of-00006.jsonl` where the output is `pages.jsonl`, and `pages/part-00002-of-00006.jsonl` where it is `pages/`.
   * There may be more shards than the table has slots. Absent: all pages.
   */
  readonly shard?: Shard;
}

/** A selection of which the rows are known. */
export interface RangedSelection extends ExportSelection {
  /** Absent: as the selection says. */
  readonly ranges?: readonly KeyRange[];
}

/** A selection as it stands in a manifest. */
export function selectionIdentity(selection: ExportSelection): Record<string, JsonValue> {
  const { host, domain, prefix, status, code, fetchedSince, fetchedBefore, dueBefore, rejected, since, limit } =
    selection;
  const given = { host, domain, prefix, status, code, fetchedSince, fetchedBefore, dueBefore, rejected, since, limit };
  return JSON.parse(JSON.stringify(given)) as Record<string, JsonValue>;
}

/**
 * The rows of a selection in key order, from behind the last checkpoint of the target on. It ends early once the tracker is
 * aborted. Rows that cannot be read in full come with what can be read, and are counted as `damaged`, those whose body is lost
 * as `lost_body`.
 * @throws CrawlError as `PageSelection` says
 */
export async function* selectedRows<F extends Field>(
  crawl: Pick<CrawlContext, 'tables' | 'plugins'>,
  selection: RangedSelection,
  fields: readonly F[],
  { resumed, kept }: Pick<Target, 'resumed' | 'kept'>,
  tracker: Pick<Tracker, 'aborted' | 'fail'>,
): AsyncGenerator<PageRow<F>> {
  const { limit = Infinity } = selection;
  const { matches, fields: selecting, ...selected } = selectorOf(crawl, selection);
  const ranges = selection.ranges ?? selected.ranges ?? [{ start: '' }];
  const isRecent = sinceTest(selection.since);
  const start = resumed?.lastKey === undefined ? '' : keyAfter(resumed.lastKey);
  const left = ranges
    .filter(({ end }) => end === undefined || end > start)
    .map((range) => ({ ...range, start: range.start > start ? range.start : start }));
  const asked: readonly Field[] = [...fields, ...selecting, ...(isRecent ? (['marks', 'fetchedAt'] as const) : [])];
  let rows = resumed ? kept.rows : 0;
  if (rows >= limit || left.length === 0) return;
  for await (const row of crawl.tables.pages.scan({ fields: [...new Set(asked)], ranges: left })) {
    if (tracker.aborted) return;
    if (!matches(row) || isRecent?.(row) === false) continue;
    if (isBodyLost(row)) tracker.fail('lost_body');
    else if (row.damaged) tracker.fail('damaged');
    yield row as PageRow<F>;
    rows += 1;
    if (rows >= limit) return;
  }
}

/**
 * Checks a selection before anything is written.
 * @returns the crawl with the rules of now, by which the whole export goes
 * @throws CrawlError USAGE for a limit below 1 or a `since` that is neither batch nor time, and as `PageSelection` says; BAD_URL; UNKNOWN_BATCH for a `since` that is none of the table
 */
export async function checkSelection<C extends Pick<CrawlContext, 'tables' | 'plugins' | 'rules' | 'ruleSet'>>(
  crawl: C,
  selection: ExportSelection,
): Promise<C> {
  const { limit, since } = selection;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw new CrawlError('USAGE', `expected a limit that is a whole number of at least 1, found ${String(limit)}`);
  }
  sinceTest(since);
  selectorOf(crawl, selection);
  if (typeof since === 'string') await crawl.tables.batches.get(since);
  return withRules(crawl);
}

function sinceTest(since: string | number | undefined): ((row: PageRow<'marks' | 'fetchedAt'>) => boolean) | undefined {
  if (since === undefined) return undefined;
  const time = typeof since === 'number' ? since : batchTime(since);
  if (time === undefined || !Number.isFinite(time)) {
    throw new CrawlError('USAGE', `expected the id of a batch or a time, found "${safeText(String(since))}"`, {
      hint: 'generate prints the id of a batch, such as 1767607200-123456',
    });
  }
  // Ids of batches hold whole seconds.
  const second = Math.floor(time / 1000) * 1000;
  return ({ fetchedAt = -Infinity, marks }) => {
    return fetchedAt >= time || (marks?.updatedb !== undefined && (batchTime(marks.updatedb) ?? -Infinity) >= second);
  };
}
