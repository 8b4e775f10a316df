import type { RelevanceFields } from '../../plugin-api/index.js';
import type { RulesInForce } from './rules-now.js';

/** The fields of a row that rules of kind `relevant` set. */
export const RELEVANCE_FIELDS = ['relevant', 'relevantBonus'] as const;

/** Returns the relevance fields of a new row. Call it after the scoring filters have computed the score. */
export function relevanceFields({ ruleSet }: RulesInForce, url: string): RelevanceFields {
  return ruleSet.relevanceFields(url);
}
