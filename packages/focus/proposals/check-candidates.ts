import { NONE } from '../../graph/index.js';
import type { CheckedRule } from '../../rules/index.js';
import { urlOf } from '../../../webtable/index.js';
import { domainOfRule, findCutPages, type CutPages } from './cut-pages.js';
import type { TableGraph } from './read-graph.js';
import { FAR, TRAIT, findWays, type Ways } from './ways.js';

/** Why a rule is not proposed. */
export type DropReason = 'cuts_kept' | 'untried' | 'cuts_only_way' | 'cuts_nothing' | 'too_small_share';

/** What the check says of a rule. */
export interface CheckedCandidate {
  /** Undefined where all conditions hold. */
  readonly dropped?: DropReason | undefined;
  /** A URL for which it was dropped. */
  readonly because?: string | undefined;
  /** Pages that it cuts. */
  readonly rows: number;
  /** Of these, pages that were fetched. */
  readonly fetched: number;
}

/** What the rules that hold cut of a domain. */
export interface CheckedDomain {
  /** Pages that the rules of now take and that are not useful. */
  readonly rest: number;
  /** Of these, pages that are cut. */
  readonly cut: number;
  /** Useful pages that are known, and that the seeds of the crawl lead to. */
  readonly useful: number;
}

/** What the check says of all rules together. */
export interface Checked {
  /** In the order of the rules. */
  readonly candidates: readonly CheckedCandidate[];
  readonly domains: ReadonlyMap<string, CheckedDomain>;
  /** Row keys of pages on the only ways to useful ones, for which rules were dropped. */
  readonly needed: ReadonlySet<string>;
}

/** How to check. */
export interface CheckOptions {
  /** The share of what is not useful that is cut of a domain at least, 0 to 1. */
  readonly minShare: number;
  /** Whether a rule, by its number, is dropped where too few of the pages that it cuts were fetched to know where they lead. Default: none is. */
  readonly mustBeTried?: (rule: number) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Checks rules on the link graph, all of them together: that none cuts a page that is to be kept; where it is asked for, that it is known where
 * the pages lead that are cut; that every useful page that can be
 * reached from the roots of the crawl, and within its domain from the seeds of the domain, can still be when the pages that are cut
 * are left out with all their links; and that of each domain they cut a share of the rest. Rules that are in the way are dropped: the
 * fewest on the way of one useful page after the other, in the order of their keys. Rules of the same graph are always dropped alike.
 */
export async function checkCandidates(
  graph: TableGraph,
  rules: readonly CheckedRule[],
  { minShare, mustBeTried = () => false, signal }: CheckOptions,
): Promise<Checked> {
  const cuts = await findCutPages(graph, rules);
  const dropped = new Map<number, DropReason>();
  const because = new Map<number, string>(cuts.kept);
  const isActive = (proposal: number): boolean => !dropped.has(proposal);
  for (const proposal of rules.keys()) {
    if (cuts.kept.has(proposal)) dropped.set(proposal, 'cuts_kept');
    else if (mustBeTried(proposal) && !cuts.tried.isTried(proposal)) dropped.set(proposal, 'untried');
  }
  const sizes = sizesOf(graph, cuts, rules.length);
  dropIdle(rules, cuts, sizes, dropped);

  const neededNodes = new Set<number>();
  const lostFor = new Map<number, number>();
  let useful = new Float64Array(graph.names.length);
  for (const within of [false, true]) {
    for (;;) {
      const ways = await findWays(graph, cuts, { isActive, within, signal });
      const lost = lostPages(graph, ways);
      if (!within) useful = lost.useful;
      if (lost.firsts.length === 0) break;
      const freed = new Set<number>();
      for (const node of lost.firsts) {
        const cutting = cuttersOf(node, ways, cuts, isActive);
        // One that another page has freed in this turn may be all that it takes.
        if (cutting.some((proposal) => freed.has(proposal))) continue;
        for (const proposal of cutting) {
          freed.add(proposal);
          lostFor.set(proposal, node);
        }
      }
      noteNeeded(lost.all, ways, cuts, { isActive, freed, neededNodes });
      for (const proposal of freed) dropped.set(proposal, 'cuts_only_way');
    }
  }

  const cut = new Float64Array(graph.names.length);
  const cutSets = cuts.sets.map((set) => set.some(isActive));
  for (let node = 0; node < graph.nodes; node++) if (cutSets[cuts.ofNode[node]!]) cut[graph.domains[node]!]! += 1;
  const domains = new Map<string, CheckedDomain>();
  const numbers = new Map(graph.names.map((name, number) => [name, number]));
  for (const [proposal, rule] of rules.entries()) {
    const name = domainOfRule(rule) ?? '';
    const number = numbers.get(name);
    const found = { rest: cuts.rest[number ?? -1] ?? 0, cut: cut[number ?? -1] ?? 0, useful: useful[number ?? -1] ?? 0 };
    const isEnough = found.cut >= minShare * found.rest;
    domains.set(name, isEnough ? found : { ...found, cut: 0 });
    if (!isEnough && rule.kind === 'reject' && isActive(proposal)) dropped.set(proposal, 'too_small_share');
  }
  const names = await keysOf(graph, new Set([...neededNodes, ...lostFor.values()]));
  for (const [proposal, node] of lostFor) because.set(proposal, urlOf(names.get(node)!));
  return {
    candidates: rules.map((_, proposal) => ({
      dropped: dropped.get(proposal),
      because: because.get(proposal),
      rows: sizes.rows[proposal]!,
      fetched: sizes.fetched[proposal]!,
    })),
    domains,
    needed: new Set([...neededNodes].map((node) => names.get(node)!)),
  };
}

interface Sizes {
  readonly rows: Float64Array;
  readonly fetched: Float64Array;
  /** Pages of each set. */
  readonly ofSet: Float64Array;
}

function sizesOf({ traits, nodes }: TableGraph, { ofNode, sets }: CutPages, proposals: number): Sizes {
  const ofSet = new Float64Array(sets.length);
  const fetchedOfSet = new Float64Array(sets.length);
  for (let node = 0; node < nodes; node++) {
    const set = ofNode[node]!;
    ofSet[set]! += 1;
    if ((traits[node]! & TRAIT.fetched) !== 0) fetchedOfSet[set]! += 1;
  }
  const rows = new Float64Array(proposals);
  const fetched = new Float64Array(proposals);
  for (const [set, cutting] of sets.entries()) {
    for (const proposal of cutting) {
      rows[proposal]! += ofSet[set]!;
      fetched[proposal]! += fetchedOfSet[set]!;
    }
  }
  return { rows, fetched, ofSet };
}

/** Drops rules that cut nothing beyond those that cut more. */
function dropIdle(
  rules: readonly CheckedRule[],
  { sets }: CutPages,
  { rows, ofSet }: Sizes,
  dropped: Map<number, DropReason>,
): void {
  const isCut = sets.map(() => false);
  const setsOf = rules.map((): number[] => []);
  for (const [set, proposals] of sets.entries()) for (const proposal of proposals) setsOf[proposal]!.push(set);
  const order = rules
    .map((_, proposal) => proposal)
    .filter((proposal) => rules[proposal]!.kind === 'reject' && !dropped.has(proposal))
    .sort((a, b) => rows[b]! - rows[a]! || a - b);
  for (const proposal of order) {
    const added = setsOf[proposal]!.reduce((sum, set) => sum + (isCut[set] ? 0 : ofSet[set]!), 0);
    if (added === 0) dropped.set(proposal, 'cuts_nothing');
    else for (const set of setsOf[proposal]!) isCut[set] = true;
  }
}

/** Useful pages to which every way is cut: all of them, of each domain the first of those with the lowest cost, and how many there are in all. */
function lostPages({ nodes, traits, domains, names }: TableGraph, { cost }: Ways) {
  const all: number[] = [];
  const useful = new Float64Array(names.length);
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

/** The rules that cut something on the way to a page. */
function cuttersOf(
  node: number,
  { before }: Ways,
  { ofNode, sets }: CutPages,
  isActive: (proposal: number) => boolean,
): number[] {
  const found = new Set<number>();
  for (let at = node; at !== NONE; at = before[at]!) {
    for (const proposal of sets[ofNode[at]!]!) if (isActive(proposal)) found.add(proposal);
  }
  return [...found].sort((a, b) => a - b);
}

/** Notes the pages that are cut on the ways of those useful pages which the rules that are freed give their way back. */
function noteNeeded(
  lost: readonly number[],
  ways: Ways,
  cuts: CutPages,
  {
    isActive,
    freed,
    neededNodes,
  }: { isActive: (proposal: number) => boolean; freed: ReadonlySet<number>; neededNodes: Set<number> },
): void {
  const { before } = ways;
  const { ofNode, sets } = cuts;
  for (const node of lost) {
    if (!cuttersOf(node, ways, cuts, isActive).every((proposal) => freed.has(proposal))) continue;
    for (let at = before[node]!; at !== NONE; at = before[at]!) if (sets[ofNode[at]!]!.some(isActive)) neededNodes.add(at);
  }
}

/** The row keys of some nodes. */
async function keysOf(graph: TableGraph, nodes: ReadonlySet<number>): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  if (nodes.size === 0) return found;
  let node = 0;
  for await (const group of graph.keys()) {
    for (const key of group) {
      if (nodes.has(node)) found.set(node, key);
      node += 1;
    }
  }
  return found;
}
