import type { CrawlContext } from '../context.js';
import type { Count } from '../reporting/counters.js';
import { createRowCounts } from '../reporting/row-counts.js';
import { latestDue } from '../rows/wrong-times.js';

/**
 * Finds rows whose due time is after the longest interval, and makes them due now. Such a time was written by a clock that was ahead. The
 * function reads only these rows, because they are at the end of the frontier. Counter: due_too_late.
 * @param onStep called before rows are changed
 * @param slots the slots of the frontier to read; absent: all slots
 */
export async function makeTooLateDue(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>,
  count: Count,
  onStep: () => Promise<void> = async () => {},
  slots?: Iterable<string>,
): Promise<void> {
  const { tables, clock } = crawl;
  const now = clock();
  const latest = latestDue(crawl, now);
  if (latest === Infinity) return;
  for await (const entries of tables.frontier.timedAfter(latest, slots)) {
    await onStep();
    const entryOf = new Map(entries.map((entry) => [entry.rowKey, entry]));
    const counts = createRowCounts(count);
    await tables.changeRows([...entryOf.keys()], [], now, (rows, keys, stale) =>
      rows.map((row, i) => {
        const key = keys[i]!;
        const countRow = counts.of(key);
        if (row?.damaged) return undefined;
        if (row && tables.frontier.isEntryOf(entryOf.get(key)!, row)) {
          countRow('due_too_late');
          return { key, set: { dueAt: now } };
        }
        stale(entryOf.get(key)!);
        countRow('stale');
        return undefined;
      }),
    );
    counts.end();
  }
}
