import type { IndexHit } from '../../index/index.js';
import { hostKeyOfRow } from '../../../webtable/index.js';

/** A hit that is shown, and how many are folded behind it. */
export interface FoldedHit {
  readonly hit: IndexHit;
  /** Pages with nearly the same text. */
  readonly alike: number;
  /** Further pages of its host, said at the last of the host that is shown. */
  readonly moreFromHost: number;
}

/** Bits of 64 in which simhashes of pages with nearly the same text differ at the most. */
const ALIKE_BITS = 3;
/** Pages of a host that are shown. */
const OF_HOST = 2;

/**
 * Folds what a list of hits says twice: pages with nearly the same text behind the best of them, then what is more than
 * two of a host behind its second. Hosts are folded only where at least `enough` hits remain: else the pages of one or a
 * few hosts are all there is to show.
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
    if (others.length < OF_HOST) {
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
