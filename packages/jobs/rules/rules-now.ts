import type { Plugin, TableRules, TableRuleSet } from '../../plugin-api/index.js';
import type { CrawlContext } from '../context.js';

/** The rules of a table at one moment, with the plugins to which they belong. */
export interface RulesInForce {
  /** The plugins of the crawl. If a rule is active, the rules are the last plugin. The same rules give the same list. */
  readonly plugins: readonly Plugin[];
  readonly ruleSet: TableRuleSet;
}

/**
 * Returns the rules that are in force now. A job calls it for each chunk of its work. Therefore a change of the rules takes effect within
 * seconds, and each chunk uses one set of rules.
 */
export async function rulesNow({ plugins, rules }: Pick<CrawlContext, 'plugins' | 'rules'>): Promise<RulesInForce> {
  const ruleSet = await rules.current();
  return { plugins: ruleSet.addTo(plugins), ruleSet };
}

const EMPTY: TableRuleSet = {
  version: '',
  stored: { version: '', rules: [], damaged: [] },
  plugin: undefined,
  decides: () => undefined,
  rewrite: () => undefined,
  relevantRule: () => undefined,
  relevanceOf: () => undefined,
  relevanceFields: () => ({}),
  ruleOf: () => undefined,
  describe: () => undefined,
  addTo: (plugins) => plugins,
};

/** The rules of a crawl without a table. */
export const NO_RULES: TableRules = { current: () => Promise.resolve(EMPTY) };
