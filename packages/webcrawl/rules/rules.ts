import { CrawlError, messageOf, safeText } from '../../errors/index.js';
import {
  applyProposals,
  propose,
  readProposals,
  reportRules,
  type ApplyProposalsOptions,
  type ProposeOptions,
  type ProposeReport,
  type RuleReport,
} from '../../focus/index.js';
import {
  applyRules,
  mustBeHarmless,
  testRules,
  type CrawlContext,
  type JobOptions,
  type Report,
  type RuleEffect,
} from '../../jobs/index.js';
import {
  addChecked,
  checkRule,
  compareRules,
  compileRules,
  contradictionsOf,
  removeRules,
  rulesOf,
  saying,
  setRuleState,
  type AddedRules,
  type CheckedRule,
  type Contradiction,
  type NewRule,
  type RemovedRules,
} from '../../rules/index.js';
import type { Rule, RuleCounts, RulePoint, StoredProposals } from '../../../webtable/index.js';
import { watched } from '../jobs.js';
import type { Crawl } from '../open-crawl.js';

/** A rule with what it has decided. */
export type ListedRule = Rule & { readonly counts: RuleCounts };

/** All rules of a table. */
export interface RuleList {
  /** Differs after every edit; empty where there was none. */
  readonly version: string;
  /** In the order in which they are asked. */
  readonly rules: readonly ListedRule[];
  readonly contradictions: readonly Contradiction[];
  /** Of those that cannot be used, and are not asked, why; by id. */
  readonly broken: Readonly<Record<string, string>>;
}

/** What rules need of a crawl: that of `openCrawl`. */
export type RulesCrawl = Pick<Crawl, 'tables' | 'rules' | 'settings' | 'clock'>;

/** How rules are changed. */
export interface RuleEditOptions {
  /** Also where they cut a seed, or every page of the table. Default: false. */
  readonly yes?: boolean;
}

const NOTHING: RuleCounts = { refused: 0, fit: 0, links: 0 };

async function list({ tables, rules, settings }: RulesCrawl): Promise<RuleList> {
  await rules.flush();
  const stored = await tables.rules.read();
  const counts = await tables.rules.counts();
  const listed = [...stored.rules].sort(compareRules);
  return {
    version: stored.version,
    rules: listed.map((rule) => ({ ...rule, counts: counts.get(rule.id) ?? NOTHING })),
    contradictions: contradictionsOf(stored.rules),
    broken: Object.fromEntries(compileRules(stored, settings.scoring.fit).broken),
  };
}

async function addAll(crawl: RulesCrawl, given: readonly CheckedRule[], { yes = false }: RuleEditOptions) {
  if (!yes) {
    const there = new Set((await crawl.tables.rules.read()).rules.map(saying));
    await mustBeHarmless(
      crawl,
      given.filter((rule) => !there.has(saying(rule))),
    );
  }
  return addChecked(crawl, given);
}

/** Makes sure that no `accept` or `www` rule which is active is missed once it is not. */
async function mustBeDispensable(crawl: RulesCrawl, ids: readonly string[]): Promise<void> {
  const { rules: all } = await crawl.tables.rules.read();
  const found = all.filter(({ id, state }) => state === 'active' && ids.includes(id));
  await mustBeHarmless(
    crawl,
    found.map((rule) => ({ ...rule, state: 'disabled' })),
  );
}

/** Proposes rules, and applies what it has added of `www`. */
const proposeAndApply = async (crawl: CrawlContext, options: ProposeOptions = {}): Promise<ProposeReport> => {
  const found = await propose(crawl, options);
  if (!found.added) return found;
  const { counters = {} } = (await applyAdded(crawl, found.added, options)) ?? {};
  return { ...found, counters: { ...found.counters, ...(counters['moved'] && { moved: counters['moved'] }) } };
};

/**
 * Pages that are known under the form that a `www` rule does away with get rows under the other. Where it does not come to that, the next
 * crawl does it.
 */
async function applyAdded(crawl: CrawlContext, { added }: AddedRules, { signal }: Pick<JobOptions, 'signal'>) {
  if (!added.some(({ kind }) => kind === 'www')) return undefined;
  return applyRules(crawl, { ...(signal && { signal }) });
}

const listOf = <T extends string | object>(one: T | readonly T[]): readonly T[] =>
  Array.isArray(one) ? (one as readonly T[]) : [one as T];

/**
 * The rules of a table: said by hand or made by the crawler, and changed while a crawl runs, also by another process: a running job takes a
 * change within a second or two. Every edit is made as a whole or not at all.
 */
export const rules = {
  /**
   * All rules, in the order in which they are asked, with what they have decided.
   * @throws CrawlError TABLE_LOCKED, STORE_FAILED, as all of these do where the table cannot be reached or read
   */
  list,

  /** One rule. @throws CrawlError UNKNOWN_RULE */
  async show(crawl: RulesCrawl, id: string): Promise<ListedRule> {
    const found = await list(crawl);
    return rulesOf(found, [id])[0] as ListedRule;
  },

  /** What rules have decided over time, by id: of each its moments, oldest first. Default: of all rules. */
  async history(
    { tables, rules }: RulesCrawl,
    ids?: readonly string[],
  ): Promise<ReadonlyMap<string, readonly RulePoint[]>> {
    await rules.flush();
    return tables.rules.histories(ids ?? (await tables.rules.read()).rules.map(({ id }) => id));
  },

  /** What each rule cut or let through, and what the pages are worth, see `reportRules` of packages/focus. It reads the whole table. */
  report: (crawl: RulesCrawl, options: JobOptions = {}): Promise<RuleReport> => reportRules(crawl, options),

  /**
   * Adds rules, all or none; of what another rule says already none is added.
   * @throws CrawlError BAD_RULE for one that is wrong; RULE_DANGER, whose `details` are a `RuleDanger`
   */
  add: (crawl: RulesCrawl, given: NewRule | readonly NewRule[], options: RuleEditOptions = {}): Promise<AddedRules> =>
    addAll(crawl, listOf(given).map(checkRule), options),

  /**
   * Disables rules: they stay, and are not asked.
   * @throws CrawlError UNKNOWN_RULE; RULE_DANGER where it is an `accept` rule without which others cut a seed, or every page
   */
  async disable(
    crawl: RulesCrawl,
    ids: string | readonly string[],
    { yes = false }: RuleEditOptions = {},
  ): Promise<readonly Rule[]> {
    if (!yes) await mustBeDispensable(crawl, listOf(ids));
    return setRuleState(crawl, listOf(ids), 'disabled');
  },

  /** Makes rules active again. @throws CrawlError UNKNOWN_RULE, RULE_DANGER */
  async enable(
    crawl: RulesCrawl,
    ids: string | readonly string[],
    { yes = false }: RuleEditOptions = {},
  ): Promise<readonly Rule[]> {
    const found = rulesOf(await crawl.tables.rules.read(), listOf(ids)).filter(({ state }) => state === 'disabled');
    if (!yes) {
      await mustBeHarmless(
        crawl,
        found.map((rule) => ({ ...rule, state: 'active' })),
      );
    }
    return setRuleState(crawl, listOf(ids), 'active');
  },

  /**
   * Removes rules. Generated ones stay, disabled, so that they are not generated again.
   * @param options `forget`: remove these as well
   * @throws CrawlError UNKNOWN_RULE; RULE_DANGER where it is an `accept` rule without which others cut a seed, or every page
   */
  async remove(
    crawl: RulesCrawl,
    ids: string | readonly string[],
    { yes = false, forget = false }: RuleEditOptions & { readonly forget?: boolean } = {},
  ): Promise<RemovedRules> {
    if (!yes) await mustBeDispensable(crawl, listOf(ids));
    return removeRules(crawl, listOf(ids), { forget });
  },

  /** Says what rules would do to the rows that are there, and changes nothing. @throws CrawlError BAD_RULE */
  test: (
    crawl: RulesCrawl,
    given: NewRule | readonly NewRule[],
    options: Pick<JobOptions, 'signal'> = {},
  ): Promise<RuleEffect> => testRules(crawl, listOf(given).map(checkRule), options),

  /**
   * Adds the rules of lines of JSON as `export` writes them, all or none; empty lines say nothing. They get ids of this table.
   * @throws CrawlError BAD_RULE that names the first line that is wrong; RULE_DANGER
   */
  async import(
    crawl: RulesCrawl,
    lines: Iterable<string> | AsyncIterable<string>,
    options: RuleEditOptions = {},
  ): Promise<AddedRules> {
    const given: CheckedRule[] = [];
    let number = 0;
    for await (const line of lines) {
      number += 1;
      if (line.trim() === '') continue;
      given.push(ruleOfLine(line, number));
    }
    return addAll(crawl, given, options);
  },

  /** The rules as lines of JSON, by age; without those that cannot be read. */
  async *export({ tables }: Pick<RulesCrawl, 'tables'>): AsyncGenerator<string> {
    for (const rule of (await tables.rules.read()).rules) yield JSON.stringify(rule);
  },

  /** Applies the rules to the rows that are there, see `applyRules` of packages/jobs. */
  apply: watched('rules apply', applyRules) as (crawl: Crawl, options?: JobOptions) => Promise<Report>,

  /**
   * Proposes rules from what the table holds, and with `apply` adds them, see `propose` of packages/focus. Of those on `www` that it adds, it does
   * what `apply` does.
   */
  propose: watched('rules propose', proposeAndApply) as (
    crawl: Crawl,
    options?: ProposeOptions,
  ) => Promise<ProposeReport>,

  /**
   * The rules that were proposed last and are not there yet; undefined where none were ever proposed. What cannot be read of them is left
   * out, and counted in `damaged`.
   */
  proposals: (crawl: Pick<RulesCrawl, 'tables'>): Promise<StoredProposals | undefined> => readProposals(crawl),

  /**
   * Adds rules that were proposed, all or none, after their conditions were checked anew. Of those on `www` it does what `apply` does.
   * @throws CrawlError UNKNOWN_PROPOSAL, STALE_PROPOSAL; BAD_RULE for one that cannot be used; STORE_FULL, BAD_OUTPUT; the reason of `signal`
   */
  async applyProposals(crawl: Crawl, options: ApplyProposalsOptions = {}): Promise<AddedRules> {
    const added = await applyProposals(crawl, options);
    await applyAdded(crawl, added, options);
    return added;
  },
} as const;

function ruleOfLine(line: string, number: number): CheckedRule {
  try {
    return checkRule(JSON.parse(line));
  } catch (error) {
    const why = error instanceof SyntaxError ? `expected JSON, found "${safeText(line, 200)}"` : messageOf(error);
    throw new CrawlError('BAD_RULE', `line ${number}: ${why}`, {
      hint: (error instanceof CrawlError ? error.hint : undefined) ?? 'nothing was imported',
      cause: error,
    });
  }
}
