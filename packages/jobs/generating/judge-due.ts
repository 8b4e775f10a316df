import type { PageRow } from '../../../webtable/index.js';
import type { ScopedCrawl } from '../context.js';
import type { RulesInForce } from '../rules/rules-now.js';
import type { CounterName } from '../reporting/counters.js';
import { updatingBatches } from '../rows/reschedule.js';
import { latestDue } from '../rows/wrong-times.js';
import { createRefusals, type Refusals } from '../selection/refusals.js';
import { abandonedBatches } from '../selection/release-abandoned.js';
import { JUDGED_FIELDS, judgeRow } from './judge-row.js';

const FIELDS = [...JUDGED_FIELDS, 'fetchMs'] as const;
type Row = PageRow<(typeof FIELDS)[number]>;

/** A due row, and the decision of generate on it. */
export interface JudgedRow {
  readonly key: string;
  /** The score by which generate orders the row. */
  readonly score: number;
  /** Milliseconds that the last request for the row took. Absent: unknown. */
  readonly fetchMs?: number;
  /** Why generate would not select the row. Absent: generate may select the row. */
  readonly reason?: CounterName;
}

/** A step of {@link judgeDue}: either rows that were read, or a number of refused rows that were not read, with the reason. */
export type JudgedStep =
  | { readonly rows: readonly JudgedRow[] }
  | { readonly reason: CounterName; readonly refused: number };

/** The row keys of one step. */
interface Found {
  readonly keys: readonly string[];
  /** Returns the row as generate would read it in this step. Returns undefined if generate would find the row in another step. */
  readonly asRead: (row: Row, at: number) => Row | undefined;
  /** The score by which generate orders the row. Absent: the score in the row. */
  readonly scoreOf?: (at: number) => number;
}

/**
 * Decides on every due row as the next generate would, and writes nothing. The rows are in no particular order. It reads the due part of
 * the frontier, the entries of refused rows, and the batches whose rows generate would release. Then it reads each of these rows, except
 * refused rows.
 * @param crawl the context with the scope of the crawl
 */
export async function* judgeDue(crawl: ScopedCrawl, rules: RulesInForce): AsyncGenerator<JudgedStep> {
  const refusals = createRefusals(crawl, rules, true);
  const until = crawl.clock();
  const bounds = { until, latest: Math.max(until, latestDue(crawl, until)) };
  for await (const found of dueRows(crawl, refusals, bounds.latest)) {
    if ('reason' in found) yield found;
    else yield { rows: await judge(crawl, found, refusals, bounds) };
  }
}

async function judge(
  crawl: ScopedCrawl,
  { keys, asRead, scoreOf }: Found,
  refusals: Refusals,
  bounds: Parameters<typeof judgeRow>[1],
): Promise<JudgedRow[]> {
  const rows = await crawl.tables.pages.getMany(keys, FIELDS);
  const updating = await updatingBatches(crawl.tables, rows);
  const judged: JudgedRow[] = [];
  for (const [at, given] of rows.entries()) {
    const row = given && asRead(given, at);
    const verdict = judgeRow(row, bounds, refusals, updating);
    if (!row || verdict === 'stale') continue;
    const { key, fetchMs } = row;
    judged.push({
      key,
      score: scoreOf?.(at) ?? row.score ?? 0,
      ...(fetchMs !== undefined && { fetchMs }),
      ...(verdict !== 'selected' && { reason: verdict.reason }),
    });
  }
  return judged;
}

async function* dueRows(
  crawl: ScopedCrawl,
  refusals: Refusals,
  latest: number,
): AsyncGenerator<Found | { readonly reason: CounterName; readonly refused: number }> {
  const { frontier, batches } = crawl.tables;
  for (const read of [frontier.dueUntil(crawl.clock()), frontier.timedAfter(latest)]) {
    for await (const entries of read) {
      yield {
        keys: entries.map(({ rowKey }) => rowKey),
        scoreOf: (at) => entries[at]!.score,
        // If the row has another entry, this entry is stale and is skipped. The entries of a damaged row cannot be checked.
        asRead: (row, at) => (row.damaged || frontier.isEntryOf(entries[at]!, row) ? row : undefined),
      };
    }
  }
  for (const cause of await frontier.refusalCauses()) {
    const reason = refusals.reasonOf(cause);
    for await (const entries of frontier.refused(cause)) {
      if (reason !== undefined) {
        yield { reason, refused: entries.length };
        continue;
      }
      yield {
        keys: entries.map(({ rowKey }) => rowKey),
        asRead: ({ refusedBy, ...row }) => (refusedBy === cause ? row : undefined),
      };
    }
  }
  const abandoned = await abandonedBatches(crawl);
  const ended = (await batches.list()).filter(({ state }) => state === 'updating');
  for (const header of [...abandoned, ...ended]) {
    const { batchId } = header;
    for await (const entries of batches.entries(batchId)) {
      yield {
        keys: entries.map(({ rowKey }) => rowKey),
        asRead(row) {
          const { generate, ...marks } = row.marks ?? {};
          // Updatedb will give a fetched page a new due time when it releases the page.
          const isLeft = header.state !== 'updating' || marks.fetch !== batchId;
          return generate === batchId && isLeft ? { ...row, marks } : undefined;
        },
      };
    }
  }
}

/** A page that is in a batch and not fetched yet. */
export type WaitingPage = Pick<JudgedRow, 'key' | 'fetchMs'>;

/** Yields the pages of the open batches that the next fetch will request, in steps. It writes nothing. */
export async function* pagesUnderWay(crawl: ScopedCrawl): AsyncGenerator<WaitingPage[]> {
  const { batches, pages } = crawl.tables;
  const abandoned = new Set((await abandonedBatches(crawl)).map(({ batchId }) => batchId));
  for (const { batchId, state } of await batches.list()) {
    if (state !== 'open' || abandoned.has(batchId)) continue;
    for await (const entries of batches.entries(batchId)) {
      const keys = entries.map(({ rowKey }) => rowKey);
      const rows = await pages.getMany(keys, ['marks', 'fetchMs']);
      yield rows.flatMap((row) => {
        if (!row || row.marks?.generate !== batchId || row.marks.fetch === batchId) return [];
        const { key, fetchMs } = row;
        return [{ key, ...(fetchMs !== undefined && { fetchMs }) }];
      });
    }
  }
}
