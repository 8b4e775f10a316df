/**
 * FROZEN. How the cells of a `packed` family become one value:
 *
 *     count, then per cell in order of the qualifier: qualifier length, qualifier, value length, value
 *
 * Numbers are varints: seven bits to a byte, low bits first, the high bit says that more follow. Qualifiers are ASCII.
 */

type Visit = (nameStart: number, nameEnd: number, valueStart: number, valueEnd: number, cellStart: number) => void;

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
  const pieces: (Kept | Cell)[] = [];
  let count = 0;
  let size = 0;
  let next = 0;

  function edit([name, value]: Cell): void {
    if (!value) return;
    pieces.push([name, value]);
    count++;
    size += varintSize(name.length) + name.length + varintSize(value.length) + value.length;
  }
  function keep(start: number, end: number): void {
    const last = pieces.at(-1);
    if (last && 'end' in last && last.end === start) last.end = end;
    else pieces.push({ start, end });
    count++;
    size += end - start;
  }

  if (stored) {
    forEachCell(stored, (nameStart, nameEnd, _valueStart, valueEnd, cellStart) => {
      let order = 1;
      while (next < edits.length && (order = compareName(stored, nameStart, nameEnd, edits[next]![0])) > 0) {
        edit(edits[next++]!);
      }
      if (next < edits.length && order === 0) edit(edits[next++]!);
      else keep(cellStart, valueEnd);
    });
  }
  while (next < edits.length) edit(edits[next++]!);
  return count > 0 ? write(stored, pieces, count, varintSize(count) + size) : undefined;
}

type Cell = readonly [name: string, value: Uint8Array | undefined];
/** A part of the stored value that stays. */
interface Kept {
  readonly start: number;
  end: number;
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
 * A function that reads from packed values the cells that `nameOf` names, under the name it gives. Names of short
 * qualifiers are remembered, so make one for each scan and let it go afterwards.
 * The function throws an Error where a value is not a packed one.
 */
export function packedReader(
  nameOf: (qualifier: string) => string | undefined,
): (bytes: Uint8Array, into: (name: string, value: Uint8Array) => void) => void {
  const known = new Map<number, string | undefined>();

  function named(bytes: Uint8Array, start: number, end: number): string | undefined {
    if (end - start > 4) return nameOf(latin1(bytes, start, end));
    let id = 0;
    for (let i = start; i < end; i++) id = id * 256 + bytes[i]!;
    let name = known.get(id);
    if (name === undefined && !known.has(id)) {
      name = nameOf(latin1(bytes, start, end));
      known.set(id, name);
    }
    return name;
  }

  return (bytes, into) => {
    forEachCell(bytes, (nameStart, nameEnd, valueStart, valueEnd) => {
      const name = named(bytes, nameStart, nameEnd);
      if (name !== undefined) into(name, view(bytes, valueStart, valueEnd));
    });
  };
}

function forEachCell(bytes: Uint8Array, visit: Visit): void {
  let at = 0;

  function varint(): number {
    let byte = bytes[at++];
    if (byte !== undefined && byte < 0x80) return byte;
    let value = 0;
    for (let scale = 1; byte !== undefined && scale < 2 ** 35; scale *= 128) {
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      byte = bytes[at++];
    }
    throw new Error('no packed cells: a number is cut short or too long');
  }

  for (let left = varint(); left > 0; left--) {
    const cellStart = at;
    const nameLength = varint();
    const nameStart = at;
    at += nameLength;
    const valueLength = varint();
    const valueStart = at;
    at += valueLength;
    if (at > bytes.length) throw new Error('no packed cells: a cell is cut short');
    visit(nameStart, nameStart + nameLength, valueStart, at, cellStart);
  }
  if (at !== bytes.length) throw new Error('no packed cells: bytes after the last cell');
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
