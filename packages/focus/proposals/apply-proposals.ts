import { tmpdir } from 'node:os';
import { CrawlError, safeText } from '../../errors/index.js';
import { withWorkFolder } from '../../graph/index.js';
import type { CrawlContext, JobOptions } from '../../jobs/index.js';
import { checkRule, describeRule, saying, type AddedRules, type CheckedRule } from '../../rules/index.js';
import type { ProposedRule, StoredProposal, StoredProposals } from '../../../webtable/index.js';
import { checkCandidates, type CandidateRule, type Checked, type CheckedCandidate } from './check-candidates.js';
import { addProposed } from './propose.js';
import { domainOfRule } from './cut-pages.js';
import { inTurn } from './in-turn.js';
import { readGraph } from './read-graph.js';

/** The proposals that are there, without those that a rule says by now, in force or disabled; undefined where none were ever made. */
export async function readProposals({ tables }: Pick<CrawlContext, 'tables'>): Promise<StoredProposals | undefined> {
  const stored = await tables.proposals.read();
  if (!stored) return undefined;
  const { rules } = await tables.rules.read();
  const known = new Set(rules.map(saying));
  let { damaged = 0 } = stored;
  const proposals = stored.proposals.filter(({ rule }) => {
    const says = sayingOf(rule);
    if (says === undefined) damaged += 1;
    return says !== undefined && !known.has(says);
  });
  return { ...stored, proposals, ...(damaged > 0 && { damaged }) };
}

/** Undefined of a rule that cannot be used. */
function sayingOf(rule: ProposedRule): string | undefined {
  try {
    return saying(checkRule(rule));
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'BAD_RULE') return undefined;
    throw error;
  }
}

/** Which proposals to apply, and how. */
export interface ApplyProposalsOptions extends Pick<JobOptions, 'signal'> {
  /** By number. Default: all that no rule says already. */
  readonly numbers?: readonly number[];
  /** The id of the list that the numbers are of. Absent: whichever is there. */
  readonly list?: string;
  /** As of `propose`. */
  readonly folder?: string;
}

/**
 * Adds rules that were proposed, all or none. The conditions under which they were proposed are checked anew, with the table and the rules
 * as they are now: all of {@link checkCandidates}, of the share with the other proposals of the list for these domains. Other rules may have come meanwhile.
 * @throws CrawlError UNKNOWN_PROPOSAL for a number that the list has not; STALE_PROPOSAL, which says what has changed, where another
 *   list has come, a rule says one of them already, or a condition does not hold any more; STORE_FULL, BAD_OUTPUT
 */
export async function applyProposals(
  crawl: CrawlContext,
  { numbers, list, folder = tmpdir(), signal }: ApplyProposalsOptions = {},
): Promise<AddedRules> {
  return inTurn(crawl.tables, async () => {
    const stored = await crawl.tables.proposals.read();
    if (list !== undefined && stored?.id !== list) throw stale('another list of proposals has been made since');
    const wanted = numbers ? select(stored, numbers) : ((await readProposals(crawl))?.proposals ?? []);
    // What another process has changed is not to be missed.
    crawl.rules?.changed();
    const ruleSet = await crawl.rules?.current();
    if (!ruleSet || wanted.length === 0) return { added: [], known: [], contradictions: [] };
    const bySaying = new Map(ruleSet.stored.rules.map((rule) => [saying(rule), rule]));
    const rules = wanted.map(({ rule }) => checkRule({ ...rule, origin: 'generated' }));
    for (const [i, rule] of rules.entries()) {
      const known = bySaying.get(saying(rule));
      if (known) {
        const state = known.state === 'active' ? 'says the same' : 'says the same and is disabled';
        throw staleOf(wanted[i]!, rule, `rule ${known.id} ${state}`);
      }
      if (rule.kind === 'www') {
        const other = ruleSet.active.find(({ kind, scope }) => kind === 'www' && scope === rule.scope);
        if (other) throw staleOf(wanted[i]!, rule, `rule ${other.id} says the opposite`);
      }
    }
    // The share is that of the list.
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
      const { useful = 0 } = checked.domains.get(domainOfRule(rule) ?? '') ?? {};
      throw staleOf(wanted[i]!, rule, whyDropped(candidate, { ...settings.propose, useful }));
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
      `expected the number of a proposal, ${proposals.length === 0 ? 'of which there are none' : `1 to ${proposals.length}`}, found ${safeText(String(number), 40)}`,
      { hint: '`webcrawl rules propose` makes proposals and shows their numbers' },
    );
  });
}

function candidateOf({ rule, reason, isOfCopies }: StoredProposal): CandidateRule {
  return { rule: checkRule({ ...rule, origin: 'generated' }), reason, isOfCopies: isOfCopies === true };
}

function whyDropped(
  { dropped, because }: CheckedCandidate,
  { useful, minUseful, minShare }: { useful: number; minUseful: number; minShare: number },
): string {
  const url = safeText(because ?? '', 300);
  switch (dropped) {
    case 'damaged_domain':
      return 'a row of its domain cannot be read, and nobody knows where it led';
    case 'cuts_kept':
      return `it would cut ${url}, which is useful, a seed, or kept by another rule`;
    case 'untried':
      return 'too few of the pages that it cuts were read to know where they lead';
    case 'unreached':
      return `it may cut the way to ${url}, which is useful, and to which no seed leads`;
    case 'cuts_only_way':
      return `it would cut the only way to ${url}, which is useful`;
    case 'too_few_useful':
      return `the domain has ${useful} useful pages by the rules of now, and propose.minUseful is ${minUseful}`;
    case 'too_small_share':
      return `of the domain less is cut than propose.minShare, which is ${minShare}`;
    default:
      return 'it cuts no page that is left';
  }
}

function staleOf({ number }: StoredProposal, rule: CheckedRule, why: string): CrawlError {
  return stale(`proposal ${number} (${describeRule(rule)}) does not hold any more: ${why}`);
}

function stale(what: string): CrawlError {
  return new CrawlError('STALE_PROPOSAL', `${what}; no rule was added`, {
    hint: '`webcrawl rules propose` makes new proposals by the table of now',
  });
}
