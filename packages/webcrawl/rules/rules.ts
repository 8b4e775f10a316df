import { CrawlError, messageOf, safeText } from '../../errors/index.js';
import type { ProposeOptions, ProposeReport } from '../../focus/index.js';
import { jobContext, type CrawlContext, type JobContext, type JobOptions } from '../../jobs/index.js';
import {
  addChecked,
  checkRule,
  listRules,
  removeRules,
  rulesOf,
  saying,
  setRuleState,
  type AddedRules,
  type CheckedRule,
  type ListedRule,
} from '../../rules/index.js';
import { checked, watched } from '../jobs.js';
import { late } from '../late.js';
import { checks } from '../options/job-options.js';
import type { OpenContext } from '../open-context.js';
import type { CrawlRules, RuleEditOptions } from './crawl-rules.js';

const focus = () => import('../../focus/index.js');
const { applyRules, mustBeHarmless, readProposals, testRules } = late(
  focus,
  'applyRules',
  'mustBeHarmless',
  'readProposals',
  'testRules',
);

export type RulesCrawl = Pick<OpenContext, 'tables' | 'rules' | 'settings' | 'clock'>;

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

/** A function of {@link CrawlRules}, with the crawl as its first argument. Some run jobs, and need all of it. */
type OfCrawl<N extends keyof CrawlRules> = CrawlRules[N] extends (...given: infer A) => infer R
  ? (crawl: N extends 'apply' | 'propose' | 'applyProposals' ? CrawlContext : RulesCrawl, ...given: A) => R
  : never;

export const rules: { readonly [N in Exclude<keyof CrawlRules, 'prefixes'>]: OfCrawl<N> } = {
  list: listRules,

  async show(crawl, id) {
    const found = await listRules(crawl);
    return rulesOf(found, [id])[0] as ListedRule;
  },

  count: async (crawl, options) => (await focus()).countRules(crawl, options),

  async history({ tables }, ids) {
    return tables.rules.histories(ids ?? (await tables.rules.read()).rules.map(({ id }) => id));
  },

  async report(crawl, options) {
    const report = await (await focus()).reportRules(crawl, options);
    const counts = new Map(report.rules.map(({ rule, counts }) => [rule.id, counts]));
    if (!report.interrupted) await crawl.tables.rules.noteCounts(counts, report.at);
    return report;
  },

  add: (crawl, given, options = {}) => addAll(crawl, listOf(given).map(checkRule), options),

  async disable(crawl, ids, { yes = false } = {}) {
    if (!yes) await mustBeDispensable(crawl, listOf(ids));
    return setRuleState(crawl, listOf(ids), 'disabled');
  },

  async enable(crawl, ids, { yes = false } = {}) {
    const found = rulesOf(await crawl.tables.rules.read(), listOf(ids)).filter(({ state }) => state === 'disabled');
    if (!yes) {
      await mustBeHarmless(
        crawl,
        found.map((rule) => ({ ...rule, state: 'active' })),
      );
    }
    return setRuleState(crawl, listOf(ids), 'active');
  },

  async remove(crawl, ids, { yes = false, forget = false } = {}) {
    if (!yes) await mustBeDispensable(crawl, listOf(ids));
    return removeRules(crawl, listOf(ids), { forget });
  },

  test: (crawl, given, options) => testRules(crawl, listOf(given).map(checkRule), options),

  async import(crawl, lines, options = {}) {
    const given: CheckedRule[] = [];
    let number = 0;
    for await (const line of lines) {
      number += 1;
      if (line.trim() === '') continue;
      given.push(ruleOfLine(line, number));
    }
    return addAll(crawl, given, options);
  },

  async *export({ tables }) {
    for (const rule of (await tables.rules.read()).rules) yield JSON.stringify(rule);
  },

  apply: checked(checks.applyRules, watched('rules apply', applyRules)),

  propose: checked(checks.propose, watched('rules propose', proposeAndApply)),

  proposals: readProposals,

  async applyProposals(crawl, options = {}) {
    checks.applyProposals(options);
    const added = await (await focus()).applyProposals(crawl, options);
    await applyAdded(jobContext(crawl), added, options);
    return added;
  },
};

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
