import { sortSteps, type Steps } from '../util/index.js';

/** Finds the lowest rank among all prefixes of a text. */
export interface PrefixIndex {
  /** Returns the lowest rank among the prefixes with which the text begins. Infinity: it begins with none of the prefixes. */
  rankOf(text: string): number;
}

interface Node {
  readonly prefix: string;
  /** The index of the longest other prefix with which this prefix begins. -1: there is no such prefix. */
  readonly parent: number;
  /** The lowest rank of this prefix and of all prefixes with which it begins. */
  readonly rank: number;
}

const PREFIXES_PER_STEP = 1000;

/** Makes the index. The time of a lookup grows with the logarithm of the number of prefixes, and with the depth of their nesting. */
export function* createPrefixIndex(
  prefixes: readonly { readonly prefix: string; readonly rank: number }[],
): Steps<PrefixIndex> {
  const lowest = new Map<string, number>();
  for (const [i, { prefix, rank }] of prefixes.entries()) {
    if (i % PREFIXES_PER_STEP === 0) yield;
    lowest.set(prefix, Math.min(rank, lowest.get(prefix) ?? Infinity));
  }
  const nodes: Node[] = [];
  for (const prefix of yield* sortSteps([...lowest.keys()], (a, b) => (a < b ? -1 : 1))) {
    if (nodes.length % PREFIXES_PER_STEP === 0) yield;
    let parent = nodes.length - 1;
    while (parent >= 0 && !prefix.startsWith(nodes[parent]!.prefix)) parent = nodes[parent]!.parent;
    const rank = Math.min(lowest.get(prefix)!, nodes[parent]?.rank ?? Infinity);
    nodes.push({ prefix, parent, rank });
  }
  return {
    rankOf(text) {
      let low = 0;
      let high = nodes.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (nodes[middle]!.prefix <= text) low = middle + 1;
        else high = middle;
      }
      // Only the last prefix that sorts before the text, or a parent of this prefix, may be a prefix of the text.
      let at = low - 1;
      while (at >= 0 && !text.startsWith(nodes[at]!.prefix)) at = nodes[at]!.parent;
      return nodes[at]?.rank ?? Infinity;
    },
  };
}
