/**
 * Scans in chunks. Each chunk is a scan of its own that continues after the last row of the chunk before. So no resource stays open between
 * two chunks, even if a reader is slow or gone, and any process can read the next chunk. The promise of a scan is still true: each row is
 * as it was at a moment after the start of the scan.
 */
import type { TableName } from '../schema.js';
import type { KeyRange, ScanOptions, Store, StoredRow } from '../store.js';

/** Options of a scan of one range that ends when a chunk is full. */
export interface ChunkOptions extends Omit<ScanOptions, 'ranges'> {
  readonly range: KeyRange;
}

/** Rows in key order, and whether the range ends after them. */
export interface Chunk {
  readonly rows: readonly StoredRow[];
  readonly done: boolean;
}

/** Bytes and rows that fill a chunk. */
const CHUNK_BYTES = 256 * 1024;
const CHUNK_ROWS = 1000;

/** Reads the next chunk from a store. */
export async function readChunk(
  store: Pick<Store, 'scan'>,
  table: TableName,
  { range, ...options }: ChunkOptions,
  chunkRows = CHUNK_ROWS,
): Promise<Chunk> {
  const rows: StoredRow[] = [];
  let bytes = 0;
  for await (const row of store.scan(table, { ...options, ranges: [range] })) {
    rows.push(row);
    for (const [column, value] of row.cells) bytes += column.length + value.length;
    if (bytes >= CHUNK_BYTES || rows.length >= chunkRows) return { rows, done: false };
  }
  return { rows, done: true };
}

/** A whole scan, chunk by chunk. */
export async function* scanChunks(
  { ranges = [{ start: '' }], limit = Infinity, ...options }: ScanOptions,
  next: (chunk: ChunkOptions) => Promise<Chunk>,
): AsyncGenerator<StoredRow> {
  let left = limit;
  for (const { start, end } of ranges) {
    let from = start;
    for (let done = false; !done;) {
      const range = { start: from, ...(end !== undefined && { end }) };
      const chunk = await next({ ...options, range, ...(left < Infinity && { limit: left }) });
      for (const row of chunk.rows) {
        if (left-- <= 0) return;
        yield row;
      }
      done = chunk.done;
      // No key sorts between the last key and `from`, because keys are printable.
      from = `${chunk.rows.at(-1)?.key ?? from}\u0001`;
    }
  }
}
