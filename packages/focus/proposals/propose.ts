import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { StoredProposal, StoredProposals } from '../../../webtable/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { withWorkFolder } from '../../graph/index.js';
import {
  createTracker,
  type Counts,
  type CrawlContext,
  type JobOptions,
  type Report,
  type Tracker,
} from '../../jobs/index.js';
import { addChecked, checkRule, scopeOf, type AddedRules, type CheckedRule, type RuleSet } from '../../rules/index.js';
import { domainOf } from '../../url/index.js';
import type { Candidate, CreateFinder } from '../candidates/candidate.js';
import { FINDERS } from '../candidates/finders.js';
import { checkCandidates, type CandidateRule, type Checked, type DropReason } from './check-candidates.js';
import { domainOfRule } from './cut-pages.js';
import { findCandidates } from './find-candidates.js';
import { inTurn } from './in-turn.js';
import { readGraph, type TableGraph } from './read-graph.js';

/** What {@link propose} takes. */
export interface ProposeOptions extends JobOptions {
  /** Only rules of this registrable domain and of the hosts below it. */
  readonly domain?: string;
  /** Adds the rules that are proposed. Default: false. */
  readonly apply?: boolean;
  /** Where the graph is made, for as long as it is needed: some 30 bytes for each link. Default: the folder of the system for such files. */
  readonly folder?: string;
  /** What looks for candidates. Default: all finders; tests give others. */
  readonly finders?: readonly CreateFinder[];
}

/** Of one domain what the rules that are proposed for it cut together. */
export interface ProposedDomain {
  readonly domain: string;
  /** Pages that the rules of now take and that are not useful. */
  readonly rest: number;
  /** Of these, pages that are cut. */
  readonly cut: number;
  /** Useful pages that are known and that the seeds lead to; to all of them they still do. Others that are known are not counted. */
  readonly useful: number;
}

/** What was proposed. */
export interface ProposeReport extends Report {
  /** The id of the list, by which they are applied; absent where none was stored. */
  readonly list?: string;
  /** With the pages that each cuts, the most first. */
  readonly proposals: readonly StoredProposal[];
  /** Those for which rules are proposed. */
  readonly domains: readonly ProposedDomain[];
  /** With `apply`, what became of them. */
  readonly added?: AddedRules;
}

/** How often it looks again for what is left of candidates that were in the way of a useful page. */
const REFINEMENTS = 4;
/** The most that are offered at a time. */
const MOST = 1_000;
const COUNTER = {
  damaged_domain: 'dropped_damaged',
  cuts_kept: 'dropped_useful',
  untried: 'dropped_untried',
  unreached: 'dropped_unreached',
  cuts_only_way: 'dropped_way',
  cuts_nothing: 'dropped_idle',
  too_few_useful: 'dropped_few',
  too_small_share: 'dropped_share',
} as const satisfies Record<DropReason, string>;

/**
 * Proposes rules: it looks for candidates in the rows of each domain, and checks them together on the link graph of the table. No rule
 * is proposed that cuts a useful page which is known, a seed, what a rule made by hand accepts, or what a generated rule cut that was
 * disabled; nor one without which a useful page that is known could be reached and with which it could not, see {@link checkCandidates}
 * for all conditions. What updatedb adds while it reads is not looked at. The list is stored in place of the last one; with `apply` the rules are added as well.
 *
 * It reads the hot family once for each time it looks, and rows with their links once if there is any candidate. It may be killed at any
 * moment and run again. Without rules on usefulness nothing is known to be useless.
 * Counters: `COUNTERS['rules propose']`.
 * @throws CrawlError BAD_RULE for a domain that is none, or a host below one; STALE_PROPOSAL where the rules were changed before they could be added;
 *   STORE_FULL, BAD_OUTPUT where the graph finds no room
 */
export async function propose(crawl: CrawlContext, options: ProposeOptions = {}): Promise<ProposeReport> {
  const { folder = tmpdir(), signal } = options;
  const domain = options.domain === undefined ? undefined : domainNamed(options.domain);
  const tracker = createTracker(crawl, 'rules propose', options);
  const nothing = (): ProposeReport => ({ ...tracker.report(), proposals: [], domains: [] });
  return inTurn(crawl.tables, async () => {
    // What another process has changed is not to be missed.
    crawl.rules?.changed();
    const ruleSet = await crawl.rules?.current();
    if (!ruleSet) return nothing();
    let found: Found | undefined;
    try {
      found = await withWorkFolder(folder, (work) => look(crawl, ruleSet, { ...options, domain, work, tracker }));
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error;
    }
    if (!found || tracker.aborted) return nothing();
    const list = listOf(crawl, ruleSet, found);
    tracker.count('proposed', list.proposals.length);
    await crawl.tables.proposals.put(list);
    const domains = domainsOf(found);
    for (const { cut, rest } of domains) {
      tracker.count('cut', cut);
      tracker.count('rest', rest);
    }
    const added = options.apply ? await addProposed(crawl, list.proposals, ruleSet.version) : undefined;
    tracker.count('applied', added?.added.length ?? 0);
    return { ...tracker.report(), list: list.id, proposals: list.proposals, domains, ...(added && { added }) };
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

/** Looks for candidates and checks them, again where some are dropped of which a part may do. */
async function look(
  crawl: CrawlContext,
  ruleSet: RuleSet,
  { domain, work, tracker, finders = FINDERS, signal }: LookOptions,
): Promise<Found | undefined> {
  const needed = new Set<string>();
  let graph: TableGraph | undefined;
  const check = (graph: TableGraph, candidates: readonly Candidate[]): Promise<Checked> =>
    checkCandidates(graph, candidates.map(ruleOf), { ...crawl.settings.propose, signal });
  try {
    for (let turn = 0; ; turn++) {
      // What is counted is of the last turn.
      const counts = createTracker({ clock: crawl.clock }, 'rules propose', {});
      const found = await findCandidates(crawl, ruleSet, { finders, domain, needed, tracker: counts });
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
        if (holding.length > MOST) {
          // The share of a domain is that of what is offered.
          candidates = holding.sort((a, b) => b.rows - a.rows).slice(0, MOST);
          tracker.count('over_limit', holding.length - MOST);
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

/** @throws CrawlError BAD_RULE */
function domainNamed(name: string): string {
  const scope = scopeOf(`domain:${name}`);
  const given = scope.slice(scope.indexOf(':') + 1);
  const domain = domainOf(given);
  if (domain === given) return domain;
  throw new CrawlError('BAD_RULE', `expected a domain as it is registered, found the host ${safeText(given, 80)}`, {
    hint: `rules are proposed for all of ${safeText(domain, 80)} together`,
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
      const { useful = 0, rest = 0, cut = 0 } = checked.domains.get(domain) ?? {};
      return {
        rule: isWww
          ? { kind: rule.kind, scope: rule.scope, to: rule.to }
          : { kind: rule.kind, scope: rule.scope, pattern: rule.pattern },
        reason: candidate.reason,
        evidence: {
          ...candidate.evidence,
          // What the check found, without pages that are gone.
          ...(!isWww && 'rows' in candidate.evidence && { rows }),
          ...(!isWww && 'fetched' in candidate.evidence && { fetched }),
          // Of all proposals for the domain together.
          check: { reachableUseful: useful, rest, cut },
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
  return Array.from(checked.domains, ([domain, { rest, cut, useful }]) => ({ domain, rest, cut, useful })).filter(
    ({ domain }) => offered.has(domain),
  );
}

/** Adds rules that were proposed, all or none, where the rules are still of the version by which they were checked. */
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
