import type { Alternatives, Item } from './pattern-tree.js';

/** Steps for each character of the input that a pattern may cost and still be called linear. */
const STEPS_PER_CHARACTER = 5_000;

/**
 * Whether a search by backtracking is sure to take time that grows with the length of the input only. A count from above:
 * what it accepts is sure, of what it does not accept much is linear all the same.
 *
 * Each place at which a search may begin counts as one length of the input, and so does each unbounded repeat that more
 * of the pattern follows, since the search may come back to each of its characters. One length in all is linear. A repeat
 * at the end of the pattern is never taken back: what it has taken, the next search does not see again. One that ends at a
 * character that it cannot take, as `[^?]*\?` does, is not come back to either: it is a length to walk, once for each way to it.
 */
export function isLinear(pattern: Alternatives): boolean {
  let steps = 0;
  for (const sequence of pattern) {
    const { walk, ways, size } = costOf(sequence, true);
    const anchored = sequence[0]?.text === '^';
    if (walk + (anchored ? 0 : 1) > 1) return false;
    steps += ways * size;
  }
  return steps <= STEPS_PER_CHARACTER;
}

interface Cost {
  /** Unbounded repeats that the search may come back to. */
  readonly lengths: number;
  /** The most unbounded repeats that are within each other: those that the search may come back to, and one that it walks behind them. */
  readonly walk: number;
  /** In how many ways the rest may match. */
  readonly ways: number;
  /** Characters looked at in one way, each unbounded repeat as one. */
  readonly size: number;
}

const NEVER_LINEAR: Cost = { lengths: Infinity, walk: Infinity, ways: 1, size: 1 };

function costOf(sequence: readonly Item[], atEnd: boolean): Cost {
  let [lengths, walk, ways, size] = [0, 0, 1, 1];
  for (const [i, item] of sequence.entries()) {
    const cost = costOfItem(item, sequence[i + 1], atEnd && i === sequence.length - 1);
    walk = Math.max(walk, lengths + cost.walk);
    lengths += cost.lengths;
    ways *= cost.ways;
    size += cost.size;
  }
  return { lengths, walk, ways, size };
}

function costOfItem(item: Item, next: Item | undefined, atEnd: boolean): Cost {
  const { kind, inside, min, max } = item;
  if (kind === 'backreference') return NEVER_LINEAR;
  if (kind === 'char' || kind === 'edge') {
    const isEnded = kind === 'char' && max > 1 && next !== undefined && endsAt(item, next);
    if (max !== Infinity) return { lengths: 0, walk: 0, ways: isEnded ? 1 : max - min + 1, size: max };
    const lengths = atEnd || isEnded ? 0 : 1;
    return { lengths, walk: atEnd ? 0 : 1, ways: 1, size: min + 1 };
  }
  if (max > 1) return NEVER_LINEAR;
  const costs = inside.map((sequence) => costOf(sequence, atEnd && kind === 'group'));
  return {
    lengths: Math.max(...costs.map((cost) => cost.lengths)),
    walk: Math.max(...costs.map((cost) => cost.walk)),
    ways: costs.reduce((sum, cost) => sum + cost.ways, min === 0 ? 1 : 0),
    size: costs.reduce((sum, cost) => sum + cost.size, 0),
  };
}

/** Whether what follows a repeat is one sign that the repeat cannot take. Letters are left out: case may be ignored. */
function endsAt(repeated: Item, next: Item): boolean {
  const [, sign] = /^\\?([!-/:-@[-`{-~])$/.exec(next.text) ?? [];
  if (sign === undefined || next.text === '.' || next.kind !== 'char' || next.min < 1) return false;
  return !new RegExp(`^${repeated.text}$`).test(sign);
}
