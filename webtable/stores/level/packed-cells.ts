/**
 * FROZEN. How the cells of a `packed` family become one value:
 *
 *     count, then per cell in order of the qualifier: qualifier length, qualifier, value length, value
 *
 * Numbers are varints: seven bits to a byte, low bits first, the high bit says that more follow. Qualifiers are ASCII.
 */

/** Changes of cells, each qualifier once and in order; undefined takes a cell away. */
export interface PackedChanges {
  readonly qualifiers: readonly string[];
  readonly values: readonly (Uint8Array | undefined)[];
}

/** Where values up to this size are put together, from {@link FIRST_CELL} on. */
const scratch = new Uint8Array(16_384);
/** Room for the longest count in front of the first cell. */
const FIRST_CELL = 5;

/**
 * The value after these changes; undefined where no cell is left. A small one is part of Node's pool, a large one may have unused bytes around it.
 * What is not changed is copied as it is, in one pass.
 * @throws Error where `stored` is not a packed value
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
    /** Up to here what is stored was copied, or left out. */
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

/** V8 has so small arrays on its own heap, and moves them when LevelDB asks for their bytes, unlike those of a `Buffer`. */
const SMALL = 65;

/** At least as many bytes as all of it takes. */
function roomFor(stored: Uint8Array | undefined, { qualifiers, values }: PackedChanges): number {
  let room = FIRST_CELL + (stored?.length ?? 0);
  for (let i = 0; i < qualifiers.length; i++) room += qualifiers[i]!.length + (values[i]?.length ?? 0) + 10;
  return room;
}

/** @returns where the cell ends; a cell that is taken away is not written */
function writeCell(bytes: Uint8Array, start: number, qualifier: string, value: Uint8Array | undefined): number {
  if (!value) return start;
  let at = writeVarint(bytes, start, qualifier.length);
  for (let i = 0; i < qualifier.length; i++) bytes[at++] = qualifier.charCodeAt(i);
  at = writeVarint(bytes, at, value.length);
  return copy(value, 0, value.length, bytes, at);
}

/** So few bytes are copied one by one in less time than a view of them is made. */
const FEW_BYTES = 64;

/** @returns where the copy ends */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  if (end - start > FEW_BYTES) to.set(start === 0 && end === from.length ? from : from.subarray(start, end), at);
  else for (let i = start; i < end; i++) to[at + i - start] = from[i]!;
  return at + end - start;
}

/**
 * Reads from packed values the cells that `nameOf` names, under the name it gives. Names of short qualifiers are
 * remembered, so make one for each scan and drop it afterwards.
 */
export class PackedReader {
  readonly #nameOf: (qualifier: string) => string | undefined;
  readonly #known = new Map<number, string | undefined>();

  constructor(nameOf: (qualifier: string) => string | undefined) {
    this.#nameOf = nameOf;
  }

  /**
   * Sets each cell of a value in `into`; the bytes are views of the value.
   * @throws Error where the value is not a packed one; some of its cells may be set by then
   */
  read(bytes: Uint8Array, into: Map<string, Uint8Array>): void {
    const cell = new CellCursor(bytes);
    while (cell.next()) {
      const name = this.#named(bytes, cell.nameStart, cell.nameEnd);
      if (name !== undefined) into.set(name, view(bytes, cell.valueStart, cell.valueEnd));
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

/** Goes through the cells of a packed value; the places are those of the cell that {@link next} found. */
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
   * Moves to the next cell. False when there was none left.
   * @throws Error where the bytes are not those of a packed value
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

/** Below zero where the stored name comes first. */
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

function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 0x80;
  bytes[at++] = rest;
  return at;
}
