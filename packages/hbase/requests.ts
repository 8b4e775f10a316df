/** The calls to HBase's Thrift2 gateway that the store makes. The numbers are the field ids in `hbase.thrift`. */
import type { BinaryWriter } from './thrift/binary-writer.js';
import type { Call } from './thrift/messages.js';
import { readBool, readRows, type RowDecoder, type ScannedPage } from './thrift/read-rows.js';
import { ThriftError, TYPE } from './thrift/types.js';

/** A family, or one column of a family. */
export interface Target {
  readonly family: string;
  readonly qualifier?: string;
}

export interface Cell {
  readonly family: string;
  readonly qualifier: string;
  readonly value: Uint8Array;
}

/** A put or a deletion in one row. `at` is its timestamp; undefined: the time of the server. */
export type Mutation =
  | { readonly kind: 'put'; readonly cells: readonly Cell[]; readonly at: number | undefined }
  /** Deletes the cells of the row up to the timestamp. */
  | { readonly kind: 'delete'; readonly at: number | undefined };

export interface Projection {
  readonly columns: readonly Target[];
  /** A filter, in HBase's filter language. */
  readonly filter?: string;
}

const COMPARE_EQUAL = 2;
const DELETE_COLUMNS = 1;
/** Bytes of the fields and lengths of a cell on the wire. */
export const CELL_FRAME_BYTES = 25;

/** Reads the rows of these keys, in the order of the keys. */
export function getMultiple<T>(
  table: string,
  keys: readonly string[],
  projection: Projection,
  decoder: RowDecoder<T>,
): Call<T[]> {
  return {
    method: 'getMultiple',
    size: keys.reduce((size, key) => size + key.length + 64, 0),
    write(w) {
      w.binary(1, table);
      w.list(2, TYPE.struct, keys.length);
      for (const key of keys) {
        w.binary(1, key);
        writeTargets(w, 2, projection.columns);
        if (projection.filter !== undefined) w.binary(6, projection.filter);
        w.stop();
      }
    },
    read: (r, type) => {
      const { rows } = readRows(r, type, decoder);
      if (rows.length !== keys.length) throw new ThriftError(`expected ${keys.length} rows, found ${rows.length}`);
      return rows;
    },
  };
}

/**
 * Reads at most `limit` rows from `start` on, in key order. It returns fewer rows only at the end of the range. `start` must be before
 * `end`.
 */
export function getScannerResults<T>(
  table: string,
  range: { readonly start: Uint8Array; readonly end?: Uint8Array },
  projection: Projection,
  limit: number,
  decoder: RowDecoder<T>,
): Call<ScannedPage<T>> {
  return {
    method: 'getScannerResults',
    write(w) {
      w.binary(1, table);
      w.field(TYPE.struct, 2);
      w.binary(1, range.start);
      if (range.end) w.binary(2, range.end);
      writeTargets(w, 3, projection.columns);
      w.i32(4, limit);
      if (projection.filter !== undefined) w.binary(7, projection.filter);
      w.i32(15, limit);
      w.stop();
      w.i32(3, limit);
    },
    read: (r, type) => {
      const page = readRows(r, type, decoder);
      if (page.rows.length > limit) throw new ThriftError(`expected at most ${limit} rows, found ${page.rows.length}`);
      return page;
    },
  };
}

interface RowPut {
  readonly key: string;
  readonly cells: readonly Cell[];
  /** The timestamp of the cells; undefined: the time of the server. */
  readonly at: number | undefined;
}

/** Puts rows. Each row changes atomically. */
export function putMultiple(table: string, puts: readonly RowPut[], size: number): Call<void> {
  return {
    method: 'putMultiple',
    size,
    write(w) {
      w.binary(1, table);
      w.list(2, TYPE.struct, puts.length);
      for (const { key, cells, at } of puts) writePut(w, key, cells, at);
    },
  };
}

/** Removes whole rows. Cells with a later timestamp than `at` stay. */
export function deleteMultiple(
  table: string,
  deletes: readonly { readonly key: string; readonly at: number | undefined }[],
): Call<void> {
  return {
    method: 'deleteMultiple',
    size: deletes.reduce((size, { key }) => size + key.length + 30, 0),
    write(w) {
      w.binary(1, table);
      w.list(2, TYPE.struct, deletes.length);
      for (const { key, at } of deletes) writeDelete(w, key, at);
    },
    // The response lists the rows that could not be removed. If there are any, the call fails, so the list is not needed.
    read: (r, type) => r.skip(type),
  };
}

/** Changes one row atomically. */
export function mutateRow(table: string, key: string, mutations: readonly Mutation[], size: number): Call<void> {
  return {
    method: 'mutateRow',
    size,
    write(w) {
      w.binary(1, table);
      writeMutations(w, 2, key, mutations);
    },
  };
}

/** Changes one row if a cell is as expected. An empty expected value means that the cell is absent or empty. */
export function checkAndMutate(
  table: string,
  key: string,
  { family, qualifier, value }: Cell,
  mutations: readonly Mutation[],
): Call<boolean> {
  return {
    method: 'checkAndMutate',
    write(w) {
      w.binary(1, table);
      w.binary(2, key);
      w.binary(3, family);
      w.binary(4, qualifier);
      w.i32(5, COMPARE_EQUAL);
      w.binary(6, value);
      writeMutations(w, 7, key, mutations);
    },
    read: readBool,
  };
}

/** Does the same as {@link checkAndMutate}, for a change that only puts. */
export function checkAndPut(
  table: string,
  key: string,
  { family, qualifier, value }: Cell,
  put: Pick<RowPut, 'cells' | 'at'>,
): Call<boolean> {
  return {
    method: 'checkAndPut',
    write(w) {
      w.binary(1, table);
      w.binary(2, key);
      w.binary(3, family);
      w.binary(4, qualifier);
      if (value.length > 0) w.binary(5, value);
      w.field(TYPE.struct, 6);
      writePut(w, key, put.cells, put.at);
    },
    read: readBool,
  };
}

function writeTargets(w: BinaryWriter, id: number, columns: readonly Target[]): void {
  w.list(id, TYPE.struct, columns.length);
  for (const { family, qualifier } of columns) {
    w.binary(1, family);
    if (qualifier !== undefined) w.binary(2, qualifier);
    w.stop();
  }
}

function writePut(w: BinaryWriter, key: string, cells: readonly Cell[], at: number | undefined): void {
  w.binary(1, key);
  w.list(2, TYPE.struct, cells.length);
  for (const { family, qualifier, value } of cells) {
    w.binary(1, family);
    w.binary(2, qualifier);
    w.binary(3, value);
    w.stop();
  }
  if (at !== undefined) w.i64(3, at);
  w.stop();
}

function writeDelete(w: BinaryWriter, key: string, at: number | undefined): void {
  w.binary(1, key);
  if (at !== undefined) w.i64(3, at);
  w.i32(4, DELETE_COLUMNS);
  w.stop();
}

function writeMutations(w: BinaryWriter, id: number, key: string, mutations: readonly Mutation[]): void {
  w.field(TYPE.struct, id);
  w.binary(1, key);
  w.list(2, TYPE.struct, mutations.length);
  for (const mutation of mutations) {
    if (mutation.kind === 'put') {
      w.field(TYPE.struct, 1);
      writePut(w, key, mutation.cells, mutation.at);
    } else {
      w.field(TYPE.struct, 2);
      writeDelete(w, key, mutation.at);
    }
    w.stop();
  }
  w.stop();
}
