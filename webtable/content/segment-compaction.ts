import type { Compaction, ContentLocation } from './content-store.js';
import { compress, decompress, isStored } from './gzip-member.js';
import { readRecord } from './warc-reader.js';

/** The record at the head of a segment, which no row points at. */
export interface SegmentHead {
  readonly bytes: number;
  /** It is not compressed, and so are the others. */
  readonly isStored: boolean;
}

/** What a compaction does with the folder. */
export interface SegmentAccess {
  /** Records as they are stored; undefined where one is not there whole. */
  read(locations: readonly ContentLocation[]): Promise<(Uint8Array | undefined)[]>;
  write(members: readonly Uint8Array[]): Promise<ContentLocation[]>;
  head(segment: string): Promise<SegmentHead>;
  remove(segments: Iterable<string>): Promise<void>;
}

/** A segment smaller than this part of the limit is copied together with others as small. */
const SMALL = 1 / 4;
/** Bytes of records that are copied together. */
const GROUP_BYTES = 4_000_000;

/**
 * Copies the records that rows point at out of the segments that hold others too, that are not compressed, and that are
 * small, and removes these segments. Records are compressed, and in order of their rows. It knows only the segments that were
 * there when it began.
 * @param segments with their sizes in bytes
 */
export function createSegmentCompaction(
  segments: ReadonlyMap<string, number>,
  limit: number,
  access: SegmentAccess,
): Compaction {
  const liveBytes = new Map<string, number>();
  const old = new Set<string>();
  /** Bytes of the copies. */
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

/** The member compressed; undefined where it is not whole. */
async function pack(member: Uint8Array | undefined): Promise<Uint8Array | undefined> {
  const bytes = member && (await decompress(member));
  if (!bytes || !readRecord(bytes)) return undefined;
  return isStored(member) ? compress(bytes) : member;
}
