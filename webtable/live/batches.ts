/**
 * Scans in batches. Each batch is a scan of its own that goes on after the last row of the one before, so nothing stays open
 * between two of them, however long a reader takes and whatever becomes of it; and any store can give the next one. A scan
 * promises rows as of a moment after its start, each by itself, and so it may.
 */
import type { TableName } from '../schema.js';
import type { KeyRange, ScanOptions, Store, StoredRow } from '../store.js';

/** A scan of one range, up to a batch. */
export interface BatchOptions extends Omit<ScanOptions, 'ranges'> {
  readonly range: KeyRange;
}

/** Rows in key order, and whether they are the last of the range. */
export interface Batch {
  readonly rows: readonly StoredRow[];
  readonly done: boolean;
}

/** Bytes and rows after which a batch is full. */
const BATCH_BYTES = 256 * 1024;
const BATCH_ROWS = 1000;

/** Reads the next batch of a store. */
export async function readBatch(
  store: Store,
  table: TableName,
  { range, ...options }: BatchOptions,
  batchRows = BATCH_ROWS,
): Promise<Batch> {
  const rows: StoredRow[] = [];
  let bytes = 0;
  for await (const row of store.scan(table, { ...options, ranges: [range] })) {
    rows.push(row);
    for (const [column, value] of row.cells) bytes += column.length + value.length;
    if (bytes >= BATCH_BYTES || rows.length >= batchRows) return { rows, done: false };
  }
  return { rows, done: true };
}

/** A whole scan, batch after batch. */
export async function* scanBatches(
  { ranges = [{ start: '' }], limit = Infinity, ...options }: ScanOptions,
  next: (batch: BatchOptions) => Promise<Batch>,
): AsyncGenerator<StoredRow> {
  let left = limit;
  for (const { start, end } of ranges) {
    let from = start;
    for (let done = false; !done;) {
      const range = { start: from, ...(end !== undefined && { end }) };
      const batch = await next({ ...options, range, ...(left < Infinity && { limit: left }) });
      for (const row of batch.rows) {
        if (left-- <= 0) return;
        yield row;
      }
      done = batch.done;
      // No key comes between, since keys are printable.
      from = `${batch.rows.at(-1)?.key ?? from}\u0001`;
    }
  }
}
