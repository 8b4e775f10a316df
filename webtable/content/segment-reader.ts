import type { ContentLocation } from './content-store.js';
import { decompressStart, isStored, memberLength } from './gzip-member.js';
import type { SegmentHead } from './segment-compaction.js';
import { readParts, segmentPath, sizeOf } from './segment-files.js';
import { readHeaders } from './warc-reader.js';
import type { Referred } from './warc-record.js';

/** Bytes to read at the start of a record, so that the headers are complete, compressed or not. */
const HEADERS_WITHIN = 4096;

/** Reads stored records, segment by segment. A record that is missing or incomplete is undefined. */
export async function readMembers(
  directory: string,
  locations: readonly ContentLocation[],
): Promise<(Uint8Array | undefined)[]> {
  const segments = [...new Set(locations.map(({ segment }) => segment))];
  const members = new Map<ContentLocation, Uint8Array | undefined>();
  await Promise.all(
    segments.map(async (segment) => {
      const parts = locations.filter((location) => location.segment === segment);
      const read = await readParts(segmentPath(directory, segment), parts);
      for (const [i, part] of parts.entries()) members.set(part, read[i]);
    }),
  );
  return locations.map((location) => members.get(location));
}

/** Reads the data of the earlier record that a revisit repeats; undefined if the earlier record cannot be read. */
export async function readReferred(
  directory: string,
  { segment, offset, length }: ContentLocation,
): Promise<Referred | undefined> {
  const start = { segment, offset, length: Math.min(length, HEADERS_WITHIN) };
  const [member] = await readMembers(directory, [start]);
  const bytes = member && decompressStart(member);
  const headers = bytes && readHeaders(bytes)?.headers;
  const id = headers?.get('warc-record-id');
  const date = headers?.get('warc-date');
  if (id === undefined || date === undefined) return undefined;
  return { id, date, payloadDigest: headers?.get('warc-payload-digest') };
}

/** The record at the start of a segment. */
export async function readSegmentHead(directory: string, segment: string): Promise<SegmentHead> {
  const path = segmentPath(directory, segment);
  const length = Math.min(HEADERS_WITHIN, (await sizeOf(path)) ?? 0);
  const [start] = await readParts(path, [{ offset: 0, length }]);
  return { bytes: (start && memberLength(start)) ?? 0, isStored: start !== undefined && isStored(start) };
}
