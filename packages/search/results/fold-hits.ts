import type { IndexHit } from '../../index/index.js';
import { hostKeyOfRow } from '../../core/index.js';

export interface FoldedHit {
  readonly hit: IndexHit;
  /** Number of pages with nearly the same text. */
  readonly alike: number;
  /** Number of other pages of the same host. The number is set for the last shown hit of the host, and 0 for all other hits. */
  readonly moreFromHost: number;
}

/** Two pages have nearly the same text if their simhashes differ in at most this number of their 64 bits. */
const ALIKE_BITS = 3;
const MAX_SHOWN_PER_HOST = 2;

/**
 * Folds similar hits. Pages with nearly the same text are folded behind the best of them. Then, if a host has more than two pages, its
 * other pages are folded behind the second one. Hosts are folded only if at least `enough` hits remain. If fewer would remain, most
 * results are from a few hosts, and folding would hide them.
 */
export function foldHits(hits: readonly IndexHit[], enough: number): FoldedHit[] {
  const leaders: { hit: IndexHit; alike: number; bits: bigint | undefined }[] = [];
  for (const hit of hits) {
    const bits = /^[0-9a-f]{16}$/.test(hit.simhash) ? BigInt(`0x${hit.simhash}`) : undefined;
    const leader =
      bits === undefined
        ? undefined
        : leaders.find((other) => other.bits !== undefined && ones(other.bits ^ bits) <= ALIKE_BITS);
    if (leader) leader.alike += 1;
    else leaders.push({ hit, alike: 0, bits });
  }
  const plain = leaders.map(({ hit, alike }) => ({ hit, alike, moreFromHost: 0 }));
  const shown: { hit: IndexHit; alike: number; moreFromHost: number }[] = [];
  const byHost = new Map<string, (typeof shown)[number][]>();
  for (const each of plain) {
    const host = hostKeyOfRow(each.hit.key);
    const others = byHost.get(host) ?? [];
    byHost.set(host, others);
    if (others.length < MAX_SHOWN_PER_HOST) {
      const copy = { ...each };
      others.push(copy);
      shown.push(copy);
    } else others.at(-1)!.moreFromHost += 1;
  }
  return shown.length >= enough ? shown : plain;
}

function ones(bits: bigint): number {
  let count = 0;
  for (let rest = bits; rest !== 0n && count <= ALIKE_BITS; rest &= rest - 1n) count += 1;
  return count;
}
