import type { CheckedRule } from '../../rules/index.js';
import { urlOf, type StoredProposal } from '../../../webtable/index.js';
import { domainOfRule, findCutPages, type CutPages } from './cut-pages.js';
import { findInTheWay, findLost, noteNeeded } from './lost-pages.js';
import { findUnreached } from './reached-pages.js';
import type { TableGraph } from './read-graph.js';
import { findWays } from './ways.js';

/** Why a rule is not proposed. */
export type DropReason =
  | 'damaged_domain'
  | 'cuts_kept'
  | 'untried'
  | 'unreached'
  | 'cuts_nothing'
  | 'cuts_only_way'
  | 'too_few_useful'
  | 'too_small_share';

/** A rule to check. */
export interface CandidateRule {
  readonly rule: CheckedRule;
  /** Why it is proposed. */
  readonly reason: StoredProposal['reason'];
  /** What it cuts are the documents of pages that stay: it need not have been read where they lead. */
  readonly isOfCopies: boolean;
}

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
  /** Useful pages that a domain has at least before a section without any is useless: `propose.minUseful`. */
  readonly minUseful: number;
  /** The share of what is not useful that generated rules cut of a domain at least, 0 to 1: `propose.minShare`. */
  readonly minShare: number;
  /** Whether a rule, by its number, is to be checked. What the others cut counts for the share, and for nothing else. Default: all are. */
  readonly isChosen?: (rule: number) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The conditions under which rules are proposed and added. All of them are checked together on the link graph:
 * - of the domain every row can be read, and its useful pages are reached from some root, or nothing that may lead to them is cut;
 * - none cuts a page that is to be kept, also under the URL that a rule on `www` gives it;
 * - where the pages lead that are cut is known, unless they are copies;
 * - every useful page that can be reached from the roots of the crawl, and within its domain from the seeds of the domain if there is any, can
 *   still be when the pages that are cut are left out with all their links;
 * - a domain of which a section is useless has enough useful pages;
 * - of each domain they cut a share of the rest, with what generated rules cut already.
 *
 * Rules that are in the way of a useful page are dropped: few, by the cheapest way of one page after the other, in the order of their keys. Rules
 * of the same graph are always dropped alike. It takes 20 bytes for each page beside the graph.
 */
export async function checkCandidates(
  graph: TableGraph,
  candidates: readonly CandidateRule[],
  { minUseful, minShare, isChosen = () => true, signal }: CheckOptions,
): Promise<Checked> {
  const rules = candidates.map(({ rule }) => rule);
  const names = new Map(graph.names.map((name, number) => [name, number]));
  const numberOf = (rule: CheckedRule): number => names.get(domainOfRule(rule) ?? '') ?? -1;
  const cuts = await findCutPages(graph, rules, signal);
  const dropped = new Map<number, DropReason>();
  const because = new Map<number, string>(cuts.kept);
  const isActive = (proposal: number): boolean => !dropped.has(proposal) && isChosen(proposal);
  const unreached = await findUnreached(graph, cuts, signal);
  const causes = new Map<number, number>();
  for (const [proposal, { rule, isOfCopies }] of candidates.entries()) {
    if (graph.damaged.has(numberOf(rule))) dropped.set(proposal, 'damaged_domain');
    else if (cuts.kept.has(proposal)) dropped.set(proposal, 'cuts_kept');
    else if (!isOfCopies && !cuts.tried.isTried(proposal)) dropped.set(proposal, 'untried');
    else if (unreached.has(proposal)) {
      dropped.set(proposal, 'unreached');
      causes.set(proposal, unreached.get(proposal)!);
    }
  }
  dropIdle(rules, cuts, dropped);

  const needed = new Set<number>();
  let useful: Float64Array = new Float64Array(graph.names.length);
  for (const within of [false, true]) {
    for (;;) {
      const ways = await findWays(graph, cuts, { isActive, within, signal });
      const lost = findLost(graph, ways, graph.names.length);
      if (!within) useful = lost.useful;
      if (lost.firsts.length === 0) break;
      const wayBack = { graph, ways, cuts, isActive, signal };
      const inTheWay = await findInTheWay(lost.firsts, wayBack);
      await noteNeeded(lost.all, wayBack, inTheWay, needed);
      for (const [proposal, node] of inTheWay) {
        dropped.set(proposal, 'cuts_only_way');
        causes.set(proposal, node);
      }
    }
  }
  for (const [proposal, { rule, reason }] of candidates.entries()) {
    if (reason === 'useless_prefix' && isActive(proposal) && (useful[numberOf(rule)] ?? 0) < minUseful) {
      dropped.set(proposal, 'too_few_useful');
    }
  }

  const domains = new Map<string, CheckedDomain>();
  const cut = cutOfDomains(graph, cuts, isActive);
  const offered = cutOfDomains(graph, cuts, (proposal) => !dropped.has(proposal));
  for (const [proposal, rule] of rules.entries()) {
    if (!isChosen(proposal)) continue;
    const number = numberOf(rule);
    const [rest = 0, pruned = 0] = [cuts.rest[number], cuts.pruned[number]];
    const isEnough = (offered[number] ?? 0) + pruned >= minShare * (rest + pruned);
    const found = { rest, cut: isEnough ? (cut[number] ?? 0) : 0, useful: useful[number] ?? 0 };
    domains.set(domainOfRule(rule) ?? '', found);
    if (!isEnough && rule.kind === 'reject' && isActive(proposal)) dropped.set(proposal, 'too_small_share');
  }
  const keys = await keysOf(graph, new Set([...needed, ...causes.values()]));
  for (const [proposal, node] of causes) because.set(proposal, urlOf(keys.get(node)!));
  return {
    candidates: rules.map((_, proposal) => ({
      dropped: dropped.get(proposal),
      because: because.get(proposal),
      rows: cuts.rows[proposal]!,
      fetched: cuts.fetched[proposal]!,
    })),
    domains,
    needed: new Set(Array.from(needed, (node) => keys.get(node)!)),
  };
}

/** The pages of each domain that some rules cut. */
function cutOfDomains(
  { nodes, domains, names }: TableGraph,
  { ofNode, sets }: CutPages,
  isAsked: (proposal: number) => boolean,
): Float64Array {
  const cut = new Float64Array(names.length);
  const isCut = sets.map((set) => set.some(isAsked));
  for (let node = 0; node < nodes; node++) if (isCut[ofNode[node]!]) cut[domains[node]!]! += 1;
  return cut;
}

/** Drops rules that cut nothing beyond those that cut more. */
function dropIdle(
  rules: readonly CheckedRule[],
  { ofNode, sets, rows }: CutPages,
  dropped: Map<number, DropReason>,
): void {
  const ofSet = new Float64Array(sets.length);
  for (const set of ofNode) ofSet[set]! += 1;
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
