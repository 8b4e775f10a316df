import { open, rm } from 'node:fs/promises';
import { makePrivateFolder } from '../private-folder.js';
import type { ContentLocation } from './content-store.js';
import { SEGMENT_SUFFIX, newSegmentName, segmentPath, type SegmentFile } from './segment-files.js';
import { warcinfoRecord } from './warc-record.js';

/** Opens a file that must not be there yet. */
export type CreateFile = (path: string) => Promise<SegmentFile>;

/** The default of {@link CreateFile}. */
export const createFile: CreateFile = (path) => open(path, 'wx', 0o600);

/** Where segments go, and how large they may be. */
export interface SegmentWriterOptions {
  readonly directory: string;
  /** Bytes; a single record may be longer. */
  readonly limit: number;
  readonly clock: () => number;
  readonly create: CreateFile;
  /** Makes the member of a record. */
  readonly pack: (parts: readonly Uint8Array[]) => Uint8Array | Promise<Uint8Array>;
}

interface Segment {
  readonly name: string;
  readonly file: SegmentFile;
  /** Bytes of whole records. */
  size: number;
}

/**
 * Appends members to segments, one call after another. It begins a segment of its own with its first call, so what a process
 * that was killed has left half written is never appended to.
 */
export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  #segment: Segment | undefined;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
  }

  /** Writes the members and says where they are. No other call may run meanwhile. */
  async write(members: readonly Uint8Array[]): Promise<ContentLocation[]> {
    const locations: ContentLocation[] = [];
    for (let from = 0; from < members.length;) {
      if (this.#segment && this.#segment.size + members[from]!.length > this.#options.limit) await this.endSegment();
      const { name, size } = this.#segment ?? (await this.#begin());
      let end = size;
      let to = from;
      do {
        const { length } = members[to++]!;
        locations.push({ segment: name, offset: end, length });
        end += length;
      } while (to < members.length && end + members[to]!.length <= this.#options.limit);
      await this.#append(members.slice(from, to));
      from = to;
    }
    return locations;
  }

  /** Closes the segment at hand; the next call begins another. */
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
    await this.#append([await pack([warcinfoRecord(name + SEGMENT_SUFFIX, now)])]);
    return segment;
  }

  async #append(members: readonly Uint8Array[]): Promise<void> {
    const segment = this.#segment!;
    let end = segment.size;
    try {
      for (let left = members; left.length > 0;) {
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

  /** Takes away what was half written, and where that fails too, leaves the segment as it is. */
  async #cutBack(segment: Segment): Promise<void> {
    try {
      await segment.file.truncate(segment.size);
      if (segment.size > 0) return;
    } catch {
      // A reader ignores what follows the last whole record.
    }
    await this.endSegment().catch(() => undefined);
    if (segment.size === 0) await rm(segmentPath(this.#options.directory, segment.name), { force: true });
  }
}

/** What of these parts lies behind their first bytes. */
function behind(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  return parts.flatMap((part) => {
    const done = Math.min(left, part.length);
    left -= done;
    return done === part.length ? [] : [part.subarray(done)];
  });
}
