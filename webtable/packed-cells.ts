/**
 * FROZEN. The format of the value that holds all cells of a row in a `packed` family:
 *
 *     count, then per cell in order of the qualifier: qualifier length, qualifier, value length, value
 *
 * Numbers are varints: seven bits to a byte, low bits first, the high bit says that more follow. Qualifiers are ASCII.
 */
import { CrawlError, safeText } from '../packages/errors/index.js';
import { selects, type FamilySelector } from './selectors.js';
import { writeVarint } from './varint.js';

/** Changes of cells, sorted by qualifier, with each qualifier once. undefined removes a cell. */
interface PackedChanges {
  readonly qualifiers: readonly string[];
  readonly values: readonly (Uint8Array | undefined)[];
}

/** Results up to this size are built in this buffer. The first cell begins at {@link FIRST_CELL}. */
const scratch = new Uint8Array(16_384);
/** Bytes in front of the first cell, enough for the longest count. */
const FIRST_CELL = 5;

/**
 * Makes the changes and returns the new value; undefined if no cell is left. A small result shares Node's pool of buffers; a large result
 * may be part of a longer buffer. Adjacent unchanged cells are copied together.
 * @throws Error if `stored` is not a packed value
 */
export function mergePacked(stored: Uint8Array | undefined, changes: PackedChanges): Uint8Array | undefined {
  const { qualifiers, values } = changes;
  const room = roomFor(stored, changes);
  const bytes = room <= scratch.length ? scratch : Buffer.allocUnsafe(room);
  let at = FIRST_CELL;
  let count = 0;
  let next = 0;
  if (stored) {
    const cell = new CellCursor(stored);
    /** The cells before this offset of `stored` are complete: copied, replaced or removed. */
    let done = cell.at;
    while (cell.next()) {
      let order = 1;
      while (next < qualifiers.length && order > 0) {
        order = compareName(stored, cell.nameStart, cell.nameEnd, qualifiers[next]!);
        if (order < 0) break;
        at = copy(stored, done, cell.start, bytes, at);
        done = order === 0 ? cell.valueEnd : cell.start;
        at = writeCell(bytes, at, qualifiers[next]!, values[next]);
        if (values[next++]) count++;
      }
      if (order !== 0) count++;
    }
    at = copy(stored, done, stored.length, bytes, at);
  }
  for (; next < qualifiers.length; next++) {
    at = writeCell(bytes, at, qualifiers[next]!, values[next]);
    if (values[next]) count++;
  }
  if (count === 0) return undefined;
  const start = FIRST_CELL - varintSize(count);
  writeVarint(bytes, start, count);
  if (bytes !== scratch) return bytes.subarray(start, at);
  return at - start < SMALL ? Buffer.from(scratch.subarray(start, at)) : scratch.slice(start, at);
}

/**
 * Below this size the result is a `Buffer`. V8 allocates other arrays of this size on its own heap, and must move them when LevelDB
 * accesses their bytes.
 */
const SMALL = 65;

/**
 * Writes the cells of a new value at an offset of `bytes`. There must be room for {@link packedRoom} bytes.
 * @returns the offset after the value; `start` if there is no cell
 */
export function writePacked(bytes: Uint8Array, start: number, { qualifiers, values }: PackedChanges): number {
  const count = values.reduce((sum, value) => (value ? sum + 1 : sum), 0);
  let at = count === 0 ? start : writeVarint(bytes, start, count);
  for (let i = 0; i < qualifiers.length; i++) at = writeCell(bytes, at, qualifiers[i]!, values[i]);
  return at;
}

/** An upper bound for the bytes of a new value with these cells. */
export const packedRoom = (changes: PackedChanges): number => roomFor(undefined, changes);

/** An upper bound for the bytes of the result. */
function roomFor(stored: Uint8Array | undefined, { qualifiers, values }: PackedChanges): number {
  let room = FIRST_CELL + (stored?.length ?? 0);
  for (let i = 0; i < qualifiers.length; i++) room += qualifiers[i]!.length + (values[i]?.length ?? 0) + 10;
  return room;
}

/**
 * Writes a cell. If the value is undefined, it writes nothing.
 * @returns the offset after the cell
 */
function writeCell(bytes: Uint8Array, start: number, qualifier: string, value: Uint8Array | undefined): number {
  if (!value) return start;
  let at = writeVarint(bytes, start, qualifier.length);
  for (let i = 0; i < qualifier.length; i++) bytes[at++] = qualifier.charCodeAt(i);
  at = writeVarint(bytes, at, value.length);
  return copy(value, 0, value.length, bytes, at);
}

/** Up to this number of bytes, a loop over the bytes is faster than a view. */
const MAX_LOOP_BYTES = 64;

/** @returns the offset after the copy */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  if (end - start > MAX_LOOP_BYTES) to.set(start === 0 && end === from.length ? from : from.subarray(start, end), at);
  else for (let i = start; i < end; i++) to[at + i - start] = from[i]!;
  return at + end - start;
}

/**
 * Reads from packed values the cells for which `nameOf` returns a name, and stores them under that name. The reader caches the names of
 * short qualifiers, so create one reader for each scan and drop it afterwards.
 */
export class PackedReader {
  readonly #nameOf: (qualifier: string) => string | undefined;
  readonly #known = new Map<number, string | undefined>();

  constructor(nameOf: (qualifier: string) => string | undefined) {
    this.#nameOf = nameOf;
  }

  /**
   * Adds each selected cell of a packed value to `into`. The bytes of the cells are views of the packed value.
   * @throws Error if the value is not packed; `into` may then have some of its cells
   */
  read(bytes: Uint8Array, into: Map<string, Uint8Array>): void {
    const cell = new CellCursor(bytes);
    while (cell.next()) {
      const name = this.#named(bytes, cell.nameStart, cell.nameEnd);
      if (name !== undefined) into.set(name, view(bytes, cell.valueStart, cell.valueEnd));
    }
  }

  /**
   * Like `read`. If the value is not packed, it adds no cell of the family to `into`, and returns a description that begins with the family.
   */
  tryRead(bytes: Uint8Array, into: Map<string, Uint8Array>, family: string): string | undefined {
    try {
      this.read(bytes, into);
      return undefined;
    } catch (error) {
      const start = `${family}:`;
      for (const column of [...into.keys()]) if (column.startsWith(start)) into.delete(column);
      return `${start} ${(error as Error).message}`;
    }
  }

  #named(bytes: Uint8Array, start: number, end: number): string | undefined {
    if (end - start > 4) return this.#nameOf(latin1(bytes, start, end));
    let id = 0;
    for (let i = start; i < end; i++) id = id * 256 + bytes[i]!;
    let name = this.#known.get(id);
    if (name === undefined && !this.#known.has(id)) {
      name = this.#nameOf(latin1(bytes, start, end));
      this.#known.set(id, name);
    }
    return name;
  }
}

/** A reader of the selected cells of a family, with their columns as names. */
export function readerOf(family: string, selector: FamilySelector): PackedReader {
  const start = `${family}:`;
  return new PackedReader((qualifier) => (selects(selector, qualifier) ? start + qualifier : undefined));
}

/** The error of a change of cells that cannot be read. Nothing was written. */
export function damagedCells(key: string, family: string, cause: unknown): CrawlError {
  const message = `expected readable cells in family ${family} of row "${safeText(key)}": ${(cause as Error).message}`;
  return new CrawlError('TABLE_DAMAGED', message, {
    hint: 'the row stays unchanged; restore the table from a copy, or crawl into a new table',
    cause,
  });
}

/** Iterates over the cells of a packed value. The offsets belong to the cell that {@link next} found last. */
class CellCursor {
  start = 0;
  nameStart = 0;
  nameEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  /** Where the next cell begins. */
  at = 0;
  readonly #bytes: Uint8Array;
  #left: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#left = this.#varint();
  }

  /**
   * Moves to the next cell. Returns false if there is none.
   * @throws Error if the bytes are not a packed value
   */
  next(): boolean {
    if (this.#left === 0) {
      if (this.at !== this.#bytes.length) throw new Error('no packed cells: bytes after the last cell');
      return false;
    }
    this.#left--;
    this.start = this.at;
    const nameLength = this.#varint();
    this.nameStart = this.at;
    this.nameEnd = this.at += nameLength;
    const valueLength = this.#varint();
    this.valueStart = this.at;
    this.valueEnd = this.at += valueLength;
    if (this.at > this.#bytes.length) throw new Error('no packed cells: a cell is cut short');
    return true;
  }

  #varint(): number {
    let byte = this.#bytes[this.at++];
    if (byte !== undefined && byte < 0x80) return byte;
    let value = 0;
    for (let scale = 1; byte !== undefined && scale < 2 ** 35; scale *= 128) {
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      byte = this.#bytes[this.at++];
    }
    throw new Error('no packed cells: a number is cut short or too long');
  }
}

function view(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]!);
  return text;
}

/** Compares a stored name with `name`. Negative if the stored name sorts first. */
function compareName(bytes: Uint8Array, start: number, end: number, name: string): number {
  const length = Math.min(end - start, name.length);
  for (let i = 0; i < length; i++) {
    const difference = bytes[start + i]! - name.charCodeAt(i);
    if (difference !== 0) return difference;
  }
  return end - start - name.length;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}
