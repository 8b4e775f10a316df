import type { EventLoopTurns } from '../../webtable/index.js';
import { ones } from './simhash.js';

/** Simhashes of different pages, the page that is rather kept first. */
export interface RankedSimhashes {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

/** What {@link findLeaders} found. */
export interface Leaders {
  /** For each its leader: itself, or the first leader within the distance. */
  readonly leaderOf: Uint32Array;
  /** Comparisons that were left out, of those that had too many like them in some bits. */
  readonly crowded: number;
}

/** Candidates that are held of each at a time. */
const HELD = 4;
/** Comparisons of one with the others in a bucket, at the most. */
const MOST_COMPARED = 4096;
const NOBODY = 0xffffffff;
const OPEN = 0;
const LEADS = 1;
const FOLLOWS = 2;

/**
 * Who is kept, and for whom: in order, each becomes a leader, unless a leader before it is within the distance, which it then follows. So
 * every follower is near its leader, however long a chain of small differences is, and no two leaders are near each other.
 *
 * Pairs are found by bands (Manku, Jain and Das Sarma 2007): of two that differ in `distance` bits, some of the bands of bits are the same.
 * For each choice of bands all are put into buckets by these, and compared within. Of each the first {@link HELD} candidates are held, not
 * all pairs; where these do not decide, another round looks for further ones.
 * @param distance bits, 0 to 10
 */
export async function findLeaders(
  { high, low }: RankedSimhashes,
  distance: number,
  { turns, isAborted }: { readonly turns: EventLoopTurns; readonly isAborted: () => boolean },
): Promise<Leaders | undefined> {
  const count = high.length;
  const leaderOf = new Uint32Array(count);
  const states = new Uint8Array(count);
  const held = new Uint32Array(count * HELD);
  const plan = bandPlan(count, distance);
  const buckets = createBuckets(count, plan.bits);
  let crowded = 0;

  /** Holds another candidate, the first ones of all; false: it comes too late, and so would all after it. */
  const hold = (one: number, other: number): boolean => {
    const from = one * HELD;
    const end = from + HELD;
    if (other >= held[end - 1]!) return false;
    let at = from;
    while (held[at]! < other) at += 1;
    if (held[at] === other) return true;
    held.copyWithin(at + 1, at, end - 1);
    held[at] = other;
    return true;
  };

  const compareBucket = (begin: number, end: number): void => {
    const { items, highs, lows } = buckets;
    for (let i = begin + 1; i < end; i++) {
      const one = items[i]!;
      if (states[one] !== OPEN) continue;
      const oneHigh = highs[i]!;
      const oneLow = lows[i]!;
      const stop = Math.min(i, begin + MOST_COMPARED);
      if (stop < i) crowded += 1;
      for (let j = begin; j < stop; j++) {
        // Most differ enough in the first half already.
        const differing = ones(oneHigh ^ highs[j]!);
        if (differing > distance || differing + ones(oneLow ^ lows[j]!) > distance) continue;
        if (!hold(one, items[j]!)) break;
      }
    }
  };

  /** Decides on those whose candidates are decided on. @returns how many are still open */
  const decide = (): number => {
    let open = 0;
    for (let one = 0; one < count; one++) {
      if (states[one] !== OPEN) continue;
      const decided = decisionOn(held.subarray(one * HELD, one * HELD + HELD), states);
      if (decided === undefined) open += 1;
      else {
        leaderOf[one] = decided === NOBODY ? one : decided;
        states[one] = decided === NOBODY ? LEADS : FOLLOWS;
      }
    }
    return open;
  };

  do {
    held.fill(NOBODY);
    for (const bands of plan.choices) {
      buckets.fill(bands, high, low, states);
      for (let bucket = 0; bucket < buckets.count; bucket++) {
        if (bucket % 64 === 0) while (turns.isDue) await turns.next();
        compareBucket(buckets.begins[bucket]!, buckets.begins[bucket + 1]!);
      }
      if (isAborted()) return undefined;
    }
  } while (decide() > 0);
  return { leaderOf, crowded };
}

/** The leader to follow, {@link NOBODY} for one that leads itself; undefined: the candidates that are held do not decide. */
function decisionOn(candidates: Uint32Array, states: Uint8Array): number | undefined {
  for (const other of candidates) {
    if (other === NOBODY) return NOBODY;
    if (states[other] === LEADS) return other;
    if (states[other] === OPEN) return undefined;
  }
  return undefined;
}

/** Bits from `from` on, `width` of them, of the 64. */
interface Band {
  readonly from: number;
  readonly width: number;
}

/** Nanoseconds to put one into its bucket and to compare two, as measured; only their ratio matters. */
const COST_OF_FILLING = 40;
const COST_OF_COMPARING = 2;
const MOST_BITS = 22;

/**
 * Into how many bands the bits are cut, and which of these are to be the same. Of `distance + same` bands at least `same` are the same: the
 * more, the smaller the buckets, and the more choices there are.
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
    }).map(({ from, width }) => ({ from, width: Math.min(width, MOST_BITS) }));
    const choices = choicesOf(bands, same);
    const bits = Math.max(...choices.map((choice) => choice.reduce((sum, { width }) => sum + width, 0)));
    if (bits > MOST_BITS && best) continue;
    // Some choices have fewer bits.
    const buckets = 2 ** Math.floor((64 * same) / number);
    const cost = choices.length * (buckets + count * (COST_OF_FILLING + (COST_OF_COMPARING * count) / (2 * buckets)));
    if (!best || cost < best.cost) best = { cost, bits, choices };
  }
  return best!;
}

/** All choices of `size` bands, in order. */
function choicesOf(bands: readonly Band[], size: number): Band[][] {
  if (size === 0) return [[]];
  return bands.flatMap((band, i) => choicesOf(bands.slice(i + 1), size - 1).map((rest) => [band, ...rest]));
}

/** Sorts by some of the bits, in one go: counts, then places, so that each bucket keeps the order. */
function createBuckets(most: number, bits: number) {
  const count = 2 ** bits;
  const begins = new Uint32Array(count + 1);
  const places = new Uint32Array(count + 1);
  const numbers = new Uint32Array(most);
  const items = new Uint32Array(most);
  const highs = new Uint32Array(most);
  const lows = new Uint32Array(most);
  return {
    count,
    /** Where in the arrays each bucket begins, and the one after it. */
    begins,
    items,
    highs,
    lows,
    /** Puts all but followers into buckets. */
    fill(bands: readonly Band[], high: Uint32Array, low: Uint32Array, states: Uint8Array): void {
      numbers.fill(0);
      for (const band of bands) addBand(numbers, band, high, low);
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
      }
    },
  };
}

/** Puts the bits of a band behind those that are there. */
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
