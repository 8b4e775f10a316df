import type { CrawlContext } from '../../core/index.js';
import { compileRulesInSlices, type RuleSet } from '../../rules/index.js';

/** Reads the present rules, including an edit that another process has just made. */
export async function latestRules({ tables, settings }: Pick<CrawlContext, 'tables' | 'settings'>): Promise<RuleSet> {
  return compileRulesInSlices(await tables.rules.read(), settings.scoring.relevant);
}
