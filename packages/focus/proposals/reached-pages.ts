import type { TableGraph } from './read-graph.js';
import { FAR, TRAIT, createPauses, findWays, type Rejections } from './ways.js';
import { NONE } from '../../scan/index.js';

/**
 * Finds relevant pages that cannot be checked: no root leads to them, so the table does not show how they became known. An example is a
 * page of a domain whose seed is gone or refused. Pages that lead to such a page are not reached from a root either, but links connect
 * them with the page.
 * @returns for each proposal that rejects such a page, or a page that may lead to it, the relevant page
 */
export async function findUnreached(
  graph: TableGraph,
  rejections: Rejections,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, number>> {
  const { nodes, traits, links } = graph;
  const pauses = createPauses(graph, signal);
  const { cost } = await findWays(graph, rejections, { isActive: () => false, within: false, signal });
  const isAlone = (node: number): boolean => cost[node] === FAR && (traits[node]! & TRAIT.closed) === 0;
  const found = new Map<number, number>();
  let isAny = false;
  for (let node = 0; node < nodes && !isAny; node++) isAny = isAlone(node) && (traits[node]! & TRAIT.relevant) !== 0;
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

  const relevantOf = new Map<number, number>();
  for (let node = 0; node < nodes; node++) {
    if (!isAlone(node) || (traits[node]! & TRAIT.relevant) === 0) continue;
    const group = groups.of(node);
    if (!relevantOf.has(group)) relevantOf.set(group, node);
  }
  for (let node = 0; node < nodes; node++) {
    const pause = pauses();
    if (pause) await pause;
    if (rejections.ofNode[node] === 0 || !isAlone(node)) continue;
    const relevant = relevantOf.get(groups.of(node));
    if (relevant === undefined) continue;
    for (const proposal of rejections.sets[rejections.ofNode[node]!]!)
      if (!found.has(proposal)) found.set(proposal, relevant);
  }
  return found;
}

/**
 * Makes groups of nodes. Each node is first a group of its own; two groups can be joined. A group has the number of one of its nodes.
 * This takes 4 bytes of memory for each node.
 */
function createGroups(nodes: number) {
  const parents = new Uint32Array(nodes).fill(NONE);
  function of(node: number): number {
    let at = node;
    for (let parent = parents[at]!; parent !== NONE; parent = parents[at]!) {
      const above = parents[parent]!;
      // Halves the path, so that the next search is shorter.
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
