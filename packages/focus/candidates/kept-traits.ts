import { hashOf } from '../../util/index.js';

/** Traits that are held one by one. */
const EXACT = 20_000;
/** 1 MiB. With a million traits one in thirty others is taken for one of them. */
const BITS = 2 ** 23;

/**
 * Traits of rows that are not to be cut, such as the names of their parameters. Whoever offers a rule that cuts all rows with a trait
 * asks here first, so that it cuts none of them. Memory is bounded: of very many traits a few others are taken for known ones,
 * but never one that is known for another.
 */
export interface KeptTraits {
  add(trait: string): void;
  /** Whether a row that is not to be cut has it, or may have it. */
  has(trait: string): boolean;
}

export function createKeptTraits(): KeptTraits {
  const exact = new Set<number>();
  let bits: Uint8Array | undefined;

  function places(hash: number): [number, number, number] {
    const low = hash % BITS;
    const step = (Math.floor(hash / BITS) % BITS) | 1;
    return [low, (low + step) % BITS, (low + 2 * step) % BITS];
  }
  function mark(into: Uint8Array, hash: number): void {
    for (const place of places(hash)) into[place >>> 3]! |= 1 << (place & 7);
  }

  return {
    add(trait) {
      const hash = hashOf(trait);
      if (!bits) {
        exact.add(hash);
        if (exact.size <= EXACT) return;
        bits = new Uint8Array(BITS / 8);
        for (const each of exact) mark(bits, each);
        exact.clear();
      } else mark(bits, hash);
    },
    has(trait) {
      const hash = hashOf(trait);
      if (!bits) return exact.has(hash);
      const from = bits;
      return places(hash).every((place) => (from[place >>> 3]! & (1 << (place & 7))) !== 0);
    },
  };
}
