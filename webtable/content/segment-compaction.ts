import type { Compaction, ContentLocation } from './content-store.js';
import { compress, decompress, isStored } from './gzip-member.js';
import { readRecord } from './warc-reader.js';

/** The record at the start of a segment. No row points at it. */
export interface SegmentHead {
  readonly bytes: number;
  /** Whether the bodies of the segment are stored without compression. Texts always are. */
  readonly isStored: boolean;
}

/** The operations on the content folder that a compaction uses. */
interface SegmentAccess {
  /** Reads the stored bytes of records. A record that is missing or incomplete is undefined. */
  read(locations: readonly ContentLocation[]): Promise<(Uint8Array | undefined)[]>;
  write(members: readonly Uint8Array[]): Promise<ContentLocation[]>;
  head(segment: string): Promise<SegmentHead>;
  remove(segments: Iterable<string>): Promise<void>;
}

/** A segment is small below this fraction of the size limit. Small segments are merged. */
const SMALL = 1 / 4;
/** Bytes of the records that are copied in one group. */
const GROUP_BYTES = 4_000_000;

/**
 * Copies referenced records to new segments, then removes the old segments. A segment is copied if it is small, is not compressed, or also
 * holds unreferenced records. Copies of bodies are compressed, and all are in order of their rows. Segments that appear after the start stay
 * unchanged.
 * @param segments with their sizes in bytes
 */
export function createSegmentCompaction(
  segments: ReadonlyMap<string, number>,
  limit: number,
  access: SegmentAccess,
): Compaction {
  const liveBytes = new Map<string, number>();
  const old = new Set<string>();
  /** Bytes of the copies that were written. */
  let written = 0;

  return {
    note(locations) {
      for (const { segment, length } of locations) {
        if (segments.has(segment)) liveBytes.set(segment, (liveBytes.get(segment) ?? 0) + length);
      }
    },

    async begin() {
      const small: string[] = [];
      for (const [name, size] of segments) {
        const live = liveBytes.get(name) ?? 0;
        const head = await access.head(name);
        if (live === 0 || head.isStored || size - live > head.bytes) old.add(name);
        else if (size < limit * SMALL) small.push(name);
      }
      if (small.length + old.size > 1) for (const name of small) old.add(name);
      return old.size > 0;
    },

    async move(locations) {
      const places: (ContentLocation | undefined)[] = [...locations];
      const moving = [...locations.keys()].filter((i) => old.has(locations[i]!.segment));
      for (let from = 0; from < moving.length;) {
        const group: number[] = [];
        let bytes = 0;
        while (
          from < moving.length &&
          (group.length === 0 || bytes + locations[moving[from]!]!.length <= GROUP_BYTES)
        ) {
          bytes += locations[moving[from]!]!.length;
          group.push(moving[from++]!);
        }
        const members = await access.read(group.map((i) => locations[i]!));
        const packed = await Promise.all(members.map(pack));
        const copies = await access.write(packed.filter((member) => member !== undefined));
        written += copies.reduce((sum, { length }) => sum + length, 0);
        let next = 0;
        for (const [n, i] of group.entries()) places[i] = packed[n] && copies[next++];
      }
      return places;
    },

    async finish() {
      const bytes = [...old].reduce((sum, name) => sum + segments.get(name)!, 0);
      await access.remove(old);
      return { segments: old.size, bytes: Math.max(0, bytes - written) };
    },
  };
}

/**
 * Compresses a stored member; returns undefined if the member is incomplete. A metadata record stays as it is, because exports and indexes
 * read it for each row.
 */
async function pack(member: Uint8Array | undefined): Promise<Uint8Array | undefined> {
  const bytes = member && (await decompress(member));
  const record = bytes && readRecord(bytes);
  if (!record) return undefined;
  return isStored(member) && record.headers.get('warc-type') !== 'metadata' ? compress(bytes) : member;
}
