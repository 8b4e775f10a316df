import type { ManualPage } from './manual-pages.js';

const DAMPING = 0.85;
const ROUNDS = 50;

/** PageRank of pages by the links between them, with the sum 1. */
export function linkRanks(pages: readonly ManualPage[]): Map<string, number> {
  const places = new Map(pages.map(({ url }, i) => [url, i]));
  const links = pages.map((page) => page.links.flatMap(({ url }) => places.get(url) ?? []));
  const count = pages.length;
  let ranks = new Float64Array(count).fill(1 / count);
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(count);
    let dangling = 0;
    for (const [i, targets] of links.entries()) {
      if (targets.length === 0) dangling += ranks[i]!;
      for (const target of targets) next[target]! += (DAMPING * ranks[i]!) / targets.length;
    }
    const base = (1 - DAMPING + DAMPING * dangling) / count;
    ranks = next.map((rank) => rank + base);
  }
  return new Map(pages.map(({ url }, i) => [url, ranks[i]!]));
}
