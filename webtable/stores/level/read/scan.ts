import type { LevelSnapshot } from '../database.js';
import { mergedRows } from './merge.js';
import { finishRow, planRead } from './rows.js';
import type { TableName } from '../../../schema.js';
import type { ScanOptions, StoredRow } from '../../../store.js';

/** The rows of a scan, all from this snapshot, which stays open. */
export async function* scanRows(
  snapshot: LevelSnapshot,
  table: TableName,
  { columns, ranges = [{ start: '' }], limit = Infinity }: ScanOptions,
): AsyncGenerator<StoredRow> {
  const plan = planRead(table, columns);
  let left = limit;
  for (const range of ranges) {
    if (left <= 0) return;
    if (range.end !== undefined && range.end <= range.start) continue;
    for await (const group of mergedRows(snapshot, plan, range, left)) {
      for (const draft of group) {
        const row = finishRow(draft);
        if (!row) continue;
        yield row;
        if (--left <= 0) return;
      }
    }
  }
}
