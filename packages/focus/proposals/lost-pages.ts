import { NONE } from '../../graph/index.js';
import { FAR, TRAIT, createPauses, type Cuts, type PageGraph, type Ways } from './ways.js';

/** Useful pages to which every way is cut. */
export interface LostPages {
  readonly all: readonly number[];
  /** Of each domain the first of those with the lowest cost. */
  readonly firsts: readonly number[];
  /** How many useful pages each domain has that there are ways to, cut or not. */
  readonly useful: Float64Array;
}

/** Finds the useful pages to which every way is cut. */
export function findLost({ nodes, traits, domains }: PageGraph, { cost }: Ways, names: number): LostPages {
  const all: number[] = [];
  const useful = new Float64Array(names);
  const first = new Map<number, number>();
  for (let node = 0; node < nodes; node++) {
    if ((traits[node]! & (TRAIT.useful | TRAIT.closed)) !== TRAIT.useful || cost[node] === FAR) continue;
    const domain = domains[node]!;
    useful[domain]! += 1;
    if (cost[node] === 0) continue;
    all.push(node);
    const before = first.get(domain);
    if (before === undefined || cost[node]! < cost[before]!) first.set(domain, node);
  }
  return { all, useful, firsts: [...first.values()] };
}

/** What the two functions below go by. */
export interface WayBack {
  readonly graph: PageGraph;
  readonly ways: Ways;
  readonly cuts: Cuts;
  readonly isActive: (proposal: number) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Of a node: no rule cuts anything on its way; or one does that is given up. */
const CLEAR = 1;
const GIVEN_UP = 2;

/**
 * The rules to give up so that pages get their ways back: for one page after the other all that cut something on its way, but none
 * where one of them is given up already, which may be all that it takes. No node is looked at twice.
 * @returns of each rule the page for which it is given up
 */
export async function findInTheWay(
  firsts: readonly number[],
  { graph, ways, cuts, isActive, signal }: WayBack,
): Promise<Map<number, number>> {
  const pauses = createPauses(graph, signal);
  const cutting = cuts.sets.map((set) => set.filter(isActive));
  const states = new Uint8Array(graph.nodes);
  const found = new Map<number, number>();
  for (const page of firsts) {
    const way: number[] = [];
    let at = page;
    let isGivenUp = false;
    for (; at !== NONE && states[at] === 0 && !isGivenUp; at = ways.before[at]!) {
      const pause = pauses();
      if (pause) await pause;
      way.push(at);
      isGivenUp = cutting[cuts.ofNode[at]!]!.some((proposal) => found.has(proposal));
    }
    let state = isGivenUp || (at !== NONE && states[at] === GIVEN_UP) ? GIVEN_UP : CLEAR;
    const goesFree = state === GIVEN_UP;
    for (const node of way.reverse()) {
      const ofNode = cutting[cuts.ofNode[node]!]!;
      if (ofNode.length > 0) state = GIVEN_UP;
      if (!goesFree) for (const proposal of ofNode) if (!found.has(proposal)) found.set(proposal, page);
      states[node] = state;
    }
  }
  return found;
}

/** Of a node: all rules that cut something on its way are given up; one is not; its way was noted. */
const OPEN = 1;
const SHUT = 2;
const NOTED = 3;
/** Pages that are noted at the most; for those beyond, a part of a rule that was given up may be offered again, and dropped again. */
const MOST_NOTED = 100_000;

/**
 * Notes the pages that are cut on the ways of those useful pages which get them back when some rules are given up. No node is looked
 * at more than twice.
 */
export async function noteNeeded(
  lost: readonly number[],
  { graph, ways: { before }, cuts, isActive, signal }: WayBack,
  givenUp: { has(proposal: number): boolean },
  needed: Set<number>,
): Promise<void> {
  const pauses = createPauses(graph, signal);
  const cutting = cuts.sets.map((set) => set.filter(isActive));
  const isOpen = cutting.map((set) => set.every((proposal) => givenUp.has(proposal)));
  const states = new Uint8Array(graph.nodes);
  for (const page of lost) {
    const way: number[] = [];
    let at = page;
    for (; at !== NONE && states[at] === 0; at = before[at]!) {
      const pause = pauses();
      if (pause) await pause;
      way.push(at);
    }
    let state = at !== NONE && states[at] === SHUT ? SHUT : OPEN;
    for (const node of way.reverse()) {
      if (!isOpen[cuts.ofNode[node]!]!) state = SHUT;
      states[node] = state;
    }
    if (states[page] === SHUT) continue;
    for (at = before[page]!; at !== NONE && states[at] !== NOTED; at = before[at]!) {
      const pause = pauses();
      if (pause) await pause;
      states[at] = NOTED;
      if (cutting[cuts.ofNode[at]!]!.length > 0 && needed.size < MOST_NOTED) needed.add(at);
    }
  }
}
