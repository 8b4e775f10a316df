import { hashOf } from '../../util/index.js';

const MAX_EXACT_TRAITS = 20_000;
/**
 * Number of bits that store the traits if there are more than {@link MAX_EXACT_TRAITS}: 1 MiB. With a million traits, `has` returns true
 * for one in thirty traits that were never added.
 */
const BITS = 2 ** 23;

/**
 * Traits of rows that must not be rejected, such as the names of their parameters. Before a finder proposes to reject all rows with a
 * trait, it checks here that no such row has this trait. Memory is bounded. With very many traits, `has` may return true for a trait that
 * was never added, but it never returns false for an added trait.
 */
export function createKeptTraits() {
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
    add(trait: string): void {
      const hash = hashOf(trait);
      if (!bits) {
        exact.add(hash);
        if (exact.size <= MAX_EXACT_TRAITS) return;
        bits = new Uint8Array(BITS / 8);
        for (const each of exact) mark(bits, each);
        exact.clear();
      } else mark(bits, hash);
    },
    /** Whether a row that must not be rejected has this trait. With very many traits, the result may be true for another trait too. */
    has(trait: string): boolean {
      const hash = hashOf(trait);
      if (!bits) return exact.has(hash);
      const from = bits;
      return places(hash).every((place) => (from[place >>> 3]! & (1 << (place & 7))) !== 0);
    },
  };
}
