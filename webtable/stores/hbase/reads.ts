import { parseSelectors } from '../../selectors.js';
import type { TableName } from '../../schema.js';
import type { ColumnSelector, KeyRange, StoredRow } from '../../store.js';
import type { Gateways } from './gateway/gateways.js';
import { decodeValue, HIDDEN, MOST_KEY_BYTES, VERSION_QUALIFIER, versionFamily } from './layout.js';
import { inParallel } from './in-parallel.js';
import { getMultiple, getScannerResults, type Projection, type RowDecoder, type Target } from './requests.js';
import { createRowSizes, type RowSizes } from './row-sizes.js';
import type { Ticks } from './ticks.js';

/** What is read of a table, and how it is called in HBase. */
export interface Reading {
  readonly table: TableName;
  readonly name: string;
  readonly columns: readonly ColumnSelector[];
}

/** Reads rows. Selectors are checked at once; an empty list of them selects nothing. */
export interface Reads {
  get(reading: Reading, keys: readonly string[]): Promise<(StoredRow | undefined)[]>;
  /** Pages of one range, each asked for while the one before is worked on. */
  pages(reading: Reading, range: KeyRange, limit: number): AsyncGenerator<readonly StoredRow[]>;
}

/** Calls of one get that are under way at a time. */
const GETS_AT_ONCE = 2;
/** A row in the answer, as decoded: with all its hidden cells, of which some are for the store. */
const MOST_ROWS = { get: 500, scan: 1000 } as const;

export function createReads(gateways: Gateways, ticks: Ticks): Reads {
  const sizes = createRowSizes();
  return {
    async get({ table, name, columns }, keys) {
      const projection = projectionOf(table, columns);
      if (!projection || keys.length === 0) return keys.map(() => undefined);
      const unique = [...new Set(keys)];
      const size = sizes.of(table, projection.families);
      const chunks: string[][] = [];
      const step = size.rowsAtOnce(MOST_ROWS.get);
      for (let i = 0; i < unique.length; i += step) chunks.push(unique.slice(i, i + step));
      const found = new Map<string, StoredRow>();
      await inParallel(chunks, GETS_AT_ONCE, async (chunk) => {
        const decoder = createDecoder(ticks, size);
        for (const row of await gateways.call(getMultiple(name, chunk, projection, decoder))) {
          if (row) found.set(row.key, row);
        }
      });
      return keys.map((key) => found.get(key));
    },

    async *pages({ table, name, columns }, range, limit) {
      const projection = projectionOf(table, columns);
      const end = range.end === undefined ? undefined : boundOf(range.end);
      let start: Buffer | undefined = boundOf(range.start);
      // HBase takes an empty end for none, and a range that begins where it ends for its one row.
      if (!projection || limit <= 0 || (end && Buffer.compare(start, end) >= 0)) return;
      const size = sizes.of(table, projection.families);

      /** The next page, and where to go on; undefined at the end. */
      const read = async (from: Buffer, most: number): Promise<{ rows: StoredRow[]; next: Buffer | undefined }> => {
        const decoder = createDecoder(ticks, size);
        const asked = getScannerResults(name, { start: from, ...(end && { end }) }, projection, most, decoder);
        const { rows, last } = await gateways.call(asked);
        const next = last === undefined || rows.length < most ? undefined : boundOf(`${last}\0`);
        return {
          rows: rows.filter((row) => row !== undefined),
          next: next && end && Buffer.compare(next, end) >= 0 ? undefined : next,
        };
      };

      let left = limit;
      let most = Math.min(size.rowsAtOnce(MOST_ROWS.scan), limit);
      let ahead = read(start, most);
      for (;;) {
        const { rows, next } = await ahead;
        start = next;
        left -= rows.length;
        if (start && left > 0) {
          // Where rows were hidden, more has to be read to find as many.
          most = Math.min(size.rowsAtOnce(MOST_ROWS.scan), Math.max(left, 2 * most));
          ahead = read(start, most);
          // Whoever ends the iteration does not wait for it.
          ahead.catch(() => undefined);
        }
        yield left < 0 ? rows.slice(0, left) : rows;
        if (!start || left <= 0) return;
      }
    },
  };
}

interface TableProjection extends Projection {
  /** Those that are asked for by readers. */
  readonly families: readonly string[];
}

/**
 * What HBase is to send: the columns, and the version of each row. undefined where nothing is selected.
 * @throws CrawlError STORE_FAILED for a selector that cannot be
 */
export function projectionOf(table: TableName, columns: readonly ColumnSelector[]): TableProjection | undefined {
  const selectors = parseSelectors(table, columns);
  if (selectors.size === 0) return undefined;
  const targets: Target[] = [];
  const filters: string[] = [];
  for (const [family, { exact, prefixes }] of selectors) {
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
      `QualifierFilter(=,${quoted('binary', VERSION_QUALIFIER)})`,
    ];
    filters.push(`(${tests.join(' OR ')})`);
  }
  const family = versionFamily(table);
  const isThere = targets.some((target) => target.family === family && target.qualifier === undefined);
  if (!isThere) targets.push({ family, qualifier: VERSION_QUALIFIER });
  return {
    columns: targets,
    families: [...selectors.keys()],
    ...(filters.length > 0 && { filter: filters.join(' AND ') }),
  };
}

function quoted(comparator: string, value: string): string {
  return `'${comparator}:${value.replaceAll("'", "''")}'`;
}

/**
 * The bytes of a bound. One that is longer than any key is replaced by the least of those not longer that sorts alike among
 * keys.
 */
function boundOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length <= MOST_KEY_BYTES) return bytes;
  const cut = bytes.subarray(0, MOST_KEY_BYTES);
  // Keys are ASCII and bounds UTF-8, so there is always a byte that is greater.
  cut[MOST_KEY_BYTES - 1]! += 1;
  return cut;
}

/** Makes rows of what readers see; undefined for one that has none of it. */
function createDecoder(ticks: Ticks, size: ReturnType<RowSizes['of']>): RowDecoder<StoredRow | undefined> {
  let cells = new Map<string, Uint8Array>();
  let version: string | undefined;
  let bytes = 0;
  return {
    begin() {
      cells = new Map();
      version = undefined;
      bytes = 0;
    },
    cell(family, qualifier, value) {
      bytes += qualifier.length + value.length + 50;
      if (qualifier[0] === HIDDEN) {
        if (qualifier.toString('latin1') === VERSION_QUALIFIER) version = ticks.versionOf(value);
        return;
      }
      const decoded = decodeValue(value);
      if (decoded) cells.set(`${family}:${qualifier.toString('latin1')}`, decoded);
    },
    end(key) {
      size.learn(bytes);
      if (key === undefined || cells.size === 0) return undefined;
      return { key, cells, ...(version !== undefined && { version }) };
    },
  };
}
