import { NONE, type AdjacencyBlocks } from '../../graph/index.js';
import type { EventLoopTurns } from '../../../webtable/index.js';

/** What a node is; bits that may be set together. */
export const TRAIT = {
  /** A rule on usefulness matches it. */
  useful: 1,
  /** A crawl begins there: a seed, or a sitemap. */
  root: 2,
  /** A rule that is there already refuses it, so that no way leads through it. */
  closed: 4,
  /** It was fetched, with whatever outcome. */
  fetched: 8,
  /** No proposal may cut it. */
  kept: 16,
  /** A rule that was generated refuses it. */
  pruned: 32,
  /** Where it leads is known: it was parsed, or redirects. */
  read: 64,
} as const;

/** The pages of a table, and the links between them, redirects included. */
export interface PageGraph {
  readonly nodes: number;
  /** Of each node, see {@link TRAIT}. */
  readonly traits: Uint8Array;
  /** The domain of each node, by a number. */
  readonly domains: Uint32Array;
  readonly links: AdjacencyBlocks;
  /** Gives the event loop its turns in the middle of long work. */
  readonly turns?: EventLoopTurns;
}

/** Steps of work between two looks at the time. */
const STEPS = 4096;

/**
 * Makes what is called after each step of long work, and gives something to wait for where others are to have their turn.
 * It throws the reason of a signal that has aborted.
 */
export function createPauses(
  { turns }: Pick<PageGraph, 'turns'>,
  signal?: AbortSignal,
): () => Promise<void> | undefined {
  let steps = 0;
  async function pause(due: EventLoopTurns): Promise<void> {
    while (due.isDue) await due.next();
    signal?.throwIfAborted();
  }
  return () => {
    steps += 1;
    if (steps % STEPS !== 0) return undefined;
    signal?.throwIfAborted();
    return turns?.isDue ? pause(turns) : undefined;
  };
}

/** Which of some proposals cut each node. */
export interface Cuts {
  /** The number of a set for each node; 0 is the empty one. */
  readonly ofNode: Uint32Array;
  /** Numbers of proposals, ascending. */
  readonly sets: readonly (readonly number[])[];
}

/** The way to each node on which the fewest proposals cut something. */
export interface Ways {
  /**
   * How often the way comes to a page that a proposal cuts which has not cut the one before; from {@link FAR} - 1 on it is not counted
   * any further. {@link FAR} where there is no way.
   */
  readonly cost: Uint16Array;
  /** The node before it on that way; `NONE` of roots, and where there is no way. */
  readonly before: Uint32Array;
}

/** The cost of what cannot be reached. */
export const FAR = 65_535;

/** How to look for ways. */
export interface WayOptions {
  /** Whether a proposal, by its number, still stands. */
  readonly isActive: (proposal: number) => boolean;
  /** Only links within a domain are followed. */
  readonly within: boolean;
  /** Ends it; it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the way from the roots to every node on which the fewest proposals cut something, by a breadth-first search over links that
 * cost 0 or 1. The search goes level by level, and in each through the blocks of the graph: beside one block it takes 6 bytes for each
 * node. The same graph and proposals give the same ways.
 */
export async function findWays(graph: PageGraph, cuts: Cuts, options: WayOptions): Promise<Ways> {
  const { nodes, traits, domains, links } = graph;
  const { within, signal } = options;
  const costOf = createStepCost(cuts, options.isActive);
  const cost = new Uint16Array(nodes).fill(FAR);
  const before = new Uint32Array(nodes).fill(NONE);
  const { ofNode } = cuts;
  const pauses = createPauses(graph, signal);

  /** Nodes that are to be left at the level at hand and at the next, by block. */
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
        // It grows while it is read.
        for (let at = 0; at < nodesOfBlock.length; at++) {
          const node = nodesOfBlock[at]!;
          // It was reached at less than this meanwhile, and has been left.
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

/** What it costs to come from a node that one set of proposals cuts to one that another set cuts: 0 where none of them is new. */
function createStepCost({ sets }: Pick<Cuts, 'sets'>, isActive: (proposal: number) => boolean) {
  const active = sets.map((set) => set.filter(isActive));
  return (from: number, to: number): 0 | 1 => {
    if (from === to) return 0;
    const known = active[from]!;
    return active[to]!.every((proposal) => known.includes(proposal)) ? 0 : 1;
  };
}

/** The nodes of a way, from the root on. */
export function wayTo({ before }: Ways, node: number): number[] {
  const way: number[] = [];
  for (let at = node; at !== NONE; at = before[at]!) way.push(at);
  return way.reverse();
}
