import {
  parseSelectors,
  readerOf,
  type PackedReader,
  type TableName,
  type ColumnSelector,
  type KeyRange,
  type StoredRow,
} from '../core/index.js';
import type { Gateways } from './gateway/gateways.js';
import { decodeValue, MAX_KEY_BYTES, RECORD_QUALIFIER, recordFamily } from './layout.js';
import { inParallel } from '../util/index.js';
import { getMultiple, getScannerResults, type Projection, type Target } from './requests.js';
import type { RowDecoder } from './thrift/read-rows.js';
import { createRowSizes, type RowSize } from './row-sizes.js';

export interface Reading {
  readonly table: TableName;
  readonly name: string;
  readonly columns: readonly ColumnSelector[];
}

/** Reads rows. Selectors are checked at once. An empty list of selectors selects nothing. */
export type Reads = ReturnType<typeof createReads>;

const MAX_CALLS_PER_GET = 2;
const MAX_ROWS_PER_RESPONSE = { get: 500, scan: 1000 } as const;

export function createReads(gateways: Gateways) {
  const sizes = createRowSizes();
  return {
    async get({ table, name, columns }: Reading, keys: readonly string[]): Promise<(StoredRow | undefined)[]> {
      const projection = projectionOf(table, columns);
      if (!projection || keys.length === 0) return keys.map(() => undefined);
      const unique = [...new Set(keys)];
      const size = sizes.of(table, projection.families);
      const chunks: string[][] = [];
      const step = size.rowsAtOnce(MAX_ROWS_PER_RESPONSE.get);
      for (let i = 0; i < unique.length; i += step) chunks.push(unique.slice(i, i + step));
      const found = new Map<string, StoredRow>();
      await inParallel(chunks, MAX_CALLS_PER_GET, async (chunk) => {
        const decoder = createDecoder(size, projection.record);
        for (const row of await gateways.call(getMultiple(name, chunk, projection, decoder))) {
          if (row) found.set(row.key, row);
        }
      });
      return keys.map((key) => found.get(key));
    },

    /** Reads one range in pages of several rows. The next page is requested while the caller processes the current one. */
    async *pages(
      { table, name, columns }: Reading,
      range: KeyRange,
      limit: number,
    ): AsyncGenerator<readonly StoredRow[]> {
      const projection = projectionOf(table, columns);
      const end = range.end === undefined ? undefined : boundOf(range.end);
      let start: Buffer | undefined = boundOf(range.start);
      // Empty ranges must not be sent: for HBase, an empty end means no end, and equal start and end mean one row.
      if (!projection || limit <= 0 || (end && Buffer.compare(start, end) >= 0)) return;
      const size = sizes.of(table, projection.families);

      /** Reads the next page. Returns the rows, and the start of the following page; undefined at the end of the range. */
      const read = async (from: Buffer, most: number): Promise<{ rows: StoredRow[]; next: Buffer | undefined }> => {
        const decoder = createDecoder(size, projection.record);
        const requested = getScannerResults(name, { start: from, ...(end && { end }) }, projection, most, decoder);
        const { rows, last } = await gateways.call(requested);
        const next = last === undefined || rows.length < most ? undefined : boundOf(`${last}\0`);
        return {
          rows: rows.filter((row) => row !== undefined),
          next: next && end && Buffer.compare(next, end) >= 0 ? undefined : next,
        };
      };

      let left = limit;
      let most = Math.min(size.rowsAtOnce(MAX_ROWS_PER_RESPONSE.scan), limit);
      let ahead = read(start, most);
      for (;;) {
        const { rows, next } = await ahead;
        start = next;
        left -= rows.length;
        if (start && left > 0) {
          // If some rows were hidden, more rows are read to find enough visible ones.
          most = Math.min(size.rowsAtOnce(MAX_ROWS_PER_RESPONSE.scan), Math.max(left, 2 * most));
          ahead = read(start, most);
          // A caller that ends the iteration does not wait for this page, so its error is ignored.
          ahead.catch(() => undefined);
        }
        yield left < 0 ? rows.slice(0, left) : rows;
        if (!start || left <= 0) return;
      }
    },
  };
}

interface TableProjection extends Projection {
  readonly families: readonly string[];
  /** The family whose cells are one record, with a reader of its selected cells. Absent: the read needs no record. */
  readonly record?: { readonly family: string; readonly reader: PackedReader };
}

/**
 * Returns the cells to request from HBase. Undefined: nothing is selected.
 * @throws CrawlError STORE_FAILED for an invalid selector
 */
function projectionOf(table: TableName, columns: readonly ColumnSelector[]): TableProjection | undefined {
  const selectors = parseSelectors(table, columns);
  if (selectors.size === 0) return undefined;
  const targets: Target[] = [];
  const filters: string[] = [];
  for (const [family, { exact, prefixes }] of selectors) {
    if (family === recordFamily(table)) {
      targets.push({ family, qualifier: RECORD_QUALIFIER });
      continue;
    }
    if (prefixes.length === 0) {
      for (const qualifier of exact) targets.push({ family, qualifier });
      continue;
    }
    targets.push({ family });
    if (prefixes.includes('')) continue;
    const tests = [
      `FamilyFilter(!=,${quoted('binary', family)})`,
      ...prefixes.map((prefix) => `QualifierFilter(=,${quoted('binaryprefix', prefix)})`),
      ...[...exact].map((qualifier) => `QualifierFilter(=,${quoted('binary', qualifier)})`),
    ];
    filters.push(`(${tests.join(' OR ')})`);
  }
  const recorded = recordFamily(table);
  const record = recorded === undefined ? undefined : selectors.get(recorded);
  return {
    columns: targets,
    families: [...selectors.keys()],
    ...(record && { record: { family: recorded!, reader: readerOf(recorded!, record) } }),
    ...(filters.length > 0 && { filter: filters.join(' AND ') }),
  };
}

function quoted(comparator: string, value: string): string {
  return `'${comparator}:${value.replaceAll("'", "''")}'`;
}

/**
 * Returns the bytes of a bound. If the bound is longer than any key, it is replaced by the smallest bound of valid length that has the same
 * position among the keys.
 */
function boundOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_KEY_BYTES) return bytes;
  const cut = bytes.subarray(0, MAX_KEY_BYTES);
  // Keys are ASCII and bounds are UTF-8, so no byte is 255, and this byte can be increased.
  cut[MAX_KEY_BYTES - 1]! += 1;
  return cut;
}

/** Makes rows from the cells that readers see. Undefined: the row has no such cells. */
function createDecoder(
  size: RowSize,
  { family: recorded, reader }: Partial<TableProjection['record']> = {},
): RowDecoder<StoredRow | undefined> {
  let record: Buffer | undefined;
  let damaged: string | undefined;
  let cells = new Map<string, Uint8Array>();
  let at = 0;
  let bytes = 0;
  return {
    begin() {
      cells = new Map();
      record = damaged = undefined;
      at = bytes = 0;
    },
    cell(family, qualifier, value, timestamp) {
      bytes += qualifier.length + value.length + 50;
      at = Math.max(at, timestamp);
      if (family === recorded) {
        record = value;
        if (value.length > 0) damaged = reader!.tryRead(value, cells, family);
        return;
      }
      const decoded = decodeValue(value);
      if (decoded) cells.set(`${family}:${qualifier.toString('latin1')}`, decoded);
    },
    end(key) {
      size.learn(bytes);
      if (key === undefined || (cells.size === 0 && damaged === undefined)) return undefined;
      return {
        key,
        cells,
        at,
        ...(record && { record }),
        ...(damaged !== undefined && { damaged }),
      };
    },
  };
}
