/** Finds the first of many prefixes, by a rank, with which a text begins. */
export interface PrefixIndex {
  /** The lowest rank of the prefixes that the text begins with; Infinity where there is none. */
  rankOf(text: string): number;
}

interface Node {
  readonly prefix: string;
  /** The longest other prefix with which it begins; -1 where there is none. */
  readonly parent: number;
  /** The lowest rank of it and of all those with which it begins. */
  readonly rank: number;
}

/** The time of a look-up grows with the logarithm of their number, and with how many are nested in each other. */
export function createPrefixIndex(
  prefixes: readonly { readonly prefix: string; readonly rank: number }[],
): PrefixIndex {
  const lowest = new Map<string, number>();
  for (const { prefix, rank } of prefixes) lowest.set(prefix, Math.min(rank, lowest.get(prefix) ?? Infinity));
  const nodes: Node[] = [];
  for (const prefix of [...lowest.keys()].sort()) {
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
      // Whatever the text begins with is the last one before it, or one with which that begins.
      let at = low - 1;
      while (at >= 0 && !text.startsWith(nodes[at]!.prefix)) at = nodes[at]!.parent;
      return nodes[at]?.rank ?? Infinity;
    },
  };
}
