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
