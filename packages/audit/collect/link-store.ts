import { join } from 'node:path';
import { createDiskFile, createRecordSorter, growingArray, type DiskFile } from '../../scan/index.js';
import { readLink, type LinkRecord } from './records.js';
import type { Sources } from './sources.js';

/**
 * All links of targets with findings, on disk, so that a report can list every link. The links of a target are stored until its rules are
 * checked. Then the links of its findings are sorted by finding, and the other links are dropped. A finding takes 8 bytes of memory.
 */
export type LinkStore = Awaited<ReturnType<typeof createLinkStore>>;

/** A link is smaller. */
const READ_BYTES = 2 ** 18;
const NUMBER_BYTES = 4;
const MAX_SOURCES_PER_LINK = 3;
/** Number of bytes before a link of the present target: its size, and the numbers of the sources to which it belongs; 0: none. */
const HEAD_BYTES = NUMBER_BYTES * (1 + MAX_SOURCES_PER_LINK);

/** @throws CrawlError STORE_FULL, BAD_OUTPUT; the methods of the store throw them too */
export async function createLinkStore(folder: string, memory: number) {
  const present = await createDiskFile(join(folder, 'links-present'));
  const kept = await createDiskFile(join(folder, 'links-kept'));
  const sorter = createRecordSorter({ folder, memory });
  const starts = growingArray(Float64Array);
  let count = 0;
  let record = Buffer.alloc(2 ** 12);
  /** The sources of the present target, numbered from 1 on. `wanted` has the sources whose links are kept. */
  const numbers = new Map<Sources, number>();
  const wanted = new Map<number, number>();

  const numberOf = (sources: Sources): number => {
    let number = numbers.get(sources);
    if (number === undefined) numbers.set(sources, (number = numbers.size + 1));
    return number;
  };

  async function sortLink(place: number, link: Buffer): Promise<void> {
    const sorted = Buffer.allocUnsafe(NUMBER_BYTES + link.length);
    sorted.writeUInt32BE(place);
    link.copy(sorted, NUMBER_BYTES);
    await sorter.add(sorted);
  }

  return {
    /** Adds a packed link of the present target, and up to three sources. If this returns a promise, await it before the next call. */
    add(link: Buffer, to: readonly Sources[]): Promise<void> | undefined {
      const size = HEAD_BYTES + link.length;
      if (size > record.length) record = Buffer.alloc(2 * size);
      record.writeUInt32LE(link.length);
      for (let i = 0; i < MAX_SOURCES_PER_LINK; i++) {
        const sources = to[i];
        record.writeUInt32LE(sources ? numberOf(sources) : 0, NUMBER_BYTES * (1 + i));
      }
      record.set(link, HEAD_BYTES);
      return present.append(record.subarray(0, size));
    },
    /** Stores the links of these sources of the present target. @returns a number, by which `read` reads these links */
    keep(sources: Sources): number {
      const number = numberOf(sources);
      let place = wanted.get(number);
      if (place === undefined) wanted.set(number, (place = count++));
      return place;
    },
    /** Call it when the rules for the present target are checked. */
    async endTarget(): Promise<void> {
      if (wanted.size > 0) {
        for await (const link of linksOf(present, 0, present.size, HEAD_BYTES)) {
          for (let i = 0; i < MAX_SOURCES_PER_LINK; i++) {
            const place = wanted.get(link.readUInt32LE(NUMBER_BYTES * (1 + i)));
            if (place !== undefined) await sortLink(place, link.subarray(HEAD_BYTES));
          }
        }
        wanted.clear();
      }
      numbers.clear();
      present.clear();
    },
    /** Call it once, after the last target and before the first read. */
    async end(): Promise<void> {
      const size = Buffer.alloc(NUMBER_BYTES);
      for await (const sorted of sorter.sorted()) {
        while (starts.length <= sorted.readUInt32BE()) starts.push(kept.size);
        size.writeUInt32LE(sorted.length - NUMBER_BYTES);
        await kept.append(size);
        await kept.append(sorted.subarray(NUMBER_BYTES));
      }
      while (starts.length <= count) starts.push(kept.size);
    },
    /** Yields stored links in the order of their sources. @param place a number that `keep` has returned */
    async *read(place: number): AsyncGenerator<LinkRecord> {
      const [from = 0, to = 0] = starts.values().subarray(place, place + 2);
      for await (const link of linksOf(kept, from, to, NUMBER_BYTES)) yield readLink(link.subarray(NUMBER_BYTES));
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await present[Symbol.asyncDispose]();
      await kept[Symbol.asyncDispose]();
    },
  };
}

/** Yields links, each after a head that begins with the size of the link. */
async function* linksOf(file: DiskFile, from: number, to: number, head: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to;) {
    const bytes = await file.read(at, Math.min(READ_BYTES, to - at));
    let next = 0;
    for (let end = head; end <= bytes.length; end = next + head) {
      end += bytes.readUInt32LE(next);
      if (end > bytes.length) break;
      yield bytes.subarray(next, end);
      next = end;
    }
    at += next;
  }
}
