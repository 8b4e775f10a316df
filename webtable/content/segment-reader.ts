import { read } from 'node:fs';
import { promisify } from 'node:util';
import type { ContentLocation } from './content-store.js';
import { decompressStart, isStored, memberLength } from './gzip-member.js';
import type { SegmentHead } from './segment-compaction.js';
import { openSegment, segmentPath, sizeOf, type OpenSegment } from './segment-files.js';
import { readHeaders } from './warc-reader.js';
import type { Referred } from './warc-record.js';

/** Bytes to read at the start of a record, so that the headers are complete, compressed or not. */
const HEADERS_WITHIN = 4096;

/** Members are read together if at most this number of bytes lies between them. It takes less time to read these bytes than to read again. */
const MAX_GAP = 65_536;
/** Maximum bytes that are read together, if these are several members. */
const MAX_RUN = 1_048_576;
/** Maximum number of reads at a time. Each may be of another file. */
const MAX_READS = 128;

/** The method of FileHandle takes half as long again. */
const readAt = promisify(read);

/** Members of a segment that are read together. */
interface Run {
  readonly segment: string;
  readonly start: number;
  end: number;
  /** The indexes of their locations. */
  readonly members: number[];
}

/**
 * Reads members, in the order in which they are stored. A member that is missing or not completely in its segment is undefined.
 * @param allocate returns memory for the given number of bytes. The members are views of it.
 */
export async function readMembers(
  directory: string,
  locations: readonly ContentLocation[],
  allocate: (bytes: number) => Buffer = Buffer.allocUnsafeSlow,
): Promise<(Uint8Array | undefined)[]> {
  const members: (Uint8Array | undefined)[] = locations.map(() => undefined);
  const open: OpenSegments = new Map();
  const runs = runsOf(locations);
  try {
    for (let from = 0; from < runs.length; from += MAX_READS) {
      const together = runs.slice(from, from + MAX_READS);
      await openOnly(new Set(together.map(({ segment }) => segment)), open, directory);
      await settled(
        together.map(async ({ segment, start, members: indexes }) => {
          const found = open.get(segment);
          if (!found) return;
          const ends = indexes.map((i) => endOf(locations[i]!)).filter((end) => end <= found.size);
          const bytes = await fill(allocate(Math.max(start, ...ends) - start), found, start);
          for (const i of indexes) {
            const { offset, length } = locations[i]!;
            const from = offset - start;
            if (from + length <= bytes.length) members[i] = bytes.subarray(from, from + length);
          }
        }),
      );
    }
  } finally {
    await openOnly(new Set(), open, directory);
  }
  return members;
}

function runsOf(locations: readonly ContentLocation[]): Run[] {
  const order = [...locations.keys()].sort((a, b) => {
    const [left, right] = [locations[a]!, locations[b]!];
    if (left.segment !== right.segment) return left.segment < right.segment ? -1 : 1;
    return left.offset - right.offset;
  });
  const runs: Run[] = [];
  for (const i of order) {
    const { segment, offset } = locations[i]!;
    const end = endOf(locations[i]!);
    const run = runs.at(-1);
    const isNear = run?.segment === segment && offset - run.end <= MAX_GAP && end - run.start <= MAX_RUN;
    if (isNear) {
      run.end = Math.max(run.end, end);
      run.members.push(i);
    } else runs.push({ segment, start: offset, end, members: [i] });
  }
  return runs;
}

function endOf({ offset, length }: ContentLocation): number {
  return offset + length;
}

/** Open segments by name; undefined for a segment that is missing. */
type OpenSegments = Map<string, OpenSegment | undefined>;

/** Opens these segments, unless they are open, and closes all others. */
async function openOnly(segments: ReadonlySet<string>, open: OpenSegments, directory: string): Promise<void> {
  for (const [segment, found] of open) {
    if (segments.has(segment)) continue;
    open.delete(segment);
    await found?.file.close();
  }
  const missing = [...segments].filter((segment) => !open.has(segment));
  await settled(missing.map(async (segment) => void open.set(segment, await openSegment(directory, segment))));
}

/** Reads into `bytes` from a position on. Returns the bytes up to the end of the file. */
async function fill(bytes: Buffer, { file }: OpenSegment, position: number): Promise<Buffer> {
  let at = 0;
  while (at < bytes.length) {
    const { bytesRead } = await readAt(file.fd, bytes, at, bytes.length - at, position + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** Like Promise.all, but waits for all promises also if one of them rejects, so that nothing reads from a closed file. */
async function settled(promises: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(promises);
  await Promise.all(promises);
}

/** Reads the data of earlier records to which new records refer; undefined for an earlier record that cannot be read. */
export async function readReferred(
  directory: string,
  locations: readonly ContentLocation[],
): Promise<(Referred | undefined)[]> {
  const starts = locations.map(({ length, ...place }) => ({ ...place, length: Math.min(length, HEADERS_WITHIN) }));
  return (await readMembers(directory, starts)).map(referredIn);
}

function referredIn(member: Uint8Array | undefined): Referred | undefined {
  const bytes = member && decompressStart(member);
  const headers = bytes && readHeaders(bytes);
  const id = headers?.get('warc-record-id');
  const date = headers?.get('warc-date');
  if (id === undefined || date === undefined) return undefined;
  return { id, date, payloadDigest: headers?.get('warc-payload-digest') };
}

/** The record at the start of a segment. */
export async function readSegmentHead(directory: string, segment: string): Promise<SegmentHead> {
  const length = Math.min(HEADERS_WITHIN, (await sizeOf(segmentPath(directory, segment))) ?? 0);
  const [start] = await readMembers(directory, [{ segment, offset: 0, length }]);
  return { bytes: (start && memberLength(start)) ?? 0, isStored: start !== undefined && isStored(start) };
}
