/**
 * The messages between the process that has a table open and the others. A message begins with two lengths of four bytes each, big endian:
 * the length of the rest of the message, and the length of the head. After them come the head as JSON, and the bytes of values. The head
 * contains the size of each value.
 */
import type { RowToCheck } from '../change-shared.js';
import type { Column, StoredRow } from '../store.js';

/** The version of the message format. Every change of the format increases it. Both sides must have the same version. */
export const PROTOCOL = 4;

/** A request or a response. */
export interface Message {
  readonly head: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
  /** The length of the message in bytes on the wire. */
  readonly size: number;
}

/** Maximum bytes of a request and of a response. Requests may come from any process of the user. */
export const MAX_REQUEST = 64 * 1024 * 1024;
export const MAX_RESPONSE = 1024 * 1024 * 1024;

export function encodeMessage(head: object, blobs: readonly Uint8Array[] = []): Buffer {
  const json = Buffer.from(JSON.stringify(head), 'utf8');
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(4 + json.length + sizeOf(blobs), 0);
  lengths.writeUInt32BE(json.length, 4);
  return Buffer.concat([lengths, json, ...blobs]);
}

/**
 * Takes the chunks of a stream, and calls `onMessage` for each complete message.
 * @throws Error if the bytes are not a message, or a message is longer than `limit`
 */
export function createMessageReader(limit: number, onMessage: (message: Message) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let size = 0;
  const take = (length: number): Buffer => {
    const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    chunks = all.length > length ? [all.subarray(length)] : [];
    size = all.length - length;
    return all.subarray(0, length);
  };
  let wanted: number | undefined;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    for (;;) {
      if (wanted === undefined) {
        if (size < 4) return;
        wanted = take(4).readUInt32BE();
        if (wanted > limit || wanted < 4)
          throw new Error(`expected a message of at most ${limit} bytes, found ${wanted}`);
      }
      if (size < wanted) return;
      const message = decodeMessage(take(wanted));
      wanted = undefined;
      onMessage(message);
    }
  };
}

function decodeMessage(body: Buffer): Message {
  const end = 4 + body.readUInt32BE();
  if (end > body.length) throw new Error('expected the head of a message, found less');
  const head: unknown = JSON.parse(body.toString('utf8', 4, end));
  if (typeof head !== 'object' || head === null) throw new Error('expected an object as the head of a message');
  return { head: head as Message['head'], bytes: body.subarray(end), size: 4 + body.length };
}

type SizedCells = readonly (readonly [column: string, size: number])[];
interface SentRow {
  readonly key: string;
  readonly cells: SizedCells;
  readonly damaged?: string;
}
interface SentChange {
  readonly key: string;
  readonly put?: SizedCells;
  readonly delete?: readonly Column[] | undefined;
  readonly clear?: boolean | undefined;
  /** The cell that is compared, and the size of its value; null: there is no such cell. Absent: nothing is compared. */
  readonly column?: Column | undefined;
  readonly value?: number | null;
}

/** Describes rows for a head; adds their bytes to `blobs`. */
export function packRows(rows: readonly (StoredRow | undefined)[], blobs: Uint8Array[]): (SentRow | null)[] {
  return rows.map((row) => {
    if (!row) return null;
    const { key, damaged } = row;
    return { key, cells: packCells(row.cells, blobs), ...(damaged !== undefined && { damaged }) };
  });
}

/** Reads the rows of a response. */
export function unpackRows({ head, bytes }: Message): (StoredRow | undefined)[] {
  const take = cutter(bytes);
  return (head['rows'] as readonly (SentRow | null)[]).map((row) => {
    if (!row) return undefined;
    const { key, damaged } = row;
    return { key, cells: unpackCells(row.cells, take), ...(damaged !== undefined && { damaged }) };
  });
}

/** Describes changes for a head; adds their bytes to `blobs`. */
export function packChanges(changes: readonly RowToCheck[], blobs: Uint8Array[]): SentChange[] {
  return changes.map(({ change: { key, put, delete: remove, clear }, column, value }) => {
    const sent = { key, ...(put && { put: packCells(put, blobs) }), delete: remove, clear, column };
    if (value) blobs.push(value);
    return { ...sent, value: value ? value.length : null };
  });
}

/**
 * Reads the changes of a request. Any process of the user may have sent the request, so the store checks the content of the changes.
 * @throws Error if their shape is wrong
 */
export function unpackChanges({ head, bytes }: Pick<Message, 'head' | 'bytes'>): RowToCheck[] {
  const take = cutter(bytes);
  return listOf(head['changes'], (sent) => {
    const { key, put, delete: remove, clear, column, value = null } = sent as Record<keyof SentChange, unknown>;
    const change = {
      key: stringOf(key),
      ...(put !== undefined && { put: unpackCells(listOf(put, cellOf), take) as ReadonlyMap<Column, Uint8Array> }),
      ...(remove !== undefined && { delete: listOf(remove, stringOf) as Column[] }),
      ...(clear === true && { clear }),
    };
    if (column === undefined) return { change };
    return { change, column: stringOf(column) as Column, value: value === null ? undefined : take(sizeIn(value)) };
  });
}

/** @throws Error if the value is not a string */
export function stringOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('expected a string in a message');
  return value;
}

/** @throws Error if the value is not an array, or `itemOf` rejects an item */
export function listOf<T>(value: unknown, itemOf: (item: unknown) => T): T[] {
  if (!Array.isArray(value)) throw new Error('expected a list in a message');
  return value.map((item) => itemOf(item ?? {}));
}

function cellOf(value: unknown): readonly [string, number] {
  const [column, size] = value as readonly unknown[];
  return [stringOf(column), sizeIn(size)];
}

function sizeIn(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw new Error('expected a size in a message');
  return value;
}

function packCells(cells: ReadonlyMap<string, Uint8Array>, blobs: Uint8Array[]): SizedCells {
  return [...cells].map(([column, value]) => {
    blobs.push(value);
    return [column, value.length] as const;
  });
}

function unpackCells(cells: SizedCells, take: (size: number) => Uint8Array): Map<string, Uint8Array> {
  return new Map(cells.map(([column, size]) => [column, take(size)]));
}

/** Cuts bytes into consecutive chunks. Each call takes the size of the next chunk. */
function cutter(bytes: Uint8Array): (size: number) => Uint8Array {
  let at = 0;
  return (size) => {
    if (at + size > bytes.length) throw new Error('expected more bytes in a message');
    return bytes.subarray(at, (at += size));
  };
}

export function sizeOf(blobs: readonly Uint8Array[]): number {
  return blobs.reduce((sum, { length }) => sum + length, 0);
}
