import type { CrawlContext } from '../context.js';
import type { Count } from '../reporting/counters.js';
import { hasWrongTime, latestDue, WRONG_TIME_FIELDS } from '../rows/wrong-times.js';

/** What {@link makeTooLateDue} reads. */
interface TooLateOptions {
  /** Called before rows are changed. */
  readonly onStep?: (() => Promise<void>) | undefined;
  /** The slots of the frontier to read. Absent: all slots. */
  readonly slots?: Iterable<string> | undefined;
  /**
   * Whether the clock was set back. If so, each row that is due in more than an hour is read, to find rows that are due later than their
   * own intervals allow.
   */
  readonly wasSetBack?: boolean | undefined;
}

/**
 * Finds rows whose due time was written by a clock that was ahead, and makes them due now. By default these are the rows that are due after
 * the longest interval. The function then reads only these rows, because they are at the end of the frontier. Counter: due_too_late.
 */
export async function makeTooLateDue(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>,
  count: Count,
  { onStep = async () => {}, slots, wasSetBack = false }: TooLateOptions = {},
): Promise<void> {
  const { tables, clock } = crawl;
  const now = clock();
  const latest = latestDue(crawl, now);
  if (latest === Infinity) return;
  for await (const entries of tables.frontier.timedAfter(wasSetBack ? now : latest, slots)) {
    await onStep();
    const entryOf = new Map(entries.map((entry) => [entry.rowKey, entry]));
    await tables.changeRows([...entryOf.keys()], WRONG_TIME_FIELDS, now, (rows, keys, stale) =>
      rows.map((row, i) => {
        const key = keys[i]!;
        if (row?.damaged) return undefined;
        if (row && tables.frontier.isEntryOf(entryOf.get(key)!, row)) {
          if (!hasWrongTime(crawl, row, now)) return undefined;
          count('due_too_late');
          return { key, set: { dueAt: now } };
        }
        stale(entryOf.get(key)!);
        count('stale');
        return undefined;
      }),
    );
  }
}
