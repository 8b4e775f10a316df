import { mkdir, rm } from 'node:fs/promises';
import { CrawlError } from '../../packages/errors/index.js';
import { createOneByOne } from '../../packages/util/index.js';
import { linkFile } from '../link-file.js';
import { toCrawlError } from '../store-errors.js';
import type {
  Compaction,
  ContentLocation,
  ContentRecord,
  ContentStore,
  StoredContent,
  StoredRecord,
} from './content-store.js';
import { createDiscardedBytes } from './discarded-bytes.js';
import { compress, decompress, isStored, store } from './gzip-member.js';
import { createSegmentCompaction } from './segment-compaction.js';
import { listSegments, segmentPath, sizeOf } from './segment-files.js';
import { readMembers, readReferred, readSegmentHead } from './segment-reader.js';
import { SegmentWriter, createFile, type CreateFile, type Member } from './segment-writer.js';
import { contentOf, readRecord } from './warc-reader.js';
import { newRecordId, warcRecordParts } from './warc-record.js';

/** Options of a {@link SegmentFolder}. Only tests change the defaults. */
export interface SegmentFolderOptions {
  /** Maximum number of bytes in a segment; a longer record gets a segment of its own. Default: 1 GB. */
  readonly segmentBytes?: number;
  /** Minimum number of discarded bytes for a compaction. Default: 16 MB. */
  readonly worthBytes?: number;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly create?: CreateFile;
}

const DEFAULTS = { segmentBytes: 1_000_000_000, worthBytes: 16_000_000, clock: Date.now, create: createFile };

/**
 * Stores bodies in append-only segments in one folder. Segments are files in the format WARC 1.1, and each record is a gzip member, so
 * every archive tool can read the files in place. Only a compaction compresses the members. A file is opened when it is first used. Other
 * processes may read while one process appends and compacts.
 */
export class SegmentFolder implements ContentStore {
  readonly #directory: string;
  readonly #options: Required<SegmentFolderOptions>;
  readonly #writer: SegmentWriter;
  /** Writes the copies of a compaction. */
  readonly #copyWriter: SegmentWriter;
  readonly #oneByOne = createOneByOne();
  readonly #appends = new Set<Promise<unknown>>();
  readonly #discarded: ReturnType<typeof createDiscardedBytes>;
  readonly #memories: ReadMemory[] = [];
  #closing: Promise<void> | undefined;

  constructor(directory: string, options: SegmentFolderOptions = {}) {
    this.#directory = directory;
    this.#discarded = createDiscardedBytes(directory);
    this.#options = { ...DEFAULTS, ...options };
    const { segmentBytes, clock, create } = this.#options;
    const shared = { directory, limit: segmentBytes, clock, create };
    this.#writer = new SegmentWriter({ ...shared, pack: store });
    this.#copyWriter = new SegmentWriter({
      ...shared,
      pack: async (record) => [await compress(Buffer.concat(record))],
    });
  }

  async append(records: readonly ContentRecord[]): Promise<ContentLocation[]> {
    this.#assertOpen();
    const append = this.#failing(async () => {
      const members = await membersOf(records, this.#directory);
      const locations = await this.#oneByOne(() => this.#writer.write(members));
      // Revisits are discarded at once, because no row ever points at them.
      await this.discard(locations.filter((_, i) => records[i]!.kind === 'revisit'));
      return locations;
    });
    this.#appends.add(append);
    return append.finally(() => this.#appends.delete(append));
  }

  async read(locations: readonly ContentLocation[]): Promise<(StoredContent | undefined)[]> {
    return (await this.records(locations)).map((record) => record && contentOf(record));
  }

  async records(locations: readonly ContentLocation[]): Promise<(StoredRecord | undefined)[]> {
    const members = await this.#members(locations);
    return Promise.all(members.map(async (member) => recordOf(member, member && (await decompress(member)))));
  }

  async *stream(locations: readonly ContentLocation[]): AsyncGenerator<StoredRecord | undefined, undefined> {
    const memory = this.#memories.pop() ?? new ReadMemory();
    try {
      for (const member of await this.#members(locations, memory.allocate)) {
        const bytes = member && decompress(member);
        yield recordOf(member, bytes instanceof Promise ? await bytes : bytes);
      }
    } finally {
      memory.clear();
      this.#memories.push(memory);
    }
    return undefined;
  }

  async has({ segment, offset, length }: ContentLocation): Promise<boolean> {
    this.#assertOpen();
    return this.#failing(async () => offset + length <= ((await sizeOf(segmentPath(this.#directory, segment))) ?? 0));
  }

  async discard(locations: readonly ContentLocation[]): Promise<void> {
    let bytes = 0;
    for (const { length } of locations) bytes += length;
    await this.#discarded.add(bytes);
  }

  async isMostlyDead(): Promise<boolean> {
    return this.#failing(async () => {
      const sizes = await listSegments(this.#directory);
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      const discarded = await this.#discarded.total();
      return discarded >= this.#options.worthBytes && discarded > total / 2;
    });
  }

  async compaction(): Promise<Compaction> {
    this.#assertOpen();
    return this.#failing(async () => {
      // Records that are appended from now on go to new segments, which the compaction leaves unchanged.
      await this.#endSegments();
      return createSegmentCompaction(await listSegments(this.#directory), this.#options.segmentBytes, {
        read: (locations) => this.#members(locations),
        write: (members) =>
          this.#failing(() => this.#oneByOne(() => this.#copyWriter.write(members.map((member) => [member])))),
        head: (segment) => this.#failing(() => readSegmentHead(this.#directory, segment)),
        remove: (segments) =>
          this.#failing(async () => {
            for (const segment of segments) await rm(segmentPath(this.#directory, segment), { force: true });
            await this.#discarded.reset();
          }),
      });
    });
  }

  async stage(folder: string): Promise<void> {
    this.#assertOpen();
    await this.#failing(() =>
      this.#oneByOne(async () => {
        // Records that are appended later go to new segments.
        await this.#endWriters();
        await mkdir(folder, { mode: 0o700 });
        for (const name of (await listSegments(this.#directory)).keys()) {
          // The file may be missing: a compaction removes a segment only when no row needs it.
          await linkFile(segmentPath(this.#directory, name), segmentPath(folder, name));
        }
      }),
    );
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#appends);
    await this.#failing(async () => {
      await this.#endSegments();
      await this.#discarded.count();
    });
  }

  async #members(
    locations: readonly ContentLocation[],
    allocate?: (bytes: number) => Buffer,
  ): Promise<(Uint8Array | undefined)[]> {
    this.#assertOpen();
    return this.#failing(() => readMembers(this.#directory, locations, allocate));
  }

  async #endSegments(): Promise<void> {
    await this.#oneByOne(() => this.#endWriters());
  }

  async #endWriters(): Promise<void> {
    await this.#writer.endSegment();
    await this.#copyWriter.endSegment();
  }

  async #failing<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw toCrawlError(error, this.#directory);
    }
  }

  #assertOpen(): void {
    if (this.#closing) throw new CrawlError('CLOSED', 'the content store is closed');
  }
}

/** Memory for reads, which is used again: new memory would cost as much as the read itself. A read that does not fit gets new memory. */
class ReadMemory {
  readonly #bytes = Buffer.allocUnsafeSlow(4_194_304);
  #used = 0;

  readonly allocate = (bytes: number): Buffer => {
    const start = this.#used;
    if (start + bytes > this.#bytes.length) return Buffer.allocUnsafeSlow(bytes);
    return this.#bytes.subarray(start, (this.#used += bytes));
  };

  clear(): void {
    this.#used = 0;
  }
}

/** @param bytes the decompressed member */
function recordOf(member: Uint8Array | undefined, bytes: Uint8Array | undefined): StoredRecord | undefined {
  const record = bytes && readRecord(bytes);
  return record && member && !isStored(member) ? { ...record, member } : record;
}

async function membersOf(records: readonly ContentRecord[], directory: string): Promise<Member[]> {
  const places = records.map((record) => (record.kind === 'response' ? undefined : record.refersTo));
  const stored = places.filter((place) => typeof place === 'object');
  const read = stored.length > 0 ? await readReferred(directory, stored) : [];
  const ids = records.map(newRecordId);
  let next = 0;
  return records.map((record, i) => {
    const place = places[i];
    const referred = typeof place === 'number' ? { id: ids[place]! } : place && read[next++];
    return store(warcRecordParts(record, referred, ids[i]));
  });
}
