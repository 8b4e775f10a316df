import { tmpdir } from 'node:os';
import { CrawlError, safeText } from '../../errors/index.js';
import { withWorkFolder } from '../../scan/index.js';
import type { CrawlContext, JobOptions, Rule, StoredProposal, StoredProposals } from '../../core/index.js';
import { checkRule, describeRule, saying, type AddedRules, type CheckedRule } from '../../rules/index.js';
import { latestRules } from '../rules/latest-rules.js';
import { inTimeSlices, type Steps } from '../../util/index.js';
import { checkCandidates, type CandidateRule, type Checked, type CheckedCandidate } from './check-candidates.js';
import { addProposed } from './propose.js';
import { domainOfRule } from './rejected-pages.js';
import { sayingOf } from './find-candidates.js';
import { serialised } from './serialised.js';
import { readGraph } from './read-graph.js';

/** Returns the stored proposals, without those that equal an active or disabled rule. Undefined: rules were never proposed. */
export async function readProposals({ tables }: Pick<CrawlContext, 'tables'>): Promise<StoredProposals | undefined> {
  const stored = await tables.proposals.read();
  if (!stored) return undefined;
  const { rules } = await tables.rules.read();
  const known = await inTimeSlices(sayingsOf(rules));
  let { damaged = 0 } = stored;
  const proposals = stored.proposals.filter(({ rule }) => {
    const says = sayingOf(rule);
    if (says === undefined) damaged += 1;
    return says !== undefined && !known.has(says);
  });
  return { ...stored, proposals, ...(damaged > 0 && { damaged }) };
}

function* sayingsOf(rules: readonly Rule[]): Steps<Set<string>> {
  const known = new Set<string>();
  for (const rule of rules) if (known.add(saying(rule)).size % 1000 === 0) yield;
  return known;
}

/** Options of {@link applyProposals}. */
export interface ApplyProposalsOptions extends Pick<JobOptions, 'signal'> {
  /** Numbers of the proposals to add. Default: all proposals that do not equal a rule. */
  readonly numbers?: readonly number[];
  /** The id of the list from which the numbers are. Absent: the stored list. */
  readonly list?: string;
  /** Folder for the files of the graph, as in `propose`. */
  readonly folder?: string;
}

/**
 * Adds proposed rules, all or none. All conditions of {@link checkCandidates} are checked again with the present table and the present
 * rules, because rules may have been added after the proposals were made. The minimum share of a domain is checked for all proposals of
 * the list together.
 * @throws CrawlError UNKNOWN_PROPOSAL for a number that is not in the list; STALE_PROPOSAL if there is another list now, a rule already
 *   equals one of the proposals, or a condition fails now (the message says what has changed); STORE_FULL, BAD_OUTPUT
 */
export async function applyProposals(
  crawl: CrawlContext,
  { numbers, list, folder = tmpdir(), signal }: ApplyProposalsOptions = {},
): Promise<AddedRules> {
  return serialised(crawl.tables, async () => {
    const stored = await crawl.tables.proposals.read();
    if (list !== undefined && stored?.id !== list) throw stale('another list of proposals has been made since');
    const wanted = numbers ? select(stored, numbers) : ((await readProposals(crawl))?.proposals ?? []);
    const ruleSet = await latestRules(crawl);
    if (wanted.length === 0) return { added: [], known: [], contradictions: [] };
    const bySaying = new Map(ruleSet.stored.rules.map((rule) => [saying(rule), rule]));
    const rules = wanted.map(({ rule }) => checkRule({ ...rule, origin: 'generated' }));
    for (const [i, rule] of rules.entries()) {
      const known = bySaying.get(saying(rule));
      if (known) {
        const state = known.state === 'active' ? 'has the same content' : 'has the same content and is disabled';
        throw staleOf(wanted[i]!, rule, `rule ${known.id} ${state}`);
      }
      if (rule.kind === 'www') {
        const other = ruleSet.active.find(({ kind, scope }) => kind === 'www' && scope === rule.scope);
        if (other) throw staleOf(wanted[i]!, rule, `rule ${other.id} contradicts it`);
      }
    }
    // All proposals of the list in these domains count for the share.
    const domains = new Set(wanted.map(({ domain }) => domain));
    const chosen = new Set(wanted.map(({ number }) => number));
    const others = (stored?.proposals ?? []).filter(
      ({ domain, number, rule }) => domains.has(domain) && !chosen.has(number) && sayingOf(rule) !== undefined,
    );
    const open = others.map(candidateOf).filter(({ rule }) => !bySaying.has(saying(rule)));
    const { settings } = crawl;
    const checked = await withWorkFolder(folder, async (work): Promise<Checked> => {
      const onRow = (): void => undefined;
      await using graph = await readGraph(crawl, ruleSet, { folder: work, onRow, fail: onRow, signal });
      const isChosen = (rule: number): boolean => rule < wanted.length;
      return await checkCandidates(graph, [...wanted.map(candidateOf), ...open], {
        ...settings.propose,
        isChosen,
        signal,
      });
    });
    for (const [i, rule] of rules.entries()) {
      const candidate = checked.candidates[i]!;
      if (!candidate.dropped) continue;
      const { relevant = 0 } = checked.domains.get(domainOfRule(rule) ?? '') ?? {};
      throw staleOf(wanted[i]!, rule, whyDropped(candidate, { ...settings.propose, relevant }));
    }
    signal?.throwIfAborted();
    return addProposed(crawl, wanted, ruleSet.version);
  });
}

function select(stored: StoredProposals | undefined, numbers: readonly number[]): readonly StoredProposal[] {
  const proposals = stored?.proposals ?? [];
  const byNumber = new Map(proposals.map((proposal) => [proposal.number, proposal]));
  return [...new Set(numbers)].map((number) => {
    const found = byNumber.get(number);
    if (found) return found;
    throw new CrawlError(
      'UNKNOWN_PROPOSAL',
      `expected the number of a proposal, ${proposals.length === 0 ? 'but there are none' : `1 to ${proposals.length}`}, found ${safeText(String(number), 40)}`,
      { hint: '`webcrawl rules propose` makes proposals and shows their numbers' },
    );
  });
}

function candidateOf({ rule, reason, isOfCopies }: StoredProposal): CandidateRule {
  return { rule: checkRule({ ...rule, origin: 'generated' }), reason, isOfCopies: isOfCopies === true };
}

function whyDropped(
  { dropped, because }: CheckedCandidate,
  { relevant, minRelevant, minShare }: { relevant: number; minRelevant: number; minShare: number },
): string {
  const url = safeText(because ?? '', 300);
  switch (dropped) {
    case 'damaged_domain':
      return 'a row of its domain cannot be read, so its links are unknown';
    case 'rejects_kept':
      return `it would reject ${url}, which is relevant, a seed, or protected by another rule`;
    case 'untried':
      return 'too few of the pages that it rejects were read to know where they lead';
    case 'unreached':
      return `it may cut the way to ${url}, a relevant page that no seed leads to`;
    case 'cuts_only_way':
      return `it would cut the only way to ${url}, which is relevant`;
    case 'too_few_relevant':
      return `the domain has ${relevant} relevant pages by the present rules, and propose.minRelevant is ${minRelevant}`;
    case 'too_small_share':
      return `the rules would reject too small a share of the domain: propose.minShare is ${minShare}`;
    default:
      return 'it would reject no other page';
  }
}

function staleOf({ number }: StoredProposal, rule: CheckedRule, why: string): CrawlError {
  return stale(`proposal ${number} (${describeRule(rule)}) no longer holds: ${why}`);
}

function stale(what: string): CrawlError {
  return new CrawlError('STALE_PROPOSAL', `${what}; no rule was added`, {
    hint: '`webcrawl rules propose` makes new proposals from the present table',
  });
}
