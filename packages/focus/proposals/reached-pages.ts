import { NONE } from '../../graph/index.js';
import type { TableGraph } from './read-graph.js';
import { FAR, TRAIT, createPauses, findWays, type Cuts } from './ways.js';

/**
 * Finds out what cannot be checked, since the table does not say how it came to be known: useful pages that no root leads to, such as those
 * of a domain whose seed is gone or refused. Pages that lead to them are pages that no root leads to either, and hang together with them by
 * links.
 * @returns of each proposal that cuts such a page the useful page
 */
export async function findUnreached(
  graph: TableGraph,
  cuts: Cuts,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, number>> {
  const { nodes, traits, links } = graph;
  const pauses = createPauses(graph, signal);
  const { cost } = await findWays(graph, cuts, { isActive: () => false, within: false, signal });
  const isAlone = (node: number): boolean => cost[node] === FAR && (traits[node]! & TRAIT.closed) === 0;
  const found = new Map<number, number>();
  let isAny = false;
  for (let node = 0; node < nodes && !isAny; node++) isAny = isAlone(node) && (traits[node]! & TRAIT.useful) !== 0;
  if (!isAny) return found;

  const groups = createGroups(nodes);
  for (let node = 0, block = 0; block < links.count; block++) {
    const { targetsOf } = await links.read(block);
    for (; node < nodes && links.blockOf(node) === block; node++) {
      const pause = pauses();
      if (pause) await pause;
      if (!isAlone(node)) continue;
      for (const target of targetsOf(node)) if (isAlone(target)) groups.join(node, target);
    }
  }

  /** By group, a useful page. */
  const usefulOf = new Map<number, number>();
  for (let node = 0; node < nodes; node++) {
    if (!isAlone(node) || (traits[node]! & TRAIT.useful) === 0) continue;
    const group = groups.of(node);
    if (!usefulOf.has(group)) usefulOf.set(group, node);
  }
  for (let node = 0; node < nodes; node++) {
    const pause = pauses();
    if (pause) await pause;
    if (cuts.ofNode[node] === 0 || !isAlone(node)) continue;
    const useful = usefulOf.get(groups.of(node));
    if (useful === undefined) continue;
    for (const proposal of cuts.sets[cuts.ofNode[node]!]!) if (!found.has(proposal)) found.set(proposal, useful);
  }
  return found;
}

/** Groups of nodes that grow together: of each the number of one of its nodes. 4 bytes for each node. */
function createGroups(nodes: number) {
  const parents = new Uint32Array(nodes).fill(NONE);
  function of(node: number): number {
    let at = node;
    for (let parent = parents[at]!; parent !== NONE; parent = parents[at]!) {
      const above = parents[parent]!;
      // Each look makes the way half as long for the next.
      if (above !== NONE) parents[at] = above;
      at = parent;
    }
    return at;
  }
  return {
    of,
    join(a: number, b: number): void {
      const [one, other] = [of(a), of(b)];
      if (one !== other) parents[Math.max(one, other)] = Math.min(one, other);
    },
  };
}
