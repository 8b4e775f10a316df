import { FAR, TRAIT, createPauses, type Rejections, type PageGraph, type Ways } from './ways.js';
import { NONE } from '../../scan/index.js';

interface LostPages {
  readonly all: readonly number[];
  /** For each domain with lost pages, the lost page with the lowest cost; among equal pages, the first. */
  readonly firsts: readonly number[];
  /** For each domain, the number of relevant pages with a way from a root, even if a proposal rejects a page on the way. */
  readonly relevant: Float64Array;
}

/** Finds the relevant pages that can be reached, but only through rejected pages. */
export function findLost({ nodes, traits, domains }: PageGraph, { cost }: Ways, names: number): LostPages {
  const all: number[] = [];
  const relevant = new Float64Array(names);
  const first = new Map<number, number>();
  for (let node = 0; node < nodes; node++) {
    if ((traits[node]! & (TRAIT.relevant | TRAIT.closed)) !== TRAIT.relevant || cost[node] === FAR) continue;
    const domain = domains[node]!;
    relevant[domain]! += 1;
    if (cost[node] === 0) continue;
    all.push(node);
    const before = first.get(domain);
    if (before === undefined || cost[node]! < cost[before]!) first.set(domain, node);
  }
  return { all, relevant, firsts: [...first.values()] };
}

interface WayBack {
  readonly graph: PageGraph;
  readonly ways: Ways;
  readonly rejections: Rejections;
  readonly isActive: (proposal: number) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** States of a node. CLEAR: no rule rejects a page on the way to the node. GIVEN_UP: a rule that rejects a page on the way is given up. */
const CLEAR = 1;
const GIVEN_UP = 2;

/**
 * Finds the rules to give up so that the pages in `firsts` can be reached again. For each page, it gives up all rules that reject a page
 * on the way. But if one of these rules is given up already, it gives up no other rule for the page, because that may be enough. No
 * node is visited twice.
 * @returns for each rule to give up, the page that needs this
 */
export async function findInTheWay(
  firsts: readonly number[],
  { graph, ways, rejections, isActive, signal }: WayBack,
): Promise<Map<number, number>> {
  const pauses = createPauses(graph, signal);
  const rejecting = rejections.sets.map((set) => set.filter(isActive));
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
      isGivenUp = rejecting[rejections.ofNode[at]!]!.some((proposal) => found.has(proposal));
    }
    let state = isGivenUp || (at !== NONE && states[at] === GIVEN_UP) ? GIVEN_UP : CLEAR;
    const goesFree = state === GIVEN_UP;
    for (const node of way.reverse()) {
      const ofNode = rejecting[rejections.ofNode[node]!]!;
      if (ofNode.length > 0) state = GIVEN_UP;
      if (!goesFree) for (const proposal of ofNode) if (!found.has(proposal)) found.set(proposal, page);
      states[node] = state;
    }
  }
  return found;
}

/**
 * States of a node. OPEN: the check drops all rules that reject a page on the way to the node. SHUT: the check keeps one of these rules.
 * NOTED: the rejected pages on this way were added to `needed`, so no later page adds them again.
 */
const OPEN = 1;
const SHUT = 2;
const NOTED = 3;
/** Beyond it, the next search for proposals may propose a rule that the check must drop again. */
const MAX_NEEDED_PAGES = 100_000;

/**
 * Notes the rejected pages on the way to a relevant page. This is done only for relevant pages that become reachable when the given rules
 * are given up. No node is visited more than twice.
 */
export async function noteNeeded(
  lost: readonly number[],
  { graph, ways: { before }, rejections, isActive, signal }: WayBack,
  givenUp: { has(proposal: number): boolean },
  needed: Set<number>,
): Promise<void> {
  const pauses = createPauses(graph, signal);
  const rejecting = rejections.sets.map((set) => set.filter(isActive));
  const isOpen = rejecting.map((set) => set.every((proposal) => givenUp.has(proposal)));
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
      if (!isOpen[rejections.ofNode[node]!]!) state = SHUT;
      states[node] = state;
    }
    if (states[page] === SHUT) continue;
    for (at = before[page]!; at !== NONE && states[at] !== NOTED; at = before[at]!) {
      const pause = pauses();
      if (pause) await pause;
      states[at] = NOTED;
      if (rejecting[rejections.ofNode[at]!]!.length > 0 && needed.size < MAX_NEEDED_PAGES) needed.add(at);
    }
  }
}
