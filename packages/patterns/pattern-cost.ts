import type { Alternatives, Item } from './pattern-tree.js';

/** Steps for each character of the input that a pattern may cost and still be called linear. */
const STEPS_PER_CHARACTER = 5_000;

/**
 * Whether a search by backtracking is sure to take time that grows with the length of the input only. A count from above:
 * what it accepts is sure, of what it does not accept much is linear all the same.
 *
 * Each place at which a search may begin counts as one length of the input, and so does each unbounded repeat that more
 * of the pattern follows, since the search may come back to each of its characters. One length in all is linear. A repeat
 * at the end of the pattern is never taken back: what it has taken, the next search does not see again.
 */
export function isLinear(pattern: Alternatives): boolean {
  let steps = 0;
  for (const sequence of pattern) {
    const { lengths, ways, size } = costOf(sequence, true);
    const anchored = sequence[0]?.text === '^';
    if (lengths + (anchored ? 0 : 1) > 1) return false;
    steps += ways * size;
  }
  return steps <= STEPS_PER_CHARACTER;
}

interface Cost {
  /** Unbounded repeats that the search may come back to. */
  readonly lengths: number;
  /** In how many ways the rest may match. */
  readonly ways: number;
  /** Characters looked at in one way, each unbounded repeat as one. */
  readonly size: number;
}

const NEVER_LINEAR: Cost = { lengths: Infinity, ways: 1, size: 1 };

function costOf(sequence: readonly Item[], atEnd: boolean): Cost {
  let [lengths, ways, size] = [0, 1, 1];
  for (const [i, item] of sequence.entries()) {
    const cost = costOfItem(item, atEnd && i === sequence.length - 1);
    lengths += cost.lengths;
    ways *= cost.ways;
    size += cost.size;
  }
  return { lengths, ways, size };
}

function costOfItem({ kind, inside, min, max }: Item, atEnd: boolean): Cost {
  if (kind === 'backreference') return NEVER_LINEAR;
  if (kind === 'char' || kind === 'edge') {
    if (max === Infinity) return { lengths: atEnd ? 0 : 1, ways: 1, size: min + 1 };
    return { lengths: 0, ways: max - min + 1, size: max };
  }
  if (max > 1) return NEVER_LINEAR;
  const costs = inside.map((sequence) => costOf(sequence, atEnd && kind === 'group'));
  return {
    lengths: Math.max(...costs.map((cost) => cost.lengths)),
    ways: costs.reduce((sum, cost) => sum + cost.ways, min === 0 ? 1 : 0),
    size: costs.reduce((sum, cost) => sum + cost.size, 0),
  };
}
