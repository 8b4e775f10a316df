import type { TimeSlice } from '../core/index.js';
import { NONE } from '../scan/index.js';
import { ones } from './simhash.js';

/** Simhashes of different pages. The preferred page comes first. */
interface RankedSimhashes {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** Only simhashes with the same identity are compared. */
  readonly identity: Uint32Array;
}

const CANDIDATES_PER_PAGE = 4;
const MAX_COMPARISONS_IN_BUCKET = 4096;
const OPEN = 0;
const LEADS = 1;
const FOLLOWS = 2;

/**
 * Selects leaders. The pages are examined in order. A page follows an earlier leader within the distance; if there is none, the page
 * becomes a leader. So every follower is near its leader, even in a long chain of small differences, and no two leaders are near each
 * other. Only pages of the same identity can be near.
 *
 * Pairs are found by bands (Manku, Jain and Das Sarma 2007): the 64 bits are divided into bands, and if two simhashes differ in at most
 * `distance` bits, some of their bands are equal. For each choice of bands, all pages are put into buckets by these bands, and compared
 * within a bucket. Of each page only the first {@link CANDIDATES_PER_PAGE} candidates are stored, not all pairs. If these candidates do
 * not decide, another round finds more.
 * @param distance bits, 0 to 10
 * @returns for each page, the index of its leader: the page itself, or the first leader within the distance; and as `crowded` the number of
 * comparisons that were skipped because too many pages had the same bits in a band. Undefined: the job was aborted
 */
export async function findLeaders(
  { high, low, identity }: RankedSimhashes,
  distance: number,
  { timeSlice, isAborted }: { readonly timeSlice: TimeSlice; readonly isAborted: () => boolean },
) {
  const count = high.length;
  const leaderOf = new Uint32Array(count);
  const states = new Uint8Array(count);
  const held = new Uint32Array(count * CANDIDATES_PER_PAGE);
  const plan = bandPlan(count, distance);
  const buckets = createBuckets(count, plan.bits);
  let crowded = 0;

  /**
   * Stores another candidate for a page. Only the first candidates of a page are stored. Returns false if there is no room for this
   * candidate, and therefore none for later ones.
   */
  const hold = (one: number, other: number): boolean => {
    const from = one * CANDIDATES_PER_PAGE;
    const end = from + CANDIDATES_PER_PAGE;
    if (other >= held[end - 1]!) return false;
    let at = from;
    while (held[at]! < other) at += 1;
    if (held[at] === other) return true;
    held.copyWithin(at + 1, at, end - 1);
    held[at] = other;
    return true;
  };

  const compareBucket = (begin: number, end: number): void => {
    const { items, highs, lows, identities } = buckets;
    for (let i = begin + 1; i < end; i++) {
      const one = items[i]!;
      if (states[one] !== OPEN) continue;
      const oneHigh = highs[i]!;
      const oneLow = lows[i]!;
      const stop = Math.min(i, begin + MAX_COMPARISONS_IN_BUCKET);
      if (stop < i) crowded += 1;
      for (let j = begin; j < stop; j++) {
        // Most pairs differ enough in the first half already.
        const differing = ones(oneHigh ^ highs[j]!);
        if (identities[j] !== identities[i] || differing > distance || differing + ones(oneLow ^ lows[j]!) > distance)
          continue;
        if (!hold(one, items[j]!)) break;
      }
    }
  };

  /**
   * Decides each open page whose stored candidates are enough for a decision.
   * @returns the number of pages that stay open
   */
  const decide = (): number => {
    let open = 0;
    for (let one = 0; one < count; one++) {
      if (states[one] !== OPEN) continue;
      const decided = decisionOn(
        held.subarray(one * CANDIDATES_PER_PAGE, one * CANDIDATES_PER_PAGE + CANDIDATES_PER_PAGE),
        states,
      );
      if (decided === undefined) open += 1;
      else {
        leaderOf[one] = decided === NONE ? one : decided;
        states[one] = decided === NONE ? LEADS : FOLLOWS;
      }
    }
    return open;
  };

  do {
    held.fill(NONE);
    for (const bands of plan.choices) {
      buckets.fill(bands, { high, low, identity }, states);
      for (let bucket = 0; bucket < buckets.count; bucket++) {
        if (bucket % 64 === 0) while (timeSlice.isOver) await timeSlice.next();
        compareBucket(buckets.begins[bucket]!, buckets.begins[bucket + 1]!);
      }
      if (isAborted()) return undefined;
    }
  } while (decide() > 0);
  return { leaderOf, crowded };
}

/** Returns the leader to follow. {@link NONE}: the page itself is a leader. Undefined: the stored candidates do not decide. */
function decisionOn(candidates: Uint32Array, states: Uint8Array): number | undefined {
  for (const other of candidates) {
    if (other === NONE) return NONE;
    if (states[other] === LEADS) return other;
    if (states[other] === OPEN) return undefined;
  }
  return undefined;
}

/** A band: `width` of the 64 bits, beginning at `from`. */
interface Band {
  readonly from: number;
  readonly width: number;
}

/** Measured for putting a page into its bucket, and for comparing two pages. Only their ratio matters. */
const FILL_NS = 40;
const COMPARE_NS = 2;
const MAX_BUCKET_BITS = 22;

/**
 * Chooses the number of bands, and how many of them must be equal. Two simhashes that differ in at most `distance` bits share at least
 * `same` of `distance + same` bands. A larger `same` gives more and smaller buckets.
 */
function bandPlan(count: number, distance: number) {
  let best:
    | { readonly cost: number; readonly bits: number; readonly choices: readonly (readonly Band[])[] }
    | undefined;
  for (let same = 1; same <= 4; same++) {
    const number = distance + same;
    if (number > 64) break;
    const bands = Array.from({ length: number }, (_, i): Band => {
      const from = Math.floor((64 * i) / number);
      return { from, width: Math.floor((64 * (i + 1)) / number) - from };
    }).map(({ from, width }) => ({ from, width: Math.min(width, MAX_BUCKET_BITS) }));
    const choices = choicesOf(bands, same);
    const bits = Math.max(...choices.map((choice) => choice.reduce((sum, { width }) => sum + width, 0)));
    if (bits > MAX_BUCKET_BITS && best) continue;
    // Some choices have fewer bits.
    const buckets = 2 ** Math.floor((64 * same) / number);
    const cost = choices.length * (buckets + count * (FILL_NS + (COMPARE_NS * count) / (2 * buckets)));
    if (!best || cost < best.cost) best = { cost, bits, choices };
  }
  return best!;
}

function choicesOf(bands: readonly Band[], size: number): Band[][] {
  if (size === 0) return [[]];
  return bands.flatMap((band, i) => choicesOf(bands.slice(i + 1), size - 1).map((rest) => [band, ...rest]));
}

/**
 * Makes the function that puts pages into buckets by some of the bits, in linear time. It counts the pages of each bucket, then places
 * them. Each bucket keeps the order of the pages.
 */
function createBuckets(most: number, bits: number) {
  const count = 2 ** bits;
  const begins = new Uint32Array(count + 1);
  const places = new Uint32Array(count + 1);
  const numbers = new Uint32Array(most);
  const items = new Uint32Array(most);
  const highs = new Uint32Array(most);
  const lows = new Uint32Array(most);
  const identities = new Uint32Array(most);
  return {
    count,
    /** The start of each bucket in the arrays, and the end of the last bucket. */
    begins,
    items,
    highs,
    lows,
    identities,
    /**
     * Puts all pages except followers into buckets. Pages of one template share most bits. Therefore the identity also decides on the
     * bucket.
     */
    fill(bands: readonly Band[], { high, low, identity }: RankedSimhashes, states: Uint8Array): void {
      numbers.fill(0);
      for (const band of bands) addBand(numbers, band, high, low);
      const mask = 2 ** bands.reduce((sum, { width }) => sum + width, 0) - 1;
      for (let one = 0; one < most; one++) numbers[one]! ^= identity[one]! & mask;
      begins.fill(0);
      for (let one = 0; one < most; one++) if (states[one] !== FOLLOWS) begins[numbers[one]! + 1]! += 1;
      for (let bucket = 0; bucket < count; bucket++) begins[bucket + 1]! += begins[bucket]!;
      places.set(begins);
      for (let one = 0; one < most; one++) {
        if (states[one] !== FOLLOWS) items[places[numbers[one]!]!++] = one;
      }
      const end = begins[count]!;
      for (let place = 0; place < end; place++) {
        const one = items[place]!;
        highs[place] = high[one]!;
        lows[place] = low[one]!;
        identities[place] = identity[one]!;
      }
    },
  };
}

function addBand(numbers: Uint32Array, { from, width }: Band, high: Uint32Array, low: Uint32Array): void {
  const mask = 2 ** width - 1;
  if (from >= 32 || from + width <= 32) {
    const half = from >= 32 ? high : low;
    for (let i = 0; i < numbers.length; i++) numbers[i] = (numbers[i]! << width) | ((half[i]! >>> (from % 32)) & mask);
    return;
  }
  for (let i = 0; i < numbers.length; i++) {
    numbers[i] = (numbers[i]! << width) | (((low[i]! >>> from) | (high[i]! << (32 - from))) & mask);
  }
}
