import { isHeld, type PageRow } from '../../../webtable/index.js';
import { SELECTION_FIELDS } from '../fetching/fetch-item.js';
import type { CounterName } from '../reporting/counters.js';
import { isReleasedSource } from '../rows/reschedule.js';
import type { Refusals } from '../selection/refusals.js';

export const JUDGED_FIELDS = [...SELECTION_FIELDS, 'cashInFlight'] as const;

/**
 * The decision of generate on a row with an entry in the due part of the frontier. `stale`: the row is not due. An object gives the reason
 * why the row is not selected. It names a cause if generate can ignore the row until this cause changes.
 */
export type RowVerdict = { readonly reason: CounterName; readonly cause?: string | undefined } | 'selected' | 'stale';

/**
 * Decides on one row.
 * @param bounds in ms since the epoch. Rows that are due by `until` are selected. A due time after `latest` is wrong, because the clock
 * that wrote it was ahead.
 * @param updating batches for which updatedb may still need the score that their rows distributed
 */
export function judgeRow(
  row: PageRow<(typeof JUDGED_FIELDS)[number]> | undefined,
  { until, latest }: { readonly until: number; readonly latest: number },
  refusals: Pick<Refusals, 'of'>,
  updating: ReadonlySet<string>,
): RowVerdict {
  if (!row) return 'stale';
  if (row.damaged) return { reason: 'damaged' };
  const { dueAt = 0 } = row;
  // A due time after `latest` was written by a clock that was ahead, so the row counts as due.
  if (isHeld(row) || row.refusedBy !== undefined || (dueAt > until && dueAt <= latest)) return 'stale';
  const last = row.marks?.updatedb ?? '';
  if (updating.has(last) && isReleasedSource(row, last)) return { reason: 'updating' };
  return refusals.of(row) ?? 'selected';
}
