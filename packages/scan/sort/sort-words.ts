import type { Steps } from '../../util/index.js';

/** Number of words of a step, of the native sort and of a merge. */
const WORDS_PER_STEP = 2 ** 17;

/**
 * Sorts 64-bit words in place, in steps of some milliseconds. It sorts pieces by the native sort of typed arrays, and merges them. It needs
 * extra memory of half the size of the words.
 */
export function* sortWords(words: BigUint64Array): Steps<void> {
  for (let at = 0; at < words.length; at += WORDS_PER_STEP) {
    words.subarray(at, at + WORDS_PER_STEP).sort();
    if (words.length > WORDS_PER_STEP) yield;
  }
  if (words.length <= WORDS_PER_STEP) return;
  const halves = new Uint32Array(words.buffer, words.byteOffset, 2 * words.length);
  let widest = WORDS_PER_STEP;
  while (2 * widest < words.length) widest *= 2;
  const left = new Uint32Array(2 * widest);
  for (let width = WORDS_PER_STEP; width < words.length; width *= 2) {
    for (let begin = 0; begin + width < words.length; begin += 2 * width) {
      const end = Math.min(begin + 2 * width, words.length);
      left.set(halves.subarray(2 * begin, 2 * (begin + width)));
      yield* merge(halves, left, { begin: 2 * begin, middle: 2 * (begin + width), end: 2 * end });
    }
  }
}

/**
 * Merges the part from `middle` to `end` with the part before `middle`, which was copied to `left`. All positions are counted in half
 * words.
 */
function* merge(
  halves: Uint32Array,
  left: Uint32Array,
  { begin, middle, end }: { readonly begin: number; readonly middle: number; readonly end: number },
): Steps<void> {
  const leftEnd = middle - begin;
  let [from, other, to] = [0, middle, begin];
  while (from < leftEnd && other < end) {
    const stop = Math.min(end, to + 2 * WORDS_PER_STEP);
    for (; to < stop && from < leftEnd && other < end; to += 2) {
      const [high, otherHigh] = [left[from + 1]!, halves[other + 1]!];
      const isLeft = high < otherHigh || (high === otherHigh && left[from]! <= halves[other]!);
      if (isLeft) {
        halves[to] = left[from]!;
        halves[to + 1] = high;
        from += 2;
      } else {
        halves[to] = halves[other]!;
        halves[to + 1] = otherHigh;
        other += 2;
      }
    }
    yield;
  }
  // The remaining words of the right part are already at their positions.
  halves.set(left.subarray(from, leftEnd), to);
}
