import { rm } from 'node:fs/promises';
import { CrawlError } from '../../packages/errors/index.js';
import { toCrawlError } from '../store-errors.js';
import type {
  Compaction,
  ContentLocation,
  ContentRecord,
  ContentStore,
  StoredContent,
  StoredRecord,
} from './content-store.js';
import { readDiscarded, writeDiscarded } from './discarded-bytes.js';
import { compress, decompress, decompressStart, isStored, memberLength, store } from './gzip-member.js';
import { createSegmentCompaction, type SegmentHead } from './segment-compaction.js';
import { listSegments, readParts, segmentPath, sizeOf } from './segment-files.js';
import { SegmentWriter, createFile, type CreateFile } from './segment-writer.js';
import { contentOf, readHeaders, readRecord } from './warc-reader.js';
import { warcRecordParts, type Referred } from './warc-record.js';

/** Of a {@link SegmentFolder}; only tests need others than the defaults. */
export interface SegmentFolderOptions {
  /** Bytes of a segment at the most, where a single record is not longer. Default: 1 GB. */
  readonly segmentBytes?: number;
  /** Discarded bytes below which it is not worth while to compact. Default: 16 MB. */
  readonly worthBytes?: number;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly create?: CreateFile;
}

const SEGMENT_BYTES = 1_000_000_000;
/** Bytes of a record that hold the headers, uncompressed or not. */
const HEADERS_WITHIN = 4096;
/** Discarded bytes that a kill may leave uncounted, and below which nothing is compacted by itself. */
const COUNT_EVERY = 16_000_000;

/**
 * Bodies in append-only segments in one folder: files in the format WARC 1.1, each record a gzip member, which every archive
 * tool reads where they lie. The members are compressed by a compaction only. Nothing is done before it is needed. Any process may read while one appends and compacts.
 */
export class SegmentFolder implements ContentStore {
  readonly #directory: string;
  readonly #options: Required<SegmentFolderOptions>;
  readonly #writer: SegmentWriter;
  /** For what a compaction copies. */
  readonly #copyWriter: SegmentWriter;
  /** Ends with the last append that was asked for. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  readonly #appends = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;
  #discarded = 0;

  constructor(directory: string, options: SegmentFolderOptions = {}) {
    this.#directory = directory;
    this.#options = {
      segmentBytes: SEGMENT_BYTES,
      worthBytes: COUNT_EVERY,
      clock: Date.now,
      create: createFile,
      ...options,
    };
    const { segmentBytes, clock, create } = this.#options;
    const shared = { directory, limit: segmentBytes, clock, create };
    this.#writer = new SegmentWriter({ ...shared, pack: store });
    this.#copyWriter = new SegmentWriter({ ...shared, pack: (parts) => compress(Buffer.concat(parts)) });
  }

  async append(records: readonly ContentRecord[]): Promise<ContentLocation[]> {
    this.#assertOpen();
    const append = this.#failing(async () => {
      const members = await Promise.all(records.map((record) => this.#member(record)));
      const locations = await this.#alone(() => this.#writer.write(members));
      // No row ever points at these.
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
    return Promise.all(
      members.map(async (member) => {
        const bytes = member && (await decompress(member));
        const record = bytes && readRecord(bytes);
        return record && (isStored(member) ? record : { ...record, member });
      }),
    );
  }

  async has({ segment, offset, length }: ContentLocation): Promise<boolean> {
    this.#assertOpen();
    return this.#failing(async () => offset + length <= ((await sizeOf(segmentPath(this.#directory, segment))) ?? 0));
  }

  async discard(locations: readonly ContentLocation[]): Promise<void> {
    for (const { length } of locations) this.#discarded += length;
    if (this.#discarded >= COUNT_EVERY) await this.#countDiscarded();
  }

  async isMostlyDead(): Promise<boolean> {
    return this.#failing(async () => {
      await this.#countDiscarded();
      const sizes = await listSegments(this.#directory);
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      const discarded = await readDiscarded(this.#directory);
      return discarded >= this.#options.worthBytes && discarded > total / 2;
    });
  }

  async compaction(): Promise<Compaction> {
    this.#assertOpen();
    return this.#failing(async () => {
      // What is appended from here on goes to segments that the compaction does not know.
      await this.#endSegments();
      return createSegmentCompaction(await listSegments(this.#directory), this.#options.segmentBytes, {
        read: (locations) => this.#members(locations),
        write: (members) => this.#failing(() => this.#alone(() => this.#copyWriter.write(members))),
        head: (segment) => this.#failing(() => this.#head(segment)),
        remove: (segments) => this.#failing(() => this.#remove(segments)),
      });
    });
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#appends);
    await this.#lastWrite;
    await this.#failing(async () => {
      await this.#endSegments();
      await this.#countDiscarded();
    });
  }

  async #member(record: ContentRecord): Promise<Buffer> {
    return store(
      warcRecordParts(record, record.kind === 'revisit' ? await this.#referred(record.refersTo) : undefined),
    );
  }

  /** What a revisit says of an earlier record; undefined where that cannot be read. */
  async #referred({ segment, offset, length }: ContentLocation): Promise<Referred | undefined> {
    const start = { segment, offset, length: Math.min(length, HEADERS_WITHIN) };
    const [member] = await this.#members([start]);
    const bytes = member && decompressStart(member);
    const headers = bytes && readHeaders(bytes)?.headers;
    const id = headers?.get('warc-record-id');
    const date = headers?.get('warc-date');
    if (id === undefined || date === undefined) return undefined;
    return { id, date, payloadDigest: headers?.get('warc-payload-digest') };
  }

  /** Records as they are stored, read segment by segment. */
  async #members(locations: readonly ContentLocation[]): Promise<(Uint8Array | undefined)[]> {
    this.#assertOpen();
    const segments = [...new Set(locations.map(({ segment }) => segment))];
    const members = new Map<ContentLocation, Uint8Array | undefined>();
    await this.#failing(() =>
      Promise.all(
        segments.map(async (segment) => {
          const parts = locations.filter((location) => location.segment === segment);
          const read = await readParts(segmentPath(this.#directory, segment), parts);
          for (const [i, part] of parts.entries()) members.set(part, read[i]);
        }),
      ),
    );
    return locations.map((location) => members.get(location));
  }

  async #endSegments(): Promise<void> {
    await this.#alone(async () => {
      await this.#writer.endSegment();
      await this.#copyWriter.endSegment();
    });
  }

  async #head(segment: string): Promise<SegmentHead> {
    const path = segmentPath(this.#directory, segment);
    const length = Math.min(HEADERS_WITHIN, (await sizeOf(path)) ?? 0);
    const [start] = await readParts(path, [{ offset: 0, length }]);
    return { bytes: (start && memberLength(start)) ?? 0, isStored: start !== undefined && isStored(start) };
  }

  async #remove(segments: Iterable<string>): Promise<void> {
    for (const segment of segments) await rm(segmentPath(this.#directory, segment), { force: true });
    this.#discarded = 0;
    await writeDiscarded(this.#directory, 0);
  }

  #alone<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#lastWrite.then(task);
    this.#lastWrite = run.catch(() => undefined);
    return run;
  }

  async #countDiscarded(): Promise<void> {
    const bytes = this.#discarded;
    if (bytes === 0) return;
    this.#discarded = 0;
    await writeDiscarded(this.#directory, (await readDiscarded(this.#directory)) + bytes);
  }

  async #failing<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw toCrawlError(error, this.#directory);
    }
  }

  #assertOpen(): void {
    if (this.#closing) throw new CrawlError('CLOSED', 'expected an open content store, found it closed');
  }
}
