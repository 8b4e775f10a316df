import type { FitFields } from '../../rules/index.js';
import type { CrawlContext } from '../context.js';

const FIELDS = ['fit', 'fitBonus'] as const;

/** What the rules say of a row that is made, whose score has come through the scoring filters. */
export function fitFields({ ruleSet }: Pick<CrawlContext, 'ruleSet'>, url: string): FitFields {
  return ruleSet?.fitFields(url) ?? {};
}

/** The fields that they leave out: what an earlier set of rules said there does not hold any more. */
export function missingFit(crawl: Pick<CrawlContext, 'ruleSet'>, url: string): readonly (typeof FIELDS)[number][] {
  const found = fitFields(crawl, url);
  return FIELDS.filter((field) => found[field] === undefined);
}
