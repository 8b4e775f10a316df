/** The calls that create tables through HBase's Thrift2 gateway. The numbers are the field ids in `hbase.thrift`. */
import type { BinaryReader } from './thrift/binary-reader.js';
import type { BinaryWriter } from './thrift/binary-writer.js';
import type { Call } from './thrift/messages.js';
import { expectType, readBool } from './thrift/read-rows.js';
import { TYPE } from './thrift/types.js';

export interface FamilyDescriptor {
  readonly name: string;
  readonly compression: 'NONE' | 'GZ';
  readonly encoding: 'NONE' | 'FAST_DIFF';
}

const COMPRESSIONS = { GZ: 1, NONE: 2 } as const;
const ENCODINGS = { NONE: 0, FAST_DIFF: 4 } as const;
const BLOOM_ROW = 1;

/** Creates a table. At least up to HBase 2.6, a gateway with the framed transport fails if the call has split keys. */
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

export function tableExists(table: string): Call<boolean> {
  return {
    method: 'tableExists',
    write: (w) => writeTableName(w, 1, table),
    read: readBool,
  };
}

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

/** Returns the first key of each region of a table, in order. The key of the first region is empty. */
export function getAllRegionLocations(table: string): Call<string[]> {
  return {
    method: 'getAllRegionLocations',
    write: (w) => w.binary(1, table),
    read(r, type) {
      expectType(type, TYPE.list);
      const starts: string[] = [];
      for (let left = r.list(TYPE.struct); left > 0; left--) starts.push(startOf(r));
      return starts;
    },
  };
}

/** Reads a THRegionLocation. Returns the first key of the region, which is in its THRegionInfo. */
function startOf(r: BinaryReader): string {
  return fieldOf(r, 2, TYPE.struct, () => fieldOf(r, 3, TYPE.string, () => r.latin1())) ?? '';
}

/** Reads a struct. Returns one of its fields; undefined if the struct lacks it. */
function fieldOf<T>(r: BinaryReader, id: number, type: number, read: () => T): T | undefined {
  let found: T | undefined;
  while (r.nextField()) {
    if (r.id === id && r.type === type) found = read();
    else r.skip(r.type);
  }
  return found;
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
