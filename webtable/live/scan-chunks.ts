/**
 * Scans in chunks. Each chunk is a scan of its own that goes on after the last row of the one before, so nothing stays open
 * between two of them, however long a reader takes and whatever becomes of it; and any store can give the next one. A scan
 * promises rows as of a moment after its start, each by itself, and so it may.
 */
import type { TableName } from '../schema.js';
import type { KeyRange, ScanOptions, Store, StoredRow } from '../store.js';

/** A scan of one range, up to a chunk. */
export interface ChunkOptions extends Omit<ScanOptions, 'ranges'> {
  readonly range: KeyRange;
}

/** Rows in key order, and whether they are the last of the range. */
export interface Chunk {
  readonly rows: readonly StoredRow[];
  readonly done: boolean;
}

/** Bytes and rows after which a chunk is full. */
const CHUNK_BYTES = 256 * 1024;
const CHUNK_ROWS = 1000;

/** Reads the next chunk of a store. */
export async function readChunk(
  store: Store,
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

/** A whole scan, chunk after chunk. */
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
      // No key comes between, since keys are printable.
      from = `${chunk.rows.at(-1)?.key ?? from}\u0001`;
    }
  }
}
