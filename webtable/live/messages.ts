/**
 * What a process that has a table open and the others say to each other. A message is a length (4 bytes, big endian) of all
 * that follows, a length of the head, the head as JSON, and bytes that the head gives the sizes of.
 */
import type { Column, RowChange, StoredRow } from '../store.js';

/** Raised with every change of the messages. Both sides must have the same. */
export const PROTOCOL = 2;

/** A request or an answer. */
export interface Message {
  readonly head: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
}

/** Bytes of the longest message: a request, which the holder reads from anybody of its user, and an answer. */
export const MAX_REQUEST = 64 * 1024 * 1024;
export const MAX_ANSWER = 1024 * 1024 * 1024;

/** A message as it is sent. */
export function encodeMessage(head: object, blobs: readonly Uint8Array[] = []): Buffer {
  const json = Buffer.from(JSON.stringify(head), 'utf8');
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(4 + json.length + sizeOf(blobs), 0);
  lengths.writeUInt32BE(json.length, 4);
  return Buffer.concat([lengths, json, ...blobs]);
}

/**
 * Takes the chunks of a stream and hands on each message once it is whole.
 * @throws Error where the bytes are no message, or one longer than `limit`
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
  return { head: head as Message['head'], bytes: body.subarray(end) };
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
  readonly delete?: readonly Column[];
  readonly clear?: boolean;
}

/** Rows for a head, their bytes gathered in `blobs`. */
export function packRows(rows: readonly (StoredRow | undefined)[], blobs: Uint8Array[]): (SentRow | null)[] {
  return rows.map((row) => {
    if (!row) return null;
    const { key, damaged } = row;
    return { key, cells: packCells(row.cells, blobs), ...(damaged !== undefined && { damaged }) };
  });
}

/** The rows of an answer. */
export function unpackRows({ head, bytes }: Message): (StoredRow | undefined)[] {
  const take = cutter(bytes);
  return (head['rows'] as readonly (SentRow | null)[]).map((row) => {
    if (!row) return undefined;
    const { key, damaged } = row;
    return { key, cells: unpackCells(row.cells, take), ...(damaged !== undefined && { damaged }) };
  });
}

/** Changes for a head, their bytes gathered in `blobs`. */
export function packChanges(changes: readonly RowChange[], blobs: Uint8Array[]): SentChange[] {
  return changes.map(({ put, ...rest }) => ({ ...rest, ...(put && { put: packCells(put, blobs) }) }));
}

/**
 * The changes of a request, which anybody may have written: what they hold is checked by the store.
 * @throws Error where their shape is wrong
 */
export function unpackChanges({ head, bytes }: Message): RowChange[] {
  const take = cutter(bytes);
  return listOf(head['changes'], (sent) => {
    const { key, put, delete: remove, clear } = sent as Record<keyof SentChange, unknown>;
    return {
      key: textOf(key),
      ...(put !== undefined && { put: unpackCells(listOf(put, cellOf), take) as ReadonlyMap<Column, Uint8Array> }),
      ...(remove !== undefined && { delete: listOf(remove, textOf) as Column[] }),
      ...(clear === true && { clear }),
    };
  });
}

/** @throws Error where it is no text */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('expected a text in a message');
  return value;
}

/** @throws Error where it is no list, or `itemOf` refuses an item */
export function listOf<T>(value: unknown, itemOf: (item: unknown) => T): T[] {
  if (!Array.isArray(value)) throw new Error('expected a list in a message');
  return value.map((item) => itemOf(item ?? {}));
}

function cellOf(value: unknown): readonly [string, number] {
  const [column, size] = value as readonly unknown[];
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 0) throw new Error('expected a size in a message');
  return [textOf(column), size];
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

/** Cuts bytes into the pieces that a head names, one after the other. */
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
