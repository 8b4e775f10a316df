import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import {
  type StoredProposal,
  type StoredProposals,
  createTracker,
  NO_WATCH,
  type Counts,
  type CrawlContext,
  type JobContext,
  type JobOptions,
  type Report,
  type Tracker,
  domainOf,
} from '../../core/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { withWorkFolder } from '../../scan/index.js';
import { addChecked, checkRule, scopeOf, type AddedRules, type CheckedRule, type RuleSet } from '../../rules/index.js';
import { latestRules } from '../rules/latest-rules.js';
import type { Candidate, CreateFinder } from '../candidates/candidate.js';
import { FINDERS } from '../candidates/finders.js';
import { checkCandidates, type CandidateRule, type Checked, type DropReason } from './check-candidates.js';
import { domainOfRule } from './rejected-pages.js';
import { findCandidates } from './find-candidates.js';
import { serialised } from './serialised.js';
import { readGraph, type TableGraph } from './read-graph.js';

/** Options of {@link propose}. */
export interface ProposeOptions extends JobOptions {
  /** Propose rules only for this registrable domain and the hosts below it. */
  readonly domain?: string;
  /** Add the proposed rules. Default: false. */
  readonly apply?: boolean;
  /**
   * Folder for the files of the graph, which take some 30 bytes for each link. The files are removed at the end. Default: the system's
   * folder for temporary files.
   */
  readonly folder?: string;
  /** Finders to use. Default: all finders. Only tests set this. */
  readonly finders?: readonly CreateFinder[];
}

/** The effect of all proposed rules of a domain. */
export interface ProposedDomain {
  readonly domain: string;
  /** Number of pages that the present rules accept and that are not relevant. */
  readonly rest: number;
  /** Number of these pages that the proposed rules reject. */
  readonly rejected: number;
  /**
   * Number of known relevant pages that can be reached from the seeds. With the proposed rules, all of them stay reachable. Relevant
   * pages that cannot be reached are not counted.
   */
  readonly relevant: number;
}

/** The result of a search for proposals. */
export interface ProposeReport extends Report {
  /** The id of the list, for applying its proposals. Absent: no list was stored. */
  readonly list?: string;
  /** The proposals, each with the number of pages that it rejects. The proposal with the most pages is first. */
  readonly proposals: readonly StoredProposal[];
  /** The domains with proposals. */
  readonly domains: readonly ProposedDomain[];
  /** Whether there is a `relevant` rule. Without one, only copies and endless sections are found. */
  readonly hasRelevant: boolean;
  /** The added rules. Set only with `apply`. */
  readonly added?: AddedRules;
}

/**
 * Maximum number of additional searches. If a candidate would make a relevant page unreachable, it is dropped, and another search looks
 * for rules for parts of its section.
 */
const REFINEMENTS = 4;
const MAX_PROPOSALS = 1_000;
const COUNTER = {
  damaged_domain: 'dropped_damaged',
  rejects_kept: 'dropped_relevant',
  untried: 'dropped_untried',
  unreached: 'dropped_unreached',
  cuts_only_way: 'dropped_way',
  rejects_nothing: 'dropped_idle',
  too_few_relevant: 'dropped_few',
  too_small_share: 'dropped_share',
} as const satisfies Record<DropReason, string>;

/**
 * Proposes rules. It finds candidates in the rows of each domain, and checks them together on the link graph of the table. No proposed
 * rule rejects a known relevant page, a seed, a page that a rule made by hand accepts, or a page that a disabled generated rule would
 * reject. No proposed rule makes a known relevant page unreachable. {@link checkCandidates} lists all conditions. Rows that updatedb adds
 * meanwhile are not considered. The new list of proposals replaces the last one. With `apply` the rules are added too.
 *
 * The job reads the hot family once for each search, and rows with their links once if there is a candidate. It may be killed at any
 * moment and run again. If there is no `relevant` rule, no page is known to be useless. The job then finds only copies. Without `apply`
 * it also finds calendars, sessions and facets with at least half of the known rows of their domain. Counters:
 * `COUNTERS['rules propose']`.
 * @throws CrawlError BAD_RULE if `domain` is not a registrable domain; STALE_PROPOSAL if other rules were changed before the proposed
 *   rules could be added; STORE_FULL, BAD_OUTPUT if there is no disk space for the graph
 */
export async function propose(crawl: JobContext, options: ProposeOptions = {}): Promise<ProposeReport> {
  const { folder = tmpdir(), signal } = options;
  const domain = options.domain === undefined ? undefined : domainNamed(options.domain);
  const tracker = createTracker(crawl, 'rules propose', options);
  const nothing = (hasRelevant = false): ProposeReport => {
    return { ...tracker.report(), proposals: [], domains: [], hasRelevant };
  };
  return serialised(crawl.tables, async () => {
    const ruleSet = await latestRules(crawl);
    let found: Found | undefined;
    try {
      found = await withWorkFolder(folder, (work) => look(crawl, ruleSet, { ...options, domain, work, tracker }));
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error;
    }
    const hasRelevant = ruleSet.active.some(({ kind }) => kind === 'relevant');
    if (!found || tracker.aborted) return nothing(hasRelevant);
    const list = listOf(crawl, ruleSet, found);
    tracker.count('proposed', list.proposals.length);
    await crawl.tables.proposals.put(list);
    const domains = domainsOf(found);
    for (const { rejected, rest } of domains) {
      tracker.count('rejected', rejected);
      tracker.count('rest', rest);
    }
    const added = options.apply ? await addProposed(crawl, list.proposals, ruleSet.version) : undefined;
    tracker.count('applied', added?.added.length ?? 0);
    const { proposals } = list;
    return { ...tracker.report(), list: list.id, proposals, domains, hasRelevant, ...(added && { added }) };
  });
}

interface Found {
  readonly candidates: readonly Candidate[];
  readonly rules: readonly CheckedRule[];
  readonly checked: Checked;
}

interface LookOptions extends Omit<ProposeOptions, 'domain'> {
  readonly domain: string | undefined;
  readonly work: string;
  readonly tracker: Tracker;
}

/** Finds candidates and checks them. Then it searches again for parts of dropped candidates that may pass. */
async function look(
  crawl: CrawlContext,
  ruleSet: RuleSet,
  { domain, work, tracker, apply = false, finders = FINDERS, signal }: LookOptions,
): Promise<Found | undefined> {
  const needed = new Set<string>();
  let graph: TableGraph | undefined;
  const check = (graph: TableGraph, candidates: readonly Candidate[]): Promise<Checked> =>
    checkCandidates(graph, candidates.map(ruleOf), { ...crawl.settings.propose, signal });
  try {
    for (let turn = 0; ; turn++) {
      // Only the counts of the last search are reported.
      const counts = createTracker({ clock: crawl.clock, watch: NO_WATCH }, 'rules propose', {});
      const found = await findCandidates(crawl, ruleSet, {
        finders,
        domain,
        needed,
        tracker: counts,
        isForReview: !apply,
      });
      if (tracker.aborted) return undefined;
      let candidates: readonly Candidate[] = found.flatMap((each) => each.candidates);
      let checked: Checked = { candidates: [], domains: new Map(), needed };
      if (candidates.length > 0) {
        graph ??= await readGraph(crawl, ruleSet, {
          folder: work,
          onRow: () => tracker.done(),
          fail: tracker.fail,
          signal,
        });
        checked = await check(graph, candidates);
        const before = needed.size;
        for (const key of checked.needed) needed.add(key);
        if (turn < REFINEMENTS && needed.size > before) continue;
        tracker.add(countDropped(checked));
        const holding = candidates.filter((_, i) => !checked.candidates[i]!.dropped);
        if (holding.length > MAX_PROPOSALS) {
          // Only candidates in the list may count for the share of a domain.
          candidates = holding.sort((a, b) => b.rows - a.rows).slice(0, MAX_PROPOSALS);
          tracker.count('over_limit', holding.length - MAX_PROPOSALS);
          checked = await check(graph, candidates);
          tracker.add(countDropped(checked));
        }
      }
      tracker.add(counts.report().counters);
      return { candidates, rules: candidates.map(({ rule }) => checkRule(rule)), checked };
    }
  } finally {
    await graph?.[Symbol.asyncDispose]();
  }
}

const ruleOf = ({ rule, reason, isOfCopies = false }: Candidate): CandidateRule => ({
  rule: checkRule(rule),
  reason,
  isOfCopies,
});

function countDropped({ candidates }: Checked): Counts {
  const counts: Record<string, number> = {};
  for (const { dropped } of candidates) {
    if (dropped) counts[COUNTER[dropped]] = (counts[COUNTER[dropped]] ?? 0) + 1;
  }
  return counts;
}

/**
 * Returns a registrable domain in its normalised form.
 * @throws CrawlError BAD_RULE
 */
function domainNamed(name: string): string {
  const scope = scopeOf(`domain:${name}`);
  const given = scope.slice(scope.indexOf(':') + 1);
  const domain = domainOf(given);
  if (domain === given) return domain;
  throw new CrawlError('BAD_RULE', `expected a registrable domain, found the host ${safeText(given, 80)}`, {
    hint: `rules are proposed for the whole domain ${safeText(domain, 80)}`,
  });
}

function listOf(
  { clock }: Pick<CrawlContext, 'clock'>,
  ruleSet: RuleSet,
  { candidates, rules, checked }: Found,
): StoredProposals {
  const proposals = candidates
    .map((candidate, i) => ({ candidate, rule: rules[i]!, ...checked.candidates[i]! }))
    .filter(({ dropped }) => dropped === undefined)
    .map(({ candidate, rule, rows, fetched }): Omit<StoredProposal, 'number'> => {
      const isWww = rule.kind === 'www';
      const domain = domainOfRule(rule) ?? '';
      const { relevant = 0, rest = 0, rejected = 0 } = checked.domains.get(domain) ?? {};
      return {
        rule: isWww
          ? { kind: rule.kind, scope: rule.scope, to: rule.to }
          : { kind: rule.kind, scope: rule.scope, pattern: rule.pattern },
        reason: candidate.reason,
        evidence: {
          ...candidate.evidence,
          // The figures are from the check, which does not count pages that are gone.
          ...(!isWww && 'rows' in candidate.evidence && { rows }),
          ...(!isWww && 'fetched' in candidate.evidence && { fetched }),
          // These figures are for all proposals of the domain together.
          check: { reachableRelevant: relevant, rest, rejected },
        },
        rows: isWww ? candidate.rows : rows,
        fetched: isWww ? 0 : fetched,
        domain,
        ...(candidate.isOfCopies && { isOfCopies: true as const }),
      };
    })
    .sort((a, b) => b.rows - a.rows)
    .map((proposal, i) => ({ number: i + 1, ...proposal }));
  return { id: randomUUID().slice(0, 8), createdAt: clock(), rulesVersion: ruleSet.version, proposals };
}

function domainsOf({ rules, checked }: Found): ProposedDomain[] {
  const offered = new Set(
    rules.filter((_, i) => !checked.candidates[i]!.dropped).map((rule) => domainOfRule(rule) ?? ''),
  );
  return Array.from(checked.domains, ([domain, { rest, rejected, relevant }]) => ({
    domain,
    rest,
    rejected,
    relevant,
  })).filter(({ domain }) => offered.has(domain));
}

/** Adds proposed rules, all or none. The rules of the table must still have the version with which the proposals were checked. */
export function addProposed(
  crawl: CrawlContext,
  proposals: readonly StoredProposal[],
  version: string,
): Promise<AddedRules> {
  const rules = proposals.map(({ rule, reason, evidence, rows, fetched }) =>
    checkRule({ ...rule, origin: 'generated', evidence: { reason, rows, fetched, ...evidence } }),
  );
  return addChecked(crawl, rules, { version });
}
