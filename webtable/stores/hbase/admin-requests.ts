/** The calls of HBase's Thrift2 gateway that make tables; the numbers are those of the fields in `hbase.thrift`. */
import type { BinaryReader } from './thrift/binary-reader.js';
import type { BinaryWriter } from './thrift/binary-writer.js';
import type { Call } from './thrift/messages.js';
import { ThriftError, TYPE } from './thrift/types.js';

/** How a family is kept on the disk. */
export interface FamilyDescriptor {
  readonly name: string;
  readonly compression: 'NONE' | 'GZ';
  readonly encoding: 'NONE' | 'FAST_DIFF';
}

const COMPRESSIONS = { GZ: 1, NONE: 2 } as const;
const ENCODINGS = { NONE: 0, FAST_DIFF: 4 } as const;
const BLOOM_ROW = 1;

/** Makes a table. Gateways with the framed transport fail at split keys, at least up to HBase 2.6. */
export function createTable(
  table: string,
  families: readonly FamilyDescriptor[],
  splitKeys: readonly string[] = [],
): Call<void> {
  return {
    method: 'createTable',
    write(w) {
      w.field(TYPE.struct, 1);
      writeTableName(w, 1, table);
      w.list(2, TYPE.struct, families.length);
      for (const family of families) writeFamily(w, family);
      w.stop();
      if (splitKeys.length === 0) return;
      w.list(2, TYPE.string, splitKeys.length);
      for (const key of splitKeys) w.value(key);
    },
  };
}

/** Adds a family to a table that is there. */
export function addColumnFamily(table: string, family: FamilyDescriptor): Call<void> {
  return {
    method: 'addColumnFamily',
    write(w) {
      writeTableName(w, 1, table);
      w.field(TYPE.struct, 2);
      writeFamily(w, family);
    },
  };
}

/** Whether there is such a table. */
export function tableExists(table: string): Call<boolean> {
  return {
    method: 'tableExists',
    write: (w) => writeTableName(w, 1, table),
    read(r, type) {
      if (type !== TYPE.bool) throw new ThriftError(`expected true or false, found type ${type}`);
      return r.byte() !== 0;
    },
  };
}

/** Makes a namespace. */
export function createNamespace(name: string): Call<void> {
  return {
    method: 'createNamespace',
    write(w) {
      w.field(TYPE.struct, 1);
      w.binary(1, name);
      w.stop();
    },
  };
}

/** Removes a table; it must be disabled. */
export function deleteTable(table: string): Call<void> {
  return { method: 'deleteTable', write: (w) => writeTableName(w, 1, table) };
}

/** Closes the regions of a table. */
export function disableTable(table: string): Call<void> {
  return { method: 'disableTable', write: (w) => writeTableName(w, 1, table) };
}

/** The first keys of the regions of a table, in order; that of the first region is empty. */
export function getAllRegionLocations(table: string): Call<string[]> {
  return {
    method: 'getAllRegionLocations',
    write: (w) => w.binary(1, table),
    read(r, type) {
      if (type !== TYPE.list) throw new ThriftError(`expected a list, found type ${type}`);
      const starts: string[] = [];
      for (let left = r.list(TYPE.struct); left > 0; left--) starts.push(startOf(r));
      return starts;
    },
  };
}

/** The first key in a THRegionLocation, which has a THRegionInfo. */
function startOf(r: BinaryReader): string {
  let start = '';
  while (r.nextField()) {
    if (r.id === 2 && r.type === TYPE.struct) start = startIn(r);
    else r.skip(r.type);
  }
  return start;
}

function startIn(r: BinaryReader): string {
  let start = '';
  while (r.nextField()) {
    if (r.id === 3 && r.type === TYPE.string) start = r.latin1();
    else r.skip(r.type);
  }
  return start;
}

function writeTableName(w: BinaryWriter, id: number, table: string): void {
  const colon = table.indexOf(':');
  w.field(TYPE.struct, id);
  w.binary(1, table.slice(0, colon));
  w.binary(2, table.slice(colon + 1));
  w.stop();
}

function writeFamily(w: BinaryWriter, { name, compression, encoding }: FamilyDescriptor): void {
  w.binary(1, name);
  w.i32(5, BLOOM_ROW);
  w.i32(6, COMPRESSIONS[compression]);
  w.i32(8, ENCODINGS[encoding]);
  w.i32(10, 1);
  w.bool(14, true);
  w.stop();
}
