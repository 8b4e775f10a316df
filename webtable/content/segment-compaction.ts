import type { Compaction, ContentLocation } from './content-store.js';
import { decompress } from './gzip-member.js';
import { readRecord } from './warc-reader.js';

/** What a compaction does with the folder. */
export interface SegmentAccess {
  /** Records as they are stored; undefined where one is not there whole. */
  read(locations: readonly ContentLocation[]): Promise<(Uint8Array | undefined)[]>;
  write(members: readonly Uint8Array[]): Promise<ContentLocation[]>;
  /** Bytes of the record at the head of a segment, which no row points at. */
  headBytes(segment: string): Promise<number>;
  remove(segments: Iterable<string>): Promise<void>;
}

/** A segment smaller than this part of the limit is copied together with others as small. */
const SMALL = 1 / 4;
/** Bytes of records that are copied together. */
const GROUP_BYTES = 4_000_000;

/**
 * Copies the records that rows point at out of the segments that hold others too, and out of small ones, and removes these
 * segments. Records are copied as they are, in order of their rows. It knows only the segments that were there when it began.
 */
export class SegmentCompaction implements Compaction {
  readonly #segments: ReadonlyMap<string, number>;
  readonly #limit: number;
  readonly #access: SegmentAccess;
  readonly #live = new Map<string, number>();
  #old: ReadonlySet<string> = new Set();

  /** @param segments with their sizes in bytes */
  constructor(segments: ReadonlyMap<string, number>, limit: number, access: SegmentAccess) {
    this.#segments = segments;
    this.#limit = limit;
    this.#access = access;
  }

  note(locations: readonly ContentLocation[]): void {
    for (const { segment, length } of locations) {
      if (this.#segments.has(segment)) this.#live.set(segment, (this.#live.get(segment) ?? 0) + length);
    }
  }

  async begin(): Promise<boolean> {
    const old = new Set<string>();
    const small: string[] = [];
    for (const [name, size] of this.#segments) {
      const live = this.#live.get(name) ?? 0;
      if (live === 0 || size - live > (await this.#access.headBytes(name))) old.add(name);
      else if (size < this.#limit * SMALL) small.push(name);
    }
    if (small.length + old.size > 1) for (const name of small) old.add(name);
    this.#old = old;
    return old.size > 0;
  }

  async move(locations: readonly ContentLocation[]): Promise<(ContentLocation | undefined)[]> {
    const places: (ContentLocation | undefined)[] = [...locations];
    const moving = [...locations.keys()].filter((i) => this.#old.has(locations[i]!.segment));
    for (let from = 0; from < moving.length;) {
      const group: number[] = [];
      let bytes = 0;
      while (from < moving.length && (group.length === 0 || bytes + locations[moving[from]!]!.length <= GROUP_BYTES)) {
        bytes += locations[moving[from]!]!.length;
        group.push(moving[from++]!);
      }
      const members = await this.#access.read(group.map((i) => locations[i]!));
      const whole: number[] = [];
      for (const [n, i] of group.entries()) {
        if (await isWhole(members[n])) whole.push(n);
        else places[i] = undefined;
      }
      const copies = await this.#access.write(whole.map((n) => members[n]!));
      for (const [k, n] of whole.entries()) places[group[n]!] = copies[k];
    }
    return places;
  }

  async finish(): Promise<{ segments: number; bytes: number }> {
    let bytes = 0;
    for (const name of this.#old) bytes += this.#segments.get(name)! - (this.#live.get(name) ?? 0);
    await this.#access.remove(this.#old);
    return { segments: this.#old.size, bytes };
  }
}

async function isWhole(member: Uint8Array | undefined): Promise<boolean> {
  const bytes = member && (await decompress(member));
  return bytes !== undefined && readRecord(bytes) !== undefined;
}
