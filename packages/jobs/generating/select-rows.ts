import { hostOfKey, type PageChange, type RowToChange } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import type { RoundOptions } from '../generate.js';
import { createSetAside } from '../hosts/backoff-record.js';
import { createQueueNames } from '../hosts/queue-name.js';
import type { Tracker } from '../reporting/tracker.js';
import { updatingBatches } from '../rows/reschedule.js';
import { latestDue } from '../rows/wrong-times.js';
import { createDueRows, type DueRow, type DueRows } from '../selection/due-rows.js';
import { JUDGED_FIELDS, judgeRow, type RowVerdict } from './judge-row.js';
import type { Refusals } from '../selection/refusals.js';
import { checkLeases, partOf } from '../shards/job-slots.js';

type Candidate = RowToChange<(typeof JUDGED_FIELDS)[number]>;
/** @param updating batches for which updatedb may still need the score that their rows distributed */
type Judge = (row: Candidate, updating: ReadonlySet<string>) => RowVerdict;

/** The batch for which rows are selected, and the bounds of the selection. */
export interface RowsToSelect {
  readonly batchId: string;
  /** Rows are selected if they are due by this time, in ms since the epoch. */
  readonly until: number;
  readonly options: Pick<RoundOptions, 'topN' | 'maxCount' | 'isBusy'>;
  /** Returns the refusals by the rules that are in force now. */
  readonly refusalsNow: () => Promise<Refusals>;
  readonly tracker: Tracker;
}

/**
 * Selects due rows in the order of their score, highest first, and gives them the generate mark.
 * @returns the number of selected rows
 */
export async function selectRows(crawl: JobRun, wanted: RowsToSelect): Promise<number> {
  const { batchId, until, options, refusalsNow, tracker } = wanted;
  const { frontier, rowsAtATime } = crawl.tables;
  const { minScore } = crawl.settings.generate;
  const { topN = Infinity, maxCount = crawl.settings.generate.maxCount, isBusy = () => false } = options;
  const queues = createQueueNames(crawl);
  const isSetAside = createSetAside(crawl, until);
  const latest = Math.max(until, latestDue(crawl, crawl.clock()));
  const due = createDueRows({
    frontier,
    slots: partOf(crawl),
    maxPerQueue: maxCount < 0 ? Infinity : maxCount,
    queueOf: async (host) => {
      const queue = await queues.nameOf(hostOfKey(host));
      const busy = isBusy(queue);
      if (busy === 'end') return null;
      if (busy) return undefined;
      if (!(await isSetAside(host))) return queue;
      tracker.count('host_backoff');
      return undefined;
    },
  });
  let size = 0;
  while (!tracker.aborted && size < topN) {
    const found = await due.read(Math.min(rowsAtATime, topN - size));
    // Rows are in the order of their score, so all later rows have a lower score too.
    if (found.length === 0 || found[0]!.score < minScore) break;
    const refusals = await refusalsNow();
    const judge: Judge = (row, updating) => judgeRow(row, { until, latest }, refusals, updating);
    const selected = await take(crawl, batchId, due, found, judge, until, tracker);
    size += selected.length;
    tracker.done(selected.length);
  }
  tracker.count('capped', due.fullQueues);
  return size;
}

/** Adds the accepted rows to the batch, and returns them. */
async function take(
  crawl: JobRun,
  batchId: string,
  due: DueRows,
  found: readonly DueRow[],
  judge: Judge,
  until: number,
  tracker: Tracker,
): Promise<readonly DueRow[]> {
  const { tables } = crawl;
  const now = crawl.clock();
  const selected = new Map<string, DueRow>();
  // A row may have two entries until its stale entry is removed.
  const distinct = new Set(found.map(({ rowKey }) => rowKey));
  await tables.changeRows([...distinct], JUDGED_FIELDS, now, async (rows, keys, stale) => {
    const rowOf = new Map(keys.map((key, i) => [key, rows[i]]));
    const updating = await updatingBatches(tables, rows);
    const changes = new Map<string, PageChange>();
    for (const [i, entry] of found.entries()) {
      const key = entry.rowKey;
      const row = rowOf.get(key);
      const verdict = changes.has(key) ? 'stale' : judge(row, updating);
      // A row is selected even if its entry has a wrong place in the frontier. The wrong entry is then removed.
      const isMoved = (row?.score ?? 0) !== entry.score || (row?.dueAt ?? 0) > until;
      if (verdict === 'stale' || (row && !row.damaged && isMoved)) stale(entry);
      if (verdict === 'selected') {
        selected.set(key, entry);
        changes.set(key, {
          key,
          set: { cashInFlight: row?.cash ?? 0 },
          unset: ['distanceInFlight'],
          marks: { generate: batchId },
        });
        continue;
      }
      if (verdict === 'stale') tracker.count('stale');
      else {
        tracker.count(verdict.reason);
        if (verdict.cause !== undefined) changes.set(key, { key, set: { refusedBy: verdict.cause } });
      }
      if (!due.refuse(entry)) continue;
      due.requeue(found.slice(i + 1));
      break;
    }
    await tables.batches.enter(batchId, [...selected.values()]);
    // After the index is written: if another worker takes the slots from now on, it finds these rows there, and writes them again.
    await checkLeases(crawl);
    return keys.map((key) => changes.get(key));
  });
  return [...selected.values()];
}
