import type { RelevanceFields } from '../../plugin-api/index.js';
import type { RulesInForce } from './rules-now.js';

/** The fields of a row that rules of kind `relevant` set. */
export const RELEVANCE_FIELDS = ['relevant', 'relevantBonus'] as const;

/** Returns the relevance fields of a new row. Call it after the scoring filters have computed the score. */
export function relevanceFields({ ruleSet }: RulesInForce, url: string): RelevanceFields {
  return ruleSet.relevanceFields(url);
}

/**
 * Returns the relevance fields that the present rules do not set for a URL. If a row has such a field, an earlier rule has set it, and the
 * field is no longer valid.
 */
export function missingRelevance(rules: RulesInForce, url: string): readonly (typeof RELEVANCE_FIELDS)[number][] {
  const found = relevanceFields(rules, url);
  return RELEVANCE_FIELDS.filter((field) => found[field] === undefined);
}
