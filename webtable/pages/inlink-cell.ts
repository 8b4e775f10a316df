import { text, number, writeAscii } from './codec.js';
import { INLINK_CELLS_PREFIX } from '../schema.js';
import type { Column } from '../store.js';
import { takeVarint, writeVarint, type ByteReader } from '../varint.js';

/** An inlink as it is stored. The row key of its source is the key in the maps of this file. */
export interface StoredInlink {
  readonly anchor: string;
  /** The score that the source distributed to the page when the source was last updated. */
  readonly score: number;
}

/** The inlinks that one change adds to a row. */
export interface InlinkCell {
  /**
   * The position of the cell. It must be greater than the positions of all cells that stay in the row. So use the row's `inlinkBound`
   * before this change, or 0 if all other cells are replaced.
   */
  readonly position: number;
  /** The inlinks by the row key of their source. If there are none, no cell is written. */
  readonly links: ReadonlyMap<string, StoredInlink>;
  /** Positions of the cells that are removed. */
  readonly replaces?: readonly number[];
}

export interface StoredInlinks {
  /** The inlinks by the row key of their source, in the order in which they were added. */
  readonly links: Map<string, StoredInlink>;
  /** The positions of the cells that hold these inlinks. */
  readonly positions: readonly number[];
}

const DIGITS = 10;
const POSITION = new RegExp(`^[0-9]{${DIGITS}}$`);
/** Maximum bytes of an inlink besides its source and anchor: three lengths and the score. */
const MAX_OVERHEAD_BYTES = 3 * 8 + 8;
/** Maximum bytes of a cell. A larger cell is split, so that every store can hold it. */
const MAX_CELL_BYTES = 1024 * 1024;
/** Up to this length, writing a text character by character is faster than a method of Node. The varint of such a length has one byte. */
const SHORT = 64;
/** Values up to this size are encoded in this buffer. */
const scratch = Buffer.allocUnsafeSlow(65_536);
const PRINTABLE = /^[\x20-\x7e]*$/;

/** Returns the column of the inlinks that one change adds. Later changes of a row have greater positions. */
export function inlinkColumn(position: number): Column {
  return `${INLINK_CELLS_PREFIX}${`${position}`.padStart(DIGITS, '0')}`;
}

/**
 * Returns the position in the name of a column of inlinks.
 * @throws Error if {@link inlinkColumn} cannot have made the name
 */
export function inlinkPosition(column: string): number {
  const digits = column.slice(INLINK_CELLS_PREFIX.length);
  if (!POSITION.test(digits)) throw new Error('no column of inlinks');
  return Number(digits);
}

/**
 * FROZEN. Encodes the inlinks that one change adds, by the row key of the source:
 *
 *     count, then for each inlink: length of the beginning that the source shares with the previous source, length of the rest, the rest,
 *     length of the anchor in bytes, the anchor as UTF-8, the score as a double, big-endian
 *
 * Numbers are varints. Row keys are ASCII.
 */
export function encodeInlinks(links: ReadonlyMap<string, StoredInlink>): Uint8Array {
  let room = MAX_OVERHEAD_BYTES;
  for (const [source, { anchor }] of links) room += source.length + 3 * anchor.length + MAX_OVERHEAD_BYTES;
  const bytes = room <= scratch.length ? scratch : Buffer.allocUnsafe(room);
  let at = writeVarint(bytes, 0, links.size);
  let before = '';
  for (const [source, { anchor, score }] of links) {
    const shared = sharedLength(before, source);
    at = writeVarint(bytes, at, shared);
    at = writeVarint(bytes, at, source.length - shared);
    for (let i = shared; i < source.length; i++) bytes[at++] = source.charCodeAt(i);
    before = source;
    at = writeAnchor(bytes, at, anchor);
    at = bytes.writeDoubleBE(score, at);
  }
  return Buffer.from(bytes.subarray(0, at));
}

/**
 * Adds inlinks to `put`, nearly always as one cell, but as several if one would be too large. The position of a cell is the position of its
 * first link.
 * @param links at least one
 */
export function putInlinks(
  put: Map<Column, Uint8Array>,
  position: number,
  links: ReadonlyMap<string, StoredInlink>,
): void {
  const cell = encodeInlinks(links);
  if (cell.length <= MAX_CELL_BYTES || links.size === 1) {
    put.set(inlinkColumn(position), cell);
    return;
  }
  const all = [...links];
  const half = all.length >> 1;
  putInlinks(put, position, new Map(all.slice(0, half)));
  putInlinks(put, position + half, new Map(all.slice(half)));
}

/**
 * Adds each inlink of a cell to `into`. A new inlink replaces an earlier one from the same source.
 * @throws Error if {@link encodeInlinks} cannot have written the bytes; `into` may then have some of the inlinks
 */
export function decodeInlinks(bytes: Uint8Array, into: Map<string, StoredInlink>): void {
  const reader = { bytes, at: 0 };
  let source = '';
  for (let left = takeVarint(reader); left > 0; left--) {
    const shared = takeVarint(reader);
    if (shared > source.length) throw new Error('no inlinks: a source shares more than there is');
    source = source.slice(0, shared) + text.decode(take(reader, takeVarint(reader)));
    if (!PRINTABLE.test(source)) throw new Error('no inlinks: a source is no row key');
    const anchor = text.decode(take(reader, takeVarint(reader)));
    into.set(source, { anchor, score: number.decode(take(reader, 8)) });
  }
  if (reader.at !== bytes.length) throw new Error('no inlinks: bytes after the last one');
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++;
  return shared;
}

/** @returns the offset after the anchor */
function writeAnchor(bytes: Buffer, start: number, anchor: string): number {
  if (anchor.length <= SHORT && writeAscii(bytes, start + 1, anchor)) {
    bytes[start] = anchor.length;
    return start + 1 + anchor.length;
  }
  const at = writeVarint(bytes, start, Buffer.byteLength(anchor, 'utf8'));
  return at + bytes.write(anchor, at, 'utf8');
}

function take(reader: ByteReader, length: number): Uint8Array {
  const start = reader.at;
  if (length > reader.bytes.length - start) throw new Error('no inlinks: an inlink is cut short');
  return reader.bytes.subarray(start, (reader.at = start + length));
}
