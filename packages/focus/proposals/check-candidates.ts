import type { CheckedRule } from '../../rules/index.js';
import { urlOf, type StoredProposal } from '../../core/index.js';
import { domainOfRule, findRejectedPages, type RejectedPages } from './rejected-pages.js';
import { findInTheWay, findLost, noteNeeded } from './lost-pages.js';
import { findUnreached } from './reached-pages.js';
import type { TableGraph } from './read-graph.js';
import { findWays } from './ways.js';

export type DropReason =
  | 'damaged_domain'
  | 'rejects_kept'
  | 'untried'
  | 'unreached'
  | 'rejects_nothing'
  | 'cuts_only_way'
  | 'too_few_relevant'
  | 'too_small_share';

export interface CandidateRule {
  readonly rule: CheckedRule;
  readonly reason: StoredProposal['reason'];
  /** Whether the rejected pages are copies of pages that stay. If so, their links need not be known. */
  readonly isOfCopies: boolean;
}

export interface CheckedCandidate {
  /** Absent: the rule meets all conditions. */
  readonly dropped?: DropReason | undefined;
  readonly because?: string | undefined;
  readonly rows: number;
  readonly fetched: number;
}

interface CheckedDomain {
  /** Number of pages that the present rules accept and that are not relevant. */
  readonly rest: number;
  /** Number of these pages that the remaining rules reject. */
  readonly rejected: number;
  /** Number of known relevant pages that can be reached from the seeds of the crawl. */
  readonly relevant: number;
}

export interface Checked {
  readonly candidates: readonly CheckedCandidate[];
  readonly domains: ReadonlyMap<string, CheckedDomain>;
  /** Row keys of pages on the only way to a relevant page. The rules that reject these pages were dropped. */
  readonly needed: ReadonlySet<string>;
}

interface CheckOptions {
  /** Minimum number of relevant pages of a domain (`propose.minRelevant`). With fewer, no section of the domain counts as useless. */
  readonly minRelevant: number;
  /** Minimum share of the irrelevant pages of a domain that generated rules must reject, from 0 to 1 (`propose.minShare`). */
  readonly minShare: number;
  /**
   * Whether to check the rule with this number. The pages that an unchecked rule rejects still count for the share of the domain.
   * Default: all rules are checked.
   */
  readonly isChosen?: (rule: number) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Checks the conditions under which rules are proposed and added. All rules are checked together on the link graph:
 * - every row of the domain can be read;
 * - a relevant page may be out of reach of all roots; then no page that may lead to it is rejected;
 * - no rule rejects a page that must stay; if a `www` rule gives the page another URL, this holds for both URLs;
 * - the links of the rejected pages are known, unless these pages are copies;
 * - every relevant page that can be reached now can still be reached without the rejected pages and their links. This holds for ways from
 *   all roots of the crawl, and for ways inside a domain from the seeds of the domain, if there are any;
 * - a domain with a useless section has enough relevant pages;
 * - together with the present generated rules, the rules reject at least a minimum share of the irrelevant pages of each domain.
 *
 * Rules that make a relevant page unreachable are dropped, page by page in key order. Only the rules on the cheapest way to the page are
 * dropped, so that few rules are lost. The same graph always gives the same result. The check takes 20 bytes of memory for each page in
 * addition to the graph.
 */
export async function checkCandidates(
  graph: TableGraph,
  candidates: readonly CandidateRule[],
  { minRelevant, minShare, isChosen = () => true, signal }: CheckOptions,
): Promise<Checked> {
  const rules = candidates.map(({ rule }) => rule);
  const names = new Map(graph.names.map((name, number) => [name, number]));
  const numberOf = (rule: CheckedRule): number => names.get(domainOfRule(rule) ?? '') ?? -1;
  const rejections = await findRejectedPages(graph, rules, signal);
  const dropped = new Map<number, DropReason>();
  const because = new Map<number, string>(rejections.kept);
  const isActive = (proposal: number): boolean => !dropped.has(proposal) && isChosen(proposal);
  const unreached = await findUnreached(graph, rejections, signal);
  const causes = new Map<number, number>();
  for (const [proposal, { rule, isOfCopies }] of candidates.entries()) {
    if (graph.damaged.has(numberOf(rule))) dropped.set(proposal, 'damaged_domain');
    else if (rejections.kept.has(proposal)) dropped.set(proposal, 'rejects_kept');
    else if (!isOfCopies && !rejections.tried.isTried(proposal)) dropped.set(proposal, 'untried');
    else if (unreached.has(proposal)) {
      dropped.set(proposal, 'unreached');
      causes.set(proposal, unreached.get(proposal)!);
    }
  }
  dropIdle(rules, rejections, dropped);

  const needed = new Set<number>();
  let relevant: Float64Array = new Float64Array(graph.names.length);
  for (const within of [false, true]) {
    for (;;) {
      const ways = await findWays(graph, rejections, { isActive, within, signal });
      const lost = findLost(graph, ways, graph.names.length);
      if (!within) relevant = lost.relevant;
      if (lost.firsts.length === 0) break;
      const wayBack = { graph, ways, rejections, isActive, signal };
      const inTheWay = await findInTheWay(lost.firsts, wayBack);
      await noteNeeded(lost.all, wayBack, inTheWay, needed);
      for (const [proposal, node] of inTheWay) {
        dropped.set(proposal, 'cuts_only_way');
        causes.set(proposal, node);
      }
    }
  }
  for (const [proposal, { rule, reason }] of candidates.entries()) {
    if (reason === 'useless_prefix' && isActive(proposal) && (relevant[numberOf(rule)] ?? 0) < minRelevant) {
      dropped.set(proposal, 'too_few_relevant');
    }
  }

  const domains = new Map<string, CheckedDomain>();
  const rejected = rejectedOfDomains(graph, rejections, isActive);
  const offered = rejectedOfDomains(graph, rejections, (proposal) => !dropped.has(proposal));
  for (const [proposal, rule] of rules.entries()) {
    if (!isChosen(proposal)) continue;
    const number = numberOf(rule);
    const [rest = 0, pruned = 0] = [rejections.rest[number], rejections.pruned[number]];
    const isEnough = (offered[number] ?? 0) + pruned >= minShare * (rest + pruned);
    const found = { rest, rejected: isEnough ? (rejected[number] ?? 0) : 0, relevant: relevant[number] ?? 0 };
    domains.set(domainOfRule(rule) ?? '', found);
    if (!isEnough && rule.kind === 'reject' && isActive(proposal)) dropped.set(proposal, 'too_small_share');
  }
  const keys = await keysOf(graph, new Set([...needed, ...causes.values()]));
  for (const [proposal, node] of causes) because.set(proposal, urlOf(keys.get(node)!));
  return {
    candidates: rules.map((_, proposal) => ({
      dropped: dropped.get(proposal),
      because: because.get(proposal),
      rows: rejections.rows[proposal]!,
      fetched: rejections.fetched[proposal]!,
    })),
    domains,
    needed: new Set(Array.from(needed, (node) => keys.get(node)!)),
  };
}

function rejectedOfDomains(
  { nodes, domains, names }: TableGraph,
  { ofNode, sets }: RejectedPages,
  isAsked: (proposal: number) => boolean,
): Float64Array {
  const rejected = new Float64Array(names.length);
  const isRejected = sets.map((set) => set.some(isAsked));
  for (let node = 0; node < nodes; node++) if (isRejected[ofNode[node]!]) rejected[domains[node]!]! += 1;
  return rejected;
}

/** Drops a rule if larger rules reject all of its pages. */
function dropIdle(
  rules: readonly CheckedRule[],
  { ofNode, sets, rows }: RejectedPages,
  dropped: Map<number, DropReason>,
): void {
  const ofSet = new Float64Array(sets.length);
  for (const set of ofNode) ofSet[set]! += 1;
  const isRejected = sets.map(() => false);
  const setsOf = rules.map((): number[] => []);
  for (const [set, proposals] of sets.entries()) for (const proposal of proposals) setsOf[proposal]!.push(set);
  const order = rules
    .map((_, proposal) => proposal)
    .filter((proposal) => rules[proposal]!.kind === 'reject' && !dropped.has(proposal))
    .sort((a, b) => rows[b]! - rows[a]! || a - b);
  for (const proposal of order) {
    const added = setsOf[proposal]!.reduce((sum, set) => sum + (isRejected[set] ? 0 : ofSet[set]!), 0);
    if (added === 0) dropped.set(proposal, 'rejects_nothing');
    else for (const set of setsOf[proposal]!) isRejected[set] = true;
  }
}

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
