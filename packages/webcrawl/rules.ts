import type { Crawl } from './open-crawl.js';
import {
  addRules,
  contradictionsOf,
  compareRules,
  removeRules,
  rulesOf,
  setRuleState,
  type AddedRules,
  type Contradiction,
  type NewRule,
  type RemovedRules,
} from '../rules/index.js';
import type { Rule, RuleCounts } from '../../webtable/index.js';

/** A rule with what it has decided. */
export type ListedRule = Rule & { readonly counts: RuleCounts };

/** All rules of a table. */
export interface RuleList {
  /** Differs after every edit; empty where there was none. */
  readonly version: string;
  /** In the order in which they are asked. */
  readonly rules: readonly ListedRule[];
  readonly contradictions: readonly Contradiction[];
  /** The ids of those that cannot be read. */
  readonly damaged: readonly string[];
}

const NOTHING: RuleCounts = { refused: 0, fit: 0, links: 0 };

async function list({ tables }: Pick<Crawl, 'tables'>): Promise<RuleList> {
  const { version, rules: all, damaged } = await tables.rules.read();
  const counts = await tables.rules.counts();
  const listed = [...all].sort(compareRules).map((rule) => ({ ...rule, counts: counts.get(rule.id) ?? NOTHING }));
  return { version, rules: listed, contradictions: contradictionsOf(all), damaged };
}

/** What is done with the rules of a table, while a crawl runs or not. */
export const rules = {
  /** All rules. */
  list,
  async show(crawl: Pick<Crawl, 'tables'>, id: string): Promise<ListedRule> {
    const [rule] = rulesOf(await list(crawl), [id]) as ListedRule[];
    return rule!;
  },
  /** Adds rules, all or none. */
  add(crawl: Crawl, given: NewRule | readonly NewRule[], _options: { readonly yes?: boolean } = {}): Promise<AddedRules> {
    return addRules(crawl, Array.isArray(given) ? (given as readonly NewRule[]) : [given as NewRule]);
  },
  disable: (crawl: Crawl, ids: readonly string[]): Promise<readonly Rule[]> => setRuleState(crawl, ids, 'disabled'),
  enable: (crawl: Crawl, ids: readonly string[]): Promise<readonly Rule[]> => setRuleState(crawl, ids, 'active'),
  remove: (crawl: Crawl, ids: readonly string[], options?: { readonly forget?: boolean }): Promise<RemovedRules> =>
    removeRules(crawl, ids, options),
} as const;
