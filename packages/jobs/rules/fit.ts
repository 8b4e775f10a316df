import type { HostLeads, PageRow } from '../../../webtable/index.js';
import type { FitFields } from '../../rules/index.js';
import type { CrawlContext } from '../context.js';

/** What of a row rules on usefulness decide. */
export const FIT_FIELDS = ['fit', 'fitBonus'] as const;

/**
 * What the rules say of a row that is made, whose score has come through the scoring filters.
 * @param leads where pages of its host have led, of a page that was not fetched
 */
export function fitFields({ ruleSet }: Pick<CrawlContext, 'ruleSet'>, url: string, leads?: HostLeads): FitFields {
  return ruleSet?.fitFields(url, leads) ?? {};
}

/** The fields that they leave out: what an earlier set of rules said there does not hold any more. */
export function missingFit(crawl: Pick<CrawlContext, 'ruleSet'>, url: string): readonly (typeof FIT_FIELDS)[number][] {
  const found = fitFields(crawl, url);
  return FIT_FIELDS.filter((field) => found[field] === undefined);
}

/** A change of what a row has in its score for being useful, or for where pages like it led. */
export interface FitChange {
  /** To be added to the score. */
  readonly lift: number;
  readonly set: FitFields;
  readonly unset: readonly 'fitBonus'[];
}

/** None. */
export const NO_FIT_CHANGE: FitChange = { lift: 0, set: {}, unset: [] };

/**
 * The same decided anew of a row that is there. Whether it is useful stays as it is, be it by rules of before.
 * @param leads as of {@link fitFields}
 */
export function refit(
  crawl: Pick<CrawlContext, 'ruleSet'>,
  url: string,
  { fit, fitBonus = 0 }: Partial<Pick<PageRow<(typeof FIT_FIELDS)[number]>, 'fit' | 'fitBonus'>>,
  leads: HostLeads | undefined,
): FitChange {
  const set = fitFields(crawl, url, leads);
  const lift = (set.fitBonus ?? 0) - fitBonus;
  if (fit === undefined || fit !== set.fit || lift === 0) return NO_FIT_CHANGE;
  return { lift, set, unset: set.fitBonus === undefined ? ['fitBonus'] : [] };
}
