/**
 * FROZEN. Where the cells of a table are in LevelDB. Every key begins with two letters, for table and family, so that
 * a family is one range and reading it never touches another.
 *
 *     packed   prefix row                     all cells of the row in one value, see packed-cells.ts
 *     wide     prefix row NUL qualifier       one cell
 *     body     prefix row NUL slot            the body, in slot 0 or 1, in the content database
 *
 * Row keys hold no NUL, so a row's cells sort before any longer row key and rows keep their order.
 *
 * The body of a row and its other cells are in two databases, and still change as one: the pointer, a cell that no
 * caller can name, in the first packed family of the row says which slot is current. A new body goes into the other
 * slot, then one batch changes pointer and cells, then the old slot is deleted. Whoever is killed in between leaves at
 * most one slot that no pointer names; the next body but one overwrites it.
 */
import { crc32 } from 'node:zlib';
import { TABLES, type FamilyShape, type TableName } from '../../schema.js';
import type { KeyRange } from '../../store.js';

const PREFIXES = {
  webpage: { m: 'wm', l: 'wl', p: 'wp', c: 'wc' },
  frontier: { f: 'ff' },
  batch: { b: 'bb' },
  host: { h: 'hh' },
  rule: { r: 'rr' },
  meta: { v: 'vv' },
} as const satisfies { [T in TableName]: Record<keyof (typeof TABLES)[T], string> };

/** The qualifier of the pointer. Callers' qualifiers are printable. */
export const POINTER = '\u0001';

export interface FamilyLayout {
  readonly name: string;
  readonly shape: FamilyShape;
  readonly prefix: string;
}

export interface TableLayout {
  /** In order of their names, so that cells read family by family come in order of their columns. */
  readonly families: readonly FamilyLayout[];
  readonly body: FamilyLayout | undefined;
  /** The family that holds the pointer, in a table with a body. */
  readonly pointer: FamilyLayout | undefined;
}

/** The layout of a table. */
export function layoutOf(table: TableName): TableLayout {
  return LAYOUTS[table];
}

function layOut(table: TableName): TableLayout {
  const prefixes: Readonly<Record<string, string>> = PREFIXES[table];
  const families = Object.entries(TABLES[table]).map(([name, shape]: [string, FamilyShape]) => {
    return { name, shape, prefix: prefixes[name]! };
  });
  const body = families.find((family) => family.shape === 'body');
  const pointer = body && families.find((family) => family.shape === 'packed');
  return { families: families.toSorted((a, b) => (a.name < b.name ? -1 : 1)), body, pointer };
}

const LAYOUTS: Readonly<Record<TableName, TableLayout>> = {
  webpage: layOut('webpage'),
  frontier: layOut('frontier'),
  batch: layOut('batch'),
  host: layOut('host'),
  rule: layOut('rule'),
  meta: layOut('meta'),
};

/** The key of a cell in a wide family. */
export function wideKey(family: FamilyLayout, rowKey: string, qualifier: string): string {
  return `${family.prefix}${rowKey}\0${qualifier}`;
}

/** The keys of all cells of a row in a wide family whose qualifiers begin so. */
export function wideRange(family: FamilyLayout, rowKey: string, prefix = ''): { gte: string; lt: string } {
  const gte = wideKey(family, rowKey, prefix);
  return { gte, lt: `${gte}\u007f` };
}

/** The keys of all rows of a range in a packed or wide family. */
export function rangeKeys(family: FamilyLayout, { start, end }: KeyRange): { gte: string; lt: string } {
  const [table, name] = family.prefix as unknown as [string, string];
  const after = table + String.fromCharCode(name.charCodeAt(0) + 1);
  return { gte: family.prefix + bound(start), lt: end === undefined ? after : family.prefix + bound(end) };
}

/** A bound with a NUL lies between a row key and all longer ones; cut there it would split the cells of a wide row. */
function bound(key: string): string {
  const nul = key.indexOf('\0');
  return nul < 0 ? key : `${key.slice(0, nul)}\u0001`;
}

/** Which slot holds the body of a row, and what must be in it. */
export interface BodyPointer {
  readonly slot: 0 | 1;
  /** Bytes. */
  readonly length: number;
  readonly checksum: number;
}

export function bodyKey(family: FamilyLayout, rowKey: string, slot: 0 | 1): string {
  return `${family.prefix}${rowKey}\0${slot}`;
}

export function encodePointer(slot: 0 | 1, body: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(9);
  bytes.writeUInt8(slot, 0);
  bytes.writeUInt32BE(body.length, 1);
  bytes.writeUInt32BE(crc32(body), 5);
  return bytes;
}

/** @throws Error where the bytes are not a pointer */
export function decodePointer(bytes: Uint8Array): BodyPointer {
  const slot = bytes[0];
  if (bytes.length !== 9 || (slot !== 0 && slot !== 1)) throw new Error('no pointer to a body');
  const data = new DataView(bytes.buffer, bytes.byteOffset, 9);
  return { slot, length: data.getUint32(1), checksum: data.getUint32(5) };
}

/** Whether this is the body that was written with the pointer; a power cut can lose one of the two. */
export function isBodyOf(pointer: BodyPointer, body: Uint8Array | undefined): body is Uint8Array {
  return body?.length === pointer.length && crc32(body) === pointer.checksum;
}
