/** The calls of HBase's Thrift2 gateway that the store makes; the numbers are those of the fields in `hbase.thrift`. */
import type { BinaryReader } from './thrift/binary-reader.js';
import type { BinaryWriter } from './thrift/binary-writer.js';
import type { Call } from './thrift/messages.js';
import { ThriftError, TYPE } from './thrift/types.js';

/** A family, or a column of it. */
export interface Target {
  readonly family: string;
  readonly qualifier?: string;
}

/** A cell to be put. */
export interface Cell {
  readonly family: string;
  readonly qualifier: string;
  readonly value: Uint8Array;
}

/** What one row is put, or what is deleted of it. */
export type Mutation =
  | { readonly kind: 'put'; readonly cells: readonly Cell[]; readonly tick: number }
  /** All that is as old as the tick, or older: of the row, or of these columns. */
  | { readonly kind: 'delete'; readonly columns?: readonly Required<Target>[]; readonly tick: number };

/** Which cells of rows are read. */
export interface Projection {
  readonly columns: readonly Target[];
  /** In HBase's language of filters. */
  readonly filter?: string;
}

/** Makes of each row that is read what the store gives; rows come one after another. Qualifiers and values share memory. */
export interface RowDecoder<T> {
  begin(): void;
  cell(family: string, qualifier: Buffer, value: Buffer, timestamp: number): void;
  /** @param key undefined for a row that is not there */
  end(key: string | undefined): T;
}

const COMPARE_EQUAL = 2;
const DELETE_COLUMNS = 1;
/** What the fields and lengths of a cell take on the wire. */
export const CELL_FRAME_BYTES = 25;

/** The rows of these keys, in order. */
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

/** A page of a scan, and the key of its last row. */
export interface ScannedPage<T> {
  readonly rows: T[];
  readonly last: string | undefined;
}

/** At most `limit` rows from `start` on, in order of their keys; fewer only where the range ends. `start` must be before `end`. */
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

/** A row that is put. */
export interface RowPut {
  readonly key: string;
  readonly cells: readonly Cell[];
  /** Absent: the time of the server. */
  readonly tick?: number;
}

/** Each row is put as one. */
export function putMultiple(table: string, puts: readonly RowPut[], size: number): Call<void> {
  return {
    method: 'putMultiple',
    size,
    write(w) {
      w.binary(1, table);
      w.list(2, TYPE.struct, puts.length);
      for (const { key, cells, tick } of puts) writePut(w, key, cells, tick);
    },
  };
}

/** Removes whole rows, as far as they are as old as the tick. */
export function deleteMultiple(
  table: string,
  deletes: readonly { readonly key: string; readonly tick: number }[],
): Call<void> {
  return {
    method: 'deleteMultiple',
    size: deletes.reduce((size, { key }) => size + key.length + 30, 0),
    write(w) {
      w.binary(1, table);
      w.list(2, TYPE.struct, deletes.length);
      for (const { key, tick } of deletes) writeDelete(w, key, undefined, tick);
    },
    // Those that could not be made; then the call fails anyway.
    read: (r, type) => r.skip(type),
  };
}

/** Changes one row as one. */
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

/** Changes one row if the cell is as expected; an empty value stands for a cell that is absent or empty. */
export function checkAndMutate(
  table: string,
  key: string,
  { family, qualifier, value }: Cell,
  mutations: readonly Mutation[],
  size: number,
): Call<boolean> {
  return {
    method: 'checkAndMutate',
    size,
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

/** As {@link checkAndMutate}, for a change that only puts. */
export function checkAndPut(
  table: string,
  key: string,
  { family, qualifier, value }: Cell,
  put: { readonly cells: readonly Cell[]; readonly tick: number },
  size: number,
): Call<boolean> {
  return {
    method: 'checkAndPut',
    size,
    write(w) {
      w.binary(1, table);
      w.binary(2, key);
      w.binary(3, family);
      w.binary(4, qualifier);
      if (value.length > 0) w.binary(5, value);
      w.field(TYPE.struct, 6);
      writePut(w, key, put.cells, put.tick);
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

function writePut(w: BinaryWriter, key: string, cells: readonly Cell[], tick: number | undefined): void {
  w.binary(1, key);
  w.list(2, TYPE.struct, cells.length);
  for (const { family, qualifier, value } of cells) {
    w.binary(1, family);
    w.binary(2, qualifier);
    w.binary(3, value);
    w.stop();
  }
  if (tick !== undefined) w.i64(3, tick);
  w.stop();
}

function writeDelete(
  w: BinaryWriter,
  key: string,
  columns: readonly Required<Target>[] | undefined,
  tick: number,
): void {
  w.binary(1, key);
  if (columns) {
    w.list(2, TYPE.struct, columns.length);
    for (const { family, qualifier } of columns) {
      w.binary(1, family);
      w.binary(2, qualifier);
      // The gateway does not look at the timestamp of the whole where there are columns.
      w.i64(3, tick);
      w.stop();
    }
  }
  w.i64(3, tick);
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
      writePut(w, key, mutation.cells, mutation.tick);
    } else {
      w.field(TYPE.struct, 2);
      writeDelete(w, key, mutation.columns, mutation.tick);
    }
    w.stop();
  }
  w.stop();
}

function readBool(r: BinaryReader, type: number): boolean {
  expectType(type, TYPE.bool);
  return r.byte() !== 0;
}

function readRows<T>(r: BinaryReader, type: number, decoder: RowDecoder<T>): ScannedPage<T> {
  expectType(type, TYPE.list);
  const rows: T[] = [];
  let last: string | undefined;
  for (let left = r.list(TYPE.struct); left > 0; left--) {
    decoder.begin();
    let key: string | undefined;
    while (r.nextField()) {
      if (r.id === 1 && r.type === TYPE.string) key = r.latin1();
      else if (r.id === 2 && r.type === TYPE.list) readCells(r, decoder);
      else r.skip(r.type);
    }
    rows.push(decoder.end(key));
    last = key ?? last;
  }
  return { rows, last };
}

function readCells(r: BinaryReader, decoder: RowDecoder<unknown>): void {
  for (let left = r.list(TYPE.struct); left > 0; left--) readCell(r, decoder);
}

function readCell(r: BinaryReader, decoder: RowDecoder<unknown>): void {
  let family = '';
  let qualifier: Buffer | undefined;
  let value: Buffer | undefined;
  let timestamp = 0;
  while (r.nextField()) {
    const { id, type } = r;
    if (id === 1 && type === TYPE.string) family = r.latin1();
    else if (id === 2 && type === TYPE.string) qualifier = r.binary();
    else if (id === 3 && type === TYPE.string) value = r.binary();
    else if (id === 4 && type === TYPE.i64) timestamp = r.i64();
    else r.skip(type);
  }
  if (!qualifier || !value) throw new ThriftError('expected a cell with all its parts, found one without');
  decoder.cell(family, qualifier, value, timestamp);
}

function expectType(found: number, expected: number): void {
  if (found !== expected) throw new ThriftError(`expected an answer of type ${expected}, found ${found}`);
}
