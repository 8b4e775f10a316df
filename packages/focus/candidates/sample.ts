/**
 * Selects a sample of texts by their hash. A text is either in the sample whenever it occurs, or never. So shares within the sample are
 * close to shares among all texts. At first the sample has all texts. When a caller has stored too many texts, it halves the sample.
 */
export function createSample() {
  let one = 1;
  return {
    /** The sample has one in this number of texts. */
    get one() {
      return one;
    },
    // The lowest bits of the hash decide.
    has: (hash: number): boolean => hash % one === 0,
    halve(): void {
      one *= 2;
    },
  };
}

/** A larger count is an estimate. */
const MAX_EXACT_COUNT = 256;

/** Counts different texts in bounded memory. The count is exact up to 256; beyond that its error is about 6 %. */
export type Distinct = ReturnType<typeof createDistinct>;

export function createDistinct() {
  const sample = createSample();
  const seen = new Set<number>();
  return {
    add(hash: number): void {
      if (!sample.has(hash)) return;
      seen.add(hash);
      while (seen.size > MAX_EXACT_COUNT) {
        sample.halve();
        for (const each of seen) if (!sample.has(each)) seen.delete(each);
      }
    },
    get count() {
      return seen.size * sample.one;
    },
  };
}
