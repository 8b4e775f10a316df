import { type AdjacencyBlocks } from '../../graph/index.js';
import type { TimeSlice } from '../../core/index.js';
import { NONE } from '../../scan/index.js';

export const TRAIT = {
  relevant: 1,
  /** A crawl starts from the page: it is a seed or a sitemap. */
  root: 2,
  /** An existing rule rejects the page, so no way leads through the page. */
  closed: 4,
  /** The page was fetched, with any result. */
  fetched: 8,
  /** No proposal may reject the page. */
  kept: 16,
  /** A generated rule rejects the page. */
  pruned: 32,
  /** The links of the page are known: it was parsed, or redirects. */
  read: 64,
} as const;

export interface PageGraph {
  readonly nodes: number;
  readonly traits: Uint8Array;
  readonly domains: Uint32Array;
  readonly links: AdjacencyBlocks;
  readonly timeSlice?: TimeSlice;
}

const STEPS_PER_TIME_CHECK = 4096;

/**
 * Makes a function to call after each step of long work. The function returns a promise to await when other work should run. It throws the
 * reason of an aborted signal.
 */
export function createPauses(
  { timeSlice }: Pick<PageGraph, 'timeSlice'>,
  signal?: AbortSignal,
): () => Promise<void> | undefined {
  let steps = 0;
  async function pause(slice: TimeSlice): Promise<void> {
    while (slice.isOver) await slice.next();
    signal?.throwIfAborted();
  }
  return () => {
    steps += 1;
    if (steps % STEPS_PER_TIME_CHECK !== 0) return undefined;
    signal?.throwIfAborted();
    return timeSlice?.isOver ? pause(timeSlice) : undefined;
  };
}

export interface Rejections {
  /** For each node, the index of its set in `sets`; 0 is the empty set. */
  readonly ofNode: Uint32Array;
  /** The sets, each as ascending numbers of proposals. */
  readonly sets: readonly (readonly number[])[];
}

/** For each node, the way from a root with the fewest rejections. */
export interface Ways {
  /**
   * For each node, the number of rejections on the way. A page on the way counts if at least one proposal rejects this page, but not the
   * page before it. The number is at most {@link FAR} - 1. {@link FAR}: there is no way.
   */
  readonly cost: Uint16Array;
  /** For each node, the previous node on the way. `NONE` for a root, and if there is no way. */
  readonly before: Uint32Array;
}

export const FAR = 65_535;

interface WayOptions {
  readonly isActive: (proposal: number) => boolean;
  readonly within: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds for every node the way from the roots with the fewest rejections, by a breadth-first search over links that cost 0 or 1. For each
 * cost, it reads the blocks of the graph in order. It needs memory for one block, and 6 bytes for each node. The same graph and proposals
 * give the same ways.
 */
export async function findWays(graph: PageGraph, rejections: Rejections, options: WayOptions): Promise<Ways> {
  const { nodes, traits, domains, links } = graph;
  const { within, signal } = options;
  const costOf = createStepCost(rejections, options.isActive);
  const cost = new Uint16Array(nodes).fill(FAR);
  const before = new Uint32Array(nodes).fill(NONE);
  const { ofNode } = rejections;
  const pauses = createPauses(graph, signal);

  /** The nodes to expand at the present cost and at the next cost, by block. */
  let now: number[][] = [];
  let later: number[][] = [];
  const put = (lists: number[][], node: number): void => {
    const block = links.blockOf(node);
    (lists[block] ??= []).push(node);
  };
  for (let node = 0; node < nodes; node++) {
    const pause = pauses();
    if (pause) await pause;
    if ((traits[node]! & (TRAIT.root | TRAIT.closed)) !== TRAIT.root) continue;
    cost[node] = costOf(0, ofNode[node]!);
    put(cost[node] === 0 ? now : later, node);
  }

  for (let level = 0; level < FAR; level++) {
    for (let isOpen = true; isOpen;) {
      isOpen = false;
      for (let block = 0; block < now.length; block++) {
        const nodesOfBlock = now[block];
        if (!nodesOfBlock || nodesOfBlock.length === 0) continue;
        signal?.throwIfAborted();
        isOpen = true;
        const { targetsOf } = await links.read(block);
        // The loop may append to the list.
        for (let at = 0; at < nodesOfBlock.length; at++) {
          const node = nodesOfBlock[at]!;
          // The node was expanded already, at a lower cost.
          if (cost[node] !== level) continue;
          leave(node, targetsOf(node), level);
          const pause = pauses();
          if (pause) await pause;
        }
        now[block] = [];
      }
    }
    if (later.length === 0) break;
    [now, later] = [later, []];
  }

  function leave(node: number, targets: Uint32Array, level: number): void {
    const set = ofNode[node]!;
    for (const target of targets) {
      if (cost[target]! <= level || (traits[target]! & TRAIT.closed) !== 0) continue;
      if (within && domains[target] !== domains[node]) continue;
      const next = Math.min(level + costOf(set, ofNode[target]!), FAR - 1);
      if (next >= cost[target]!) continue;
      cost[target] = next;
      before[target] = node;
      put(next === level ? now : later, target);
    }
  }
  return { cost, before };
}

/**
 * Makes a function that returns the cost of a link from the sets of proposals that reject its source and its target. The cost is 0 if no
 * other proposal rejects the target.
 */
function createStepCost({ sets }: Pick<Rejections, 'sets'>, isActive: (proposal: number) => boolean) {
  const active = sets.map((set) => set.filter(isActive));
  return (from: number, to: number): 0 | 1 => {
    if (from === to) return 0;
    const known = active[from]!;
    return active[to]!.every((proposal) => known.includes(proposal)) ? 0 : 1;
  };
}
