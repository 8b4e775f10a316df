import { CrawlError, messageOf, safeText } from '../../errors/index.js';
import type {
  ApplyProposalsOptions,
  ProposeOptions,
  ProposeReport,
  RuleEffect,
  RuleReport,
} from '../../focus/index.js';
import { jobContext, type JobContext, type JobOptions, type Report } from '../../jobs/index.js';
import {
  addChecked,
  checkRule,
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
import type { Rule, RulePoint, StoredProposals } from '../../../webtable/index.js';
import { checked, watched } from '../jobs.js';
import { late } from '../late.js';
import { checks } from '../options/job-options.js';
import type { OpenContext } from '../open-context.js';

const focus = () => import('../../focus/index.js');
const applyRules = late(async () => (await focus()).applyRules);
const mustBeHarmless = late(async () => (await focus()).mustBeHarmless);
const testRules = late(async () => (await focus()).testRules);

/** A rule with its decisions at the last count of the rows. */
export type ListedRule = Rule & {
  /** Absent: the decisions of this rule were not counted yet. */
  readonly counts?: RulePoint;
};

/** All rules of a table. */
export interface RuleList {
  /** Changes with every edit. Empty: no rule was ever added. */
  readonly version: string;
  /** The rules in order of evaluation. */
  readonly rules: readonly ListedRule[];
  readonly contradictions: readonly Contradiction[];
  /** Rules that are not evaluated because they cannot be used: the reason, by rule id. */
  readonly broken: Readonly<Record<string, string>>;
}

/** The part of an open crawl that the functions of rules need. */
export type RulesCrawl = Pick<OpenContext, 'tables' | 'rules' | 'settings' | 'clock'>;

/** Options for an edit of rules. */
export interface RuleEditOptions {
  /** Whether to make the edit even if the rules then reject a seed, or every page of the table. Default: false. */
  readonly yes?: boolean;
}

async function list({ tables, rules }: RulesCrawl): Promise<RuleList> {
  const set = await rules.latest();
  const { version, sorted, broken } = set;
  const counts = await tables.rules.counts();
  const listed: ListedRule[] = [];
  for (const rule of sorted) {
    while (tables.timeSlice.isOver) await tables.timeSlice.next();
    const found = counts.get(rule.id);
    listed.push({ ...rule, ...(found && { counts: found }) });
  }
  return {
    version,
    rules: listed,
    contradictions: await set.contradictions(),
    broken: Object.fromEntries(broken),
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

/** Checks that the rules without these active `accept` and `www` rules reject no seed, and not every page. */
async function mustBeDispensable(crawl: RulesCrawl, ids: readonly string[]): Promise<void> {
  const { rules: all } = await crawl.tables.rules.read();
  const found = all.filter(({ id, state }) => state === 'active' && ids.includes(id));
  await mustBeHarmless(
    crawl,
    found.map((rule) => ({ ...rule, state: 'disabled' })),
  );
}

const proposeAndApply = async (crawl: JobContext, options: ProposeOptions = {}): Promise<ProposeReport> => {
  const found = await (await focus()).propose(crawl, options);
  if (!found.added) return found;
  const { counters = {} } = (await applyAdded(crawl, found.added, options)) ?? {};
  return { ...found, counters: { ...found.counters, ...(counters['moved'] && { moved: counters['moved'] }) } };
};

/**
 * Moves pages to the form of host that new `www` rules prefer: the pages get rows under this form. If this is interrupted, the next crawl
 * completes it.
 */
async function applyAdded(crawl: JobContext, { added }: AddedRules, { signal }: Pick<JobOptions, 'signal'>) {
  if (!added.some(({ kind }) => kind === 'www')) return undefined;
  return applyRules(crawl, { ...(signal && { signal }) });
}

const listOf = <T extends string | object>(one: T | readonly T[]): readonly T[] =>
  Array.isArray(one) ? (one as readonly T[]) : [one as T];

/**
 * The rules of a table, written by hand or proposed by the crawler. They can be changed while a crawl runs, also by another process. A
 * running job uses a change within a second or two. Every edit is made as a whole or not at all.
 */
export const rules = {
  /**
   * Lists all rules in order of evaluation, each with its decisions from the last `count` or `report`.
   * @throws CrawlError TABLE_LOCKED or STORE_FAILED when the table cannot be reached or read; all functions of `rules` do
   */
  list,

  /** Returns one rule. @throws CrawlError UNKNOWN_RULE */
  async show(crawl: RulesCrawl, id: string): Promise<ListedRule> {
    const found = await list(crawl);
    return rulesOf(found, [id])[0] as ListedRule;
  },

  /** Counts the decisions of each rule in all rows, see `countRules` of packages/focus. It reads the whole table. */
  count: async (crawl: RulesCrawl, options: JobOptions = {}): Promise<void> =>
    (await focus()).countRules(crawl, options),

  /** Returns the decisions of rules at each of the last counts: a list by rule id, oldest first. Default: all rules. */
  async history(
    { tables }: Pick<RulesCrawl, 'tables'>,
    ids?: readonly string[],
  ): Promise<ReadonlyMap<string, readonly RulePoint[]>> {
    return tables.rules.histories(ids ?? (await tables.rules.read()).rules.map(({ id }) => id));
  },

  /**
   * Reports the pages that each rule rejects or accepts, and the value of these pages, see `reportRules` of packages/focus. It reads the
   * whole table. It also stores the counts of each rule, like `count`, except when it is interrupted.
   */
  async report(crawl: RulesCrawl, options: JobOptions = {}): Promise<RuleReport> {
    const report = await (await focus()).reportRules(crawl, options);
    const counts = new Map(report.rules.map(({ rule, counts }) => [rule.id, counts]));
    if (!report.interrupted) await crawl.tables.rules.noteCounts(counts, report.at);
    return report;
  },

  /**
   * Adds rules, all or none. A rule that equals an existing rule is not added.
   * @throws CrawlError BAD_RULE for a wrong rule; RULE_DANGER, with a `RuleDanger` as its `details`
   */
  add: (crawl: RulesCrawl, given: NewRule | readonly NewRule[], options: RuleEditOptions = {}): Promise<AddedRules> =>
    addAll(crawl, listOf(given).map(checkRule), options),

  /**
   * Disables rules. They stay in the table, but are not evaluated.
   * @throws CrawlError UNKNOWN_RULE; RULE_DANGER if an `accept` rule is disabled and the other rules then reject a seed or every page
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
   * Removes rules. Generated rules stay, but disabled, so that they are not generated again.
   * @param options `forget`: removes generated rules too
   * @throws CrawlError UNKNOWN_RULE; RULE_DANGER if an `accept` rule is removed and the other rules then reject a seed or every page
   */
  async remove(
    crawl: RulesCrawl,
    ids: string | readonly string[],
    { yes = false, forget = false }: RuleEditOptions & { readonly forget?: boolean } = {},
  ): Promise<RemovedRules> {
    if (!yes) await mustBeDispensable(crawl, listOf(ids));
    return removeRules(crawl, listOf(ids), { forget });
  },

  /**
   * Returns the effect that rules would have on the existing rows. It changes nothing.
   * @throws CrawlError BAD_RULE
   */
  test: (
    crawl: RulesCrawl,
    given: NewRule | readonly NewRule[],
    options: Pick<JobOptions, 'signal'> = {},
  ): Promise<RuleEffect> => testRules(crawl, listOf(given).map(checkRule), options),

  /**
   * Adds rules from lines of JSON, as `export` writes them, all or none. Empty lines are ignored. The rules get new ids of this table.
   * @throws CrawlError BAD_RULE that names the first wrong line; RULE_DANGER
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

  /** Yields the rules as lines of JSON, oldest first. Rules that cannot be read are left out. */
  async *export({ tables }: Pick<RulesCrawl, 'tables'>): AsyncGenerator<string> {
    for (const rule of (await tables.rules.read()).rules) yield JSON.stringify(rule);
  },

  /** Applies the rules to the existing rows, see `applyRules` of packages/focus. */
  apply: checked(checks.applyRules, watched('rules apply', applyRules)) as (
    crawl: OpenContext,
    options?: JobOptions,
  ) => Promise<Report>,

  /**
   * Proposes rules from the rows of the table, see `propose` of packages/focus. With `apply` it also adds them, and applies the `www` rules
   * among them to the existing rows.
   */
  propose: checked(checks.propose, watched('rules propose', proposeAndApply)) as (
    crawl: OpenContext,
    options?: ProposeOptions,
  ) => Promise<ProposeReport>,

  /**
   * Returns the last proposals that were not added yet. undefined: rules were never proposed. Proposals that cannot be read are left out,
   * and counted in `damaged`.
   */
  proposals: async (crawl: Pick<RulesCrawl, 'tables'>): Promise<StoredProposals | undefined> =>
    (await focus()).readProposals(crawl),

  /**
   * Checks the conditions of proposed rules again, then adds the rules, all or none. `www` rules are applied to the existing rows.
   * @throws CrawlError UNKNOWN_PROPOSAL, STALE_PROPOSAL; BAD_RULE for a rule that cannot be used; STORE_FULL, BAD_OUTPUT; the reason of
   * `signal`
   */
  async applyProposals(crawl: OpenContext, options: ApplyProposalsOptions = {}): Promise<AddedRules> {
    checks.applyProposals(options);
    const added = await (await focus()).applyProposals(crawl, options);
    await applyAdded(jobContext(crawl), added, options);
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
