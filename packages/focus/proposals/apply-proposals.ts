import { tmpdir } from 'node:os';
import { CrawlError, safeText } from '../../errors/index.js';
import { withWorkFolder } from '../../graph/index.js';
import type { CrawlContext, JobOptions } from '../../jobs/index.js';
import { checkRule, describeRule, saying, type AddedRules, type CheckedRule } from '../../rules/index.js';
import type { ProposedRule, StoredProposal, StoredProposals } from '../../../webtable/index.js';
import { checkCandidates, type CheckedCandidate, type Checked } from './check-candidates.js';
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
 * as they are now; other rules may have come meanwhile.
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
    const rules = wanted.map(({ rule }) => checkRule({ ...rule, origin: 'generated' }));
    const bySaying = new Map(ruleSet.stored.rules.map((rule) => [saying(rule), rule]));
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
    const { minUseful } = crawl.settings.propose;
    const checked = await withWorkFolder(folder, async (work): Promise<Checked> => {
      const onRow = (): void => undefined;
      await using graph = await readGraph(crawl, ruleSet, { folder: work, onRow, fail: onRow, signal });
      return await checkCandidates(graph, rules, { minShare: 0, signal });
    });
    for (const [i, candidate] of checked.candidates.entries()) {
      const proposal = wanted[i]!;
      const rule = rules[i]!;
      if (candidate.dropped) throw staleOf(proposal, rule, whyDropped(candidate));
      const { useful = 0 } = checked.domains.get(domainOfRule(rule) ?? '') ?? {};
      if (proposal.reason === 'useless_prefix' && useful < minUseful) {
        throw staleOf(
          proposal,
          rule,
          `the domain has ${useful} useful pages by the rules of now, and propose.minUseful is ${minUseful}`,
        );
      }
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

function whyDropped({ dropped, because }: CheckedCandidate): string {
  const url = safeText(because ?? '', 300);
  switch (dropped) {
    case 'cuts_kept':
      return `it would cut ${url}, which is useful, a seed, or kept by another rule`;
    case 'cuts_only_way':
      return `it would cut the only way to ${url}, which is useful`;
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
