/** Decodes the rows of a response of the gateway. The numbers are the field ids in `hbase.thrift`. */
import type { BinaryReader } from './binary-reader.js';
import { ThriftError, TYPE } from './types.js';

/** Builds the store's result for each row. Rows come one after another. Qualifiers and values share memory with the response. */
export interface RowDecoder<T> {
  begin(): void;
  cell(family: string, qualifier: Buffer, value: Buffer, timestamp: number): void;
  /** @param key undefined for a row that does not exist */
  end(key: string | undefined): T;
}

/** A page of a scan, and the key of its last row. */
export interface ScannedPage<T> {
  readonly rows: T[];
  readonly last: string | undefined;
}

export function readRows<T>(r: BinaryReader, type: number, decoder: RowDecoder<T>): ScannedPage<T> {
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

/** Returns the last cell of each row; undefined for a row without cells. */
export function lastCell(): RowDecoder<{ readonly value: Buffer; readonly at: number } | undefined> {
  let found: { readonly value: Buffer; readonly at: number } | undefined;
  return {
    begin: () => void (found = undefined),
    cell: (_family, _qualifier, value, at) => void (found = { value, at }),
    end: () => found,
  };
}

/** @throws ThriftError */
export function expectType(found: number, expected: number): void {
  if (found !== expected) throw new ThriftError(`expected a response of type ${expected}, found ${found}`);
}

/** Reads a response that is true or false. @throws ThriftError */
export function readBool(r: BinaryReader, type: number): boolean {
  expectType(type, TYPE.bool);
  return r.byte() !== 0;
}
