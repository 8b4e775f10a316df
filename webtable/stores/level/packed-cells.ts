/**
 * FROZEN. How the cells of a `packed` family become one value:
 *
 *     count, then per cell in order of the qualifier: qualifier length, qualifier, value length, value
 *
 * Numbers are varints: seven bits to a byte, low bits first, the high bit says that more follow. Qualifiers are ASCII.
 */

/**
 * The value after these changes, each by its qualifier; undefined takes a cell away. Returns undefined where none is left.
 * What is not changed is copied as it is, in one pass.
 * @throws Error where `stored` is not a packed value
 */
export function mergePacked(
  stored: Uint8Array | undefined,
  changes: ReadonlyMap<string, Uint8Array | undefined>,
): Buffer | undefined {
  const edits = [...changes].sort(byName);
  const merged = new Pieces();
  let next = 0;
  if (stored) {
    const cell = new CellCursor(stored);
    while (cell.next()) {
      let order = 1;
      while (next < edits.length && (order = compareName(stored, cell.nameStart, cell.nameEnd, edits[next]![0])) > 0) {
        merged.add(edits[next++]!);
      }
      if (next < edits.length && order === 0) merged.add(edits[next++]!);
      else merged.keep(cell.start, cell.valueEnd);
    }
  }
  while (next < edits.length) merged.add(edits[next++]!);
  const { list, count, size } = merged;
  return count > 0 ? write(stored, list, count, varintSize(count) + size) : undefined;
}

type Cell = readonly [name: string, value: Uint8Array | undefined];
/** A part of the stored value that stays. */
interface Kept {
  readonly start: number;
  end: number;
}

/** What a merged value is made of. */
class Pieces {
  readonly list: (Kept | Cell)[] = [];
  /** Cells. */
  count = 0;
  /** Bytes of all cells. */
  size = 0;

  add(cell: Cell): void {
    const [name, value] = cell;
    if (!value) return;
    this.list.push(cell);
    this.count++;
    this.size += varintSize(name.length) + name.length + varintSize(value.length) + value.length;
  }

  keep(start: number, end: number): void {
    const last = this.list.at(-1);
    if (last && 'end' in last && last.end === start) last.end = end;
    else this.list.push({ start, end });
    this.count++;
    this.size += end - start;
  }
}

function write(stored: Uint8Array | undefined, pieces: readonly (Kept | Cell)[], count: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let at = writeVarint(bytes, 0, count);
  for (const piece of pieces) {
    if ('end' in piece) {
      bytes.set(stored!.subarray(piece.start, piece.end), at);
      at += piece.end - piece.start;
      continue;
    }
    const [name, value] = piece as [string, Uint8Array];
    at = writeVarint(bytes, at, name.length);
    for (let i = 0; i < name.length; i++) bytes[at++] = name.charCodeAt(i);
    at = writeVarint(bytes, at, value.length);
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
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
  readonly #bytes: Uint8Array;
  #at = 0;
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
      if (this.#at !== this.#bytes.length) throw new Error('no packed cells: bytes after the last cell');
      return false;
    }
    this.#left--;
    this.start = this.#at;
    const nameLength = this.#varint();
    this.nameStart = this.#at;
    this.nameEnd = this.#at += nameLength;
    const valueLength = this.#varint();
    this.valueStart = this.#at;
    this.valueEnd = this.#at += valueLength;
    if (this.#at > this.#bytes.length) throw new Error('no packed cells: a cell is cut short');
    return true;
  }

  #varint(): number {
    let byte = this.#bytes[this.#at++];
    if (byte !== undefined && byte < 0x80) return byte;
    let value = 0;
    for (let scale = 1; byte !== undefined && scale < 2 ** 35; scale *= 128) {
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      byte = this.#bytes[this.#at++];
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

const byName = ([a]: Cell, [b]: Cell): number => (a < b ? -1 : 1);

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

function writeVarint(bytes: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 0x80;
  bytes[at++] = rest;
  return at;
}
