import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createRecordSorter, growingArray, onDisk, readFully } from '../../scan/index.js';
import { readLink, type LinkRecord } from './records.js';
import type { Sources } from './sources.js';

/**
 * All links of targets with findings, on disk, so that a report can list every link. The links of a target are stored until its rules are
 * checked. Then the links of its findings are sorted by finding, and the other links are dropped. A finding takes 8 bytes of memory.
 */
export interface LinkStore {
  /** Adds a link record of the present target. If this returns a promise, await the promise before the next call. */
  add(record: Buffer, keyEnd: number, to: readonly Sources[]): Promise<void> | undefined;
  /** Stores the links of these sources of the present target. @returns a number, by which {@link LinkStore.read} reads these links */
  keep(sources: Sources): number;
  /** Call it when the rules for the present target are checked. */
  endTarget(): Promise<void>;
  /** Call it once, after the last target and before the first read. */
  end(): Promise<void>;
  /** Yields stored links in the order of their sources. @param kept a number that `keep` has returned */
  read(kept: number): AsyncGenerator<LinkRecord>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Size of the buffer for links of the present target, and of a read. */
const PIECE = 2 ** 18;
const SIZE = 4;
/** Size of the head before a link of the present target: the size of the link, and the number of the sources to which the link belongs. */
const HEAD = 2 * SIZE;

/** @throws CrawlError STORE_FULL, BAD_OUTPUT; the methods of the store throw them too */
export async function createLinkStore(folder: string, memory: number): Promise<LinkStore> {
  const [present, all] = [join(folder, 'links-present'), join(folder, 'links-kept')];
  const file = await onDisk(present, () => open(present, 'w+'));
  const kept = await onDisk(all, () => open(all, 'w+'));
  const sorter = createRecordSorter({ folder, memory });
  const starts = growingArray((length) => new Float64Array(length));
  let end = 0;
  let count = 0;
  const held = Buffer.allocUnsafe(PIECE);
  let used = 0;
  let onFile = 0;
  /** The sources of the present target, numbered from 1 on. `wanted` has the sources whose links are kept. */
  const numbers = new Map<Sources, number>();
  const wanted = new Map<number, number>();

  async function flush(): Promise<void> {
    await onDisk(present, () => file.write(held, 0, used, onFile));
    onFile += used;
    used = 0;
  }

  function put(record: Buffer, from: number, to: readonly Sources[]): void {
    for (const sources of to) {
      held.writeUInt32LE(record.length - from, used);
      held.writeUInt32LE(numberOf(sources), used + SIZE);
      used += HEAD + record.copy(held, used + HEAD, from);
    }
  }

  const numberOf = (sources: Sources): number => {
    let number = numbers.get(sources);
    if (number === undefined) numbers.set(sources, (number = numbers.size + 1));
    return number;
  };

  /** Yields the links of the present target: those on the file, and those in the buffer. */
  async function* links(): AsyncGenerator<Buffer> {
    if (onFile === 0) return yield* whole(held.subarray(0, used)).records;
    await flush();
    yield* inFile(present, file, 0, onFile, HEAD);
  }

  return {
    add(record, keyEnd, to) {
      const from = keyEnd + 2;
      if (used + to.length * (HEAD + record.length - from) <= PIECE) return void put(record, from, to);
      return flush().then(() => put(record, from, to));
    },
    keep(sources) {
      const number = numberOf(sources);
      let place = wanted.get(number);
      if (place === undefined) wanted.set(number, (place = count++));
      return place;
    },
    async endTarget() {
      if (wanted.size > 0) {
        for await (const link of links()) {
          const place = wanted.get(link.readUInt32LE(SIZE));
          if (place === undefined) continue;
          const sorted = Buffer.allocUnsafe(SIZE + link.length - HEAD);
          sorted.writeUInt32BE(place);
          link.copy(sorted, SIZE, HEAD);
          await sorter.add(sorted);
        }
        wanted.clear();
      }
      numbers.clear();
      used = 0;
      onFile = 0;
    },
    async end() {
      let pieces: Buffer[] = [];
      let size = 0;
      const write = async (): Promise<void> => {
        const bytes = Buffer.concat(pieces);
        const at = end - size;
        pieces = [];
        size = 0;
        await onDisk(all, () => kept.write(bytes, 0, bytes.length, at));
      };
      for await (const record of sorter.sorted()) {
        while (starts.length <= record.readUInt32BE()) starts.push(end);
        const link = Buffer.allocUnsafe(record.length);
        link.writeUInt32LE(record.length - SIZE);
        record.copy(link, SIZE, SIZE);
        pieces.push(link);
        size += link.length;
        end += link.length;
        if (size >= PIECE) await write();
      }
      while (starts.length <= count) starts.push(end);
      await write();
    },
    async *read(place) {
      const [from = 0, to = 0] = starts.values().subarray(place, place + 2);
      for await (const link of inFile(all, kept, from, to, SIZE)) yield readLink(link, SIZE - 2);
    },
    async [Symbol.asyncDispose]() {
      await file.close();
      await kept.close();
    },
  };
}

/** Returns the complete records at the beginning of some bytes. Each record follows a head that begins with the size of the record. */
function whole(bytes: Buffer, head = HEAD): { readonly records: Buffer[]; readonly end: number } {
  const records: Buffer[] = [];
  let at = 0;
  while (at + head <= bytes.length) {
    const next = at + head + bytes.readUInt32LE(at);
    if (next > bytes.length) break;
    records.push(bytes.subarray(at, next));
    at = next;
  }
  return { records, end: at };
}

async function* inFile(
  path: string,
  file: Parameters<typeof readFully>[1],
  from: number,
  to: number,
  head: number,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to;) {
    const bytes = Buffer.allocUnsafe(Math.min(PIECE, to - at));
    const found = whole(bytes.subarray(0, await readFully(path, file, bytes, at)), head);
    if (found.records.length === 0) return;
    yield* found.records;
    at += found.end;
  }
}
