import {
  batchTime,
  isBodyLost,
  type Field,
  type JsonValue,
  type KeyRange,
  type PageRow,
  type Shard,
  withRules,
  type CrawlContext,
  type Tracker,
} from '../../core/index.js';
import { checkQuery, rowsInOrder, selectorOf, type PageQuery, type PageSelection } from '../../answers/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import type { CountSkipped } from '../stated/page-view.js';
import { PRESENT_FIELDS, type PresentSelection, type WhyNot } from './left-out.js';

/** Selects pages to export. */
export interface ExportSelection extends PageSelection {
  /**
   * Selects only pages that are new or have changed since this batch id, or since this time in ms since the epoch. A row is selected if one
   * of three things happened then or later: the row was made (`firstSeen`), updatedb found that the content has changed (`changedAt`), or
   * dedup marked or unmarked the page (`duplicateAt`).
   */
  readonly since?: string | number;
  /** Maximum number of pages, in key order. */
  readonly limit?: number;
  /**
   * Export one of several parts of the pages: the pages between two keys, into a separate output. The name of the output shows the part:
   * `pages-00002-of-00006.jsonl` for `pages.jsonl`, and `pages/part-00002-of-00006.jsonl` for `pages/`. There may be more shards than the
   * table has slots. Absent: all pages.
   */
  readonly shard?: Shard;
}

/** A selection with known key ranges. */
export interface RangedSelection extends ExportSelection, Pick<PageQuery, 'sort'> {
  /** The key ranges to read. Absent: the ranges of the selection. */
  readonly ranges?: readonly KeyRange[];
  /** Returns why a row is left out. Such rows are counted. The function reads {@link PRESENT_FIELDS} and `leftOutReads`. */
  readonly leftOut?: WhyNot | undefined;
  readonly leftOutReads?: readonly Field[];
}

/** Returns a selection as plain JSON for the manifest. */
export function aboutSelection(selection: ExportSelection & PresentSelection): Record<string, JsonValue> {
  const { host, domain, prefix, status, code, fetchedSince, fetchedBefore, dueBefore, rejected } = selection;
  const { since, limit, all } = selection;
  const given = { host, domain, prefix, status, code, fetchedSince, fetchedBefore, dueBefore, rejected };
  return JSON.parse(JSON.stringify({ ...given, since, limit, all })) as Record<string, JsonValue>;
}

/**
 * Reads the rows of a selection, in key order or sorted. Reading ends early once the tracker is aborted. Rows that cannot be read in full
 * have the fields that can be read, and are counted as `damaged`. Rows with a lost body are counted as `lost_body`.
 * @throws CrawlError as `PageSelection` says
 */
export async function* selectedRows<F extends Field>(
  crawl: Pick<CrawlContext, 'tables' | 'plugins'>,
  selection: RangedSelection,
  fields: readonly F[],
  tracker: Pick<Tracker, 'aborted' | 'count' | 'fail'>,
): AsyncGenerator<PageRow<F>> {
  const { leftOut, leftOutReads = [] } = selection;
  const count: CountSkipped = (name) => tracker.count(name);
  const selector = selectorOf(crawl, selection);
  const ranges = selection.ranges ?? selector.ranges;
  const isRecent = sinceTest(selection.since);
  const test = {
    ...(ranges && { ranges }),
    fields: [
      ...selector.fields,
      ...(isRecent ? SINCE_FIELDS : []),
      ...(leftOut ? [...PRESENT_FIELDS, ...leftOutReads] : []),
    ],
    matches(row: PageRow<Field>): boolean {
      if (!selector.matches(row) || isRecent?.(row) === false) return false;
      const reason = leftOut?.(row, count);
      if (reason !== undefined) tracker.count(reason);
      return reason === undefined;
    },
    isAborted: () => tracker.aborted,
  };
  for await (const row of rowsInOrder(crawl, test, selection, fields)) {
    if (tracker.aborted) return;
    if (isBodyLost(row)) tracker.fail('lost_body');
    else if (row.damaged) tracker.fail('damaged');
    yield row as PageRow<F>;
  }
}

/**
 * Checks a selection before anything is written.
 * @returns the crawl with the present rules, which are used for the whole export
 * @throws CrawlError USAGE for a `since` that is neither batch nor time, and in the cases of `PageQuery`; BAD_URL; UNKNOWN_BATCH for a
 * batch that the table does not have
 */
export async function checkSelection<C extends Pick<CrawlContext, 'tables' | 'plugins' | 'rules' | 'ruleSet'>>(
  crawl: C,
  selection: ExportSelection & Pick<PageQuery, 'sort'>,
): Promise<C> {
  const { since } = selection;
  checkQuery(selection);
  sinceTest(since);
  selectorOf(crawl, selection);
  if (typeof since === 'string') await crawl.tables.batches.get(since);
  return withRules(crawl);
}

const SINCE_FIELDS = ['firstSeen', 'changedAt', 'duplicateAt'] as const;

function sinceTest(
  since: string | number | undefined,
): ((row: PageRow<(typeof SINCE_FIELDS)[number]>) => boolean) | undefined {
  if (since === undefined) return undefined;
  const time = typeof since === 'number' ? since : batchTime(since);
  if (time === undefined || !Number.isFinite(time)) {
    throw new CrawlError('USAGE', `expected the id of a batch or a time, found "${safeText(String(since))}"`, {
      hint: 'generate prints the id of a batch, such as 1767607200-123456',
    });
  }
  return (row) => SINCE_FIELDS.some((field) => (row[field] ?? -Infinity) >= time);
}
