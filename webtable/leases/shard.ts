import { CrawlError, safeText } from '../../packages/errors/index.js';
import type { Slots } from '../keys/partition.js';

/** A part of the queues: number `index` of `count`, from 0. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** All queues. */
export const WHOLE: Shard = { index: 0, count: 1 };

/** @param text `i/n`, with i from 0 to n - 1, such as `0/6` @throws CrawlError USAGE */
export function parseShard(text: string): Shard {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text.trim()) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (count !== undefined && shard.index < shard.count) return shard;
  throw new CrawlError('USAGE', `expected a shard i/n with i from 0 to n - 1, found "${safeText(text, 80)}"`, {
    hint: 'the first of six is 0/6, the last 5/6',
  });
}

export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** The slots of a shard, in their order. @throws CrawlError USAGE if there are more shards than slots */
export function slotsOfShard(slots: Slots, { index, count }: Shard): readonly string[] {
  const most = slots.all.length;
  if (count > most) {
    throw new CrawlError('USAGE', `expected at most ${most} shards, as many as the table has slots, found ${count}`, {
      hint: 'use fewer shards, or crawl into a table that is made with more slots (`webcrawl table create --slots`)',
    });
  }
  return slots.all.filter((_, i) => i % count === index);
}
