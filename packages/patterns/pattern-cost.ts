import type { Alternatives, Item } from './pattern-tree.js';

/** A pattern counts as linear if it costs at most this number of steps per character of the input. */
const STEPS_PER_CHARACTER = 5_000;

/**
 * Whether the time of a backtracking search is certain to be linear in the length of the input. The estimate may be too high: each
 * accepted pattern is linear, but many patterns that are not accepted are linear too.
 *
 * The unit of the estimate is the length of the input; a pattern of one length is linear. A search may begin at each position, which
 * costs one length. Each unbounded repeat costs another length, because the search may come back to each character of the repeat. There
 * are two exceptions. A repeat at the end of the pattern costs nothing: the next search begins after it. If a repeat is followed by a
 * character that it cannot match, as in `[^?]*\?`, the search does not come back to it. Such a repeat costs one walk for each way to
 * reach it.
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
  /** Number of unbounded repeats to which the search may come back. */
  readonly lengths: number;
  /** Maximum number of nested unbounded repeats. It counts the repeats to which the search may come back, and one walk after them. */
  readonly walk: number;
  /** Number of ways in which the items may match. */
  readonly ways: number;
  /** Number of characters to examine for one way. An unbounded repeat counts as one character. */
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

/** Whether the next item is a character that a repeat cannot match. Letters are excluded, because the pattern may ignore case. */
function endsAt(repeated: Item, next: Item): boolean {
  const [, sign] = /^\\?([!-/:-@[-`{-~])$/.exec(next.text) ?? [];
  if (sign === undefined || next.text === '.' || next.kind !== 'char' || next.min < 1) return false;
  return !new RegExp(`^${repeated.text}$`).test(sign);
}
