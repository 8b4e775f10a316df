import { open, rm } from 'node:fs/promises';
import { makePrivateFolder } from '../private-folder.js';
import type { ContentLocation } from './content-store.js';
import { SEGMENT_SUFFIX, newSegmentName, segmentPath, type SegmentFile } from './segment-files.js';
import { warcinfoRecord } from './warc-record.js';

/** Creates a file; fails if it exists. */
export type CreateFile = (path: string) => Promise<SegmentFile>;

/** The default of {@link CreateFile}. */
export const createFile: CreateFile = (path) => open(path, 'wx', 0o600);

/** Where segments are written, and how large they may be. */
interface SegmentWriterOptions {
  readonly directory: string;
  /** Maximum bytes of a segment; one record may be longer. */
  readonly limit: number;
  readonly clock: () => number;
  readonly create: CreateFile;
  /** Makes the gzip member of a record. */
  readonly pack: (record: readonly Uint8Array[]) => Member | Promise<Member>;
}

/** A gzip member, as its parts in order. */
export type Member = readonly Uint8Array[];

interface Segment {
  readonly name: string;
  readonly file: SegmentFile;
  /** Bytes of the complete records in the segment. */
  size: number;
}

/**
 * Appends members to segments, one call after another. The first call begins a new segment, so the writer never appends to a segment that a
 * killed process left incomplete.
 */
export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  #segment: Segment | undefined;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
  }

  /** Writes the members and returns their locations. Await each call before the next one. */
  async write(members: readonly Member[]): Promise<ContentLocation[]> {
    const locations: ContentLocation[] = [];
    const lengths = members.map(lengthOf);
    for (let from = 0; from < members.length;) {
      if (this.#segment && this.#segment.size + lengths[from]! > this.#options.limit) await this.endSegment();
      const { name, size } = this.#segment ?? (await this.#begin());
      let end = size;
      let to = from;
      do {
        const length = lengths[to++]!;
        locations.push({ segment: name, offset: end, length });
        end += length;
      } while (to < members.length && end + lengths[to]! <= this.#options.limit);
      await this.#append(members.slice(from, to).flat());
      from = to;
    }
    return locations;
  }

  /** Closes the current segment; the next call begins another. */
  async endSegment(): Promise<void> {
    const segment = this.#segment;
    this.#segment = undefined;
    await segment?.file.close();
  }

  async #begin(): Promise<Segment> {
    const { directory, clock, create, pack } = this.#options;
    await makePrivateFolder(directory);
    const now = clock();
    const name = newSegmentName(now);
    const segment: Segment = { name, file: await create(segmentPath(directory, name)), size: 0 };
    this.#segment = segment;
    await this.#append(await pack([warcinfoRecord(name + SEGMENT_SUFFIX, now)]));
    return segment;
  }

  async #append(parts: readonly Uint8Array[]): Promise<void> {
    const segment = this.#segment!;
    let end = segment.size;
    try {
      for (let left = parts; left.length > 0;) {
        const { bytesWritten } = await segment.file.writev(left, end);
        end += bytesWritten;
        left = behind(left, bytesWritten);
      }
    } catch (error) {
      await this.#cutBack(segment);
      throw error;
    }
    segment.size = end;
  }

  /** Cuts off an incomplete member. If that fails too, the segment stays as it is. */
  async #cutBack(segment: Segment): Promise<void> {
    try {
      await segment.file.truncate(segment.size);
      if (segment.size > 0) return;
    } catch {
      // Readers ignore the bytes after the last complete record.
    }
    await this.endSegment().catch(() => undefined);
    if (segment.size === 0) await rm(segmentPath(this.#options.directory, segment.name), { force: true });
  }
}

function lengthOf(member: Member): number {
  return member.reduce((sum, part) => sum + part.length, 0);
}

/** Returns the parts without their first `bytes` bytes. */
function behind(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  return parts.flatMap((part) => {
    const done = Math.min(left, part.length);
    left -= done;
    return done === part.length ? [] : [part.subarray(done)];
  });
}
