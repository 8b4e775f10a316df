/**
 * A number from 0 to 2 ** 53 - 1 for a text, always the same: two rounds of multiplying and shifting beside each other. It is quick, and
 * no secret; who makes texts with the same number harms what is said of his own pages.
 */
export function hashOf(text: string): number {
  let high = 0x3c6ef372;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

/**
 * Of all texts some, chosen by their hash: a text is in it wherever it comes, so that shares among those that are in it are those among
 * all. It begins with all texts; each time that too much is kept, half of them go.
 */
export interface Sample {
  /** One in so many is in it. */
  readonly one: number;
  has(hash: number): boolean;
  /** Half of those that are in it are not any more. */
  halve(): void;
}

export function createSample(): Sample {
  let one = 1;
  return {
    get one() {
      return one;
    },
    // The lowest bits.
    has: (hash) => hash % one === 0,
    halve() {
      one *= 2;
    },
  };
}

/** Different texts that are counted one by one; of more it is an estimate. */
const COUNTED = 256;

/** Counts different texts, in bounded memory: exactly up to 256, then within some 6 %. */
export interface Distinct {
  add(hash: number): void;
  readonly count: number;
}

export function createDistinct(): Distinct {
  const sample = createSample();
  const seen = new Set<number>();
  return {
    add(hash) {
      if (!sample.has(hash)) return;
      seen.add(hash);
      while (seen.size > COUNTED) {
        sample.halve();
        for (const each of seen) if (!sample.has(each)) seen.delete(each);
      }
    },
    get count() {
      return seen.size * sample.one;
    },
  };
}
