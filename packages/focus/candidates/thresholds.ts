import type { DomainFacts, FinderRow } from './candidate.js';

/**
 * Limits that a section must reach before a finder calls it useless. They are not settings. With smaller values, chance would decide.
 * With larger values, fewer sections would be found. Every candidate is also checked on the link graph.
 */

/** With fewer rows, a rule is not worth a decision. */
export const MIN_REJECTED_ROWS = 50;

/**
 * Minimum number of fetched pages of a section that may count as a section without relevant pages. If one page in seven were relevant, 20
 * random pages would have no relevant page in 5 cases of 100.
 */
export const MIN_FETCHED = 20;

/** For the same reason as {@link MIN_FETCHED}. */
const MIN_COMPARED = 20;

/** Minimum share of equal pairs among the compared pairs. One page in twenty may have changed between two fetches. */
export const MIN_ALIKE_SHARE = 0.95;

/** A few odd values, written by hand, do not matter. */
export const NEARLY_ALL_SHARE = 0.9;

/**
 * Maximum number of names, templates or prefixes that are counted at the same time for one host. If there are more, those with the fewest
 * rows are dropped.
 */
export const MAX_TRACKED = 512;

/** Of one kind for one domain: those with the most rows. */
export const MAX_CANDIDATES = 100;

const MAX_EXAMPLES = 3;

/** Maximum number of characters of an example. Longer URLs are no examples. */
const MAX_EXAMPLE_UTF16_UNITS = 1_000;

export function addExample(examples: string[], url: string): void {
  if (examples.length < MAX_EXAMPLES && url.length <= MAX_EXAMPLE_UTF16_UNITS) examples.push(url);
}

/** Whether a page was requested, with any result. */
export function isAsked({ status }: Pick<FinderRow, 'status'>): boolean {
  return status !== undefined && status !== 'unfetched';
}

/** Minimum share of an endless section among the rows of its domain, if there is no `relevant` rule. */
const MIN_SHARE_WITHOUT_RELEVANCE = 0.5;

/**
 * Whether a section without relevant pages may become a candidate. Enough of its pages must have been fetched, and enough pages elsewhere
 * must be relevant. Without a `relevant` rule, the section must have half of the known rows of the domain, and people must decide on the
 * candidate.
 */
export function isWorthRejecting(
  { rows, fetched }: { readonly rows: number; readonly fetched: number },
  { hasRelevant, isForReview = false, relevant, rows: all }: DomainFacts,
  minRelevant: number,
): boolean {
  if (fetched < MIN_FETCHED) return false;
  return hasRelevant ? relevant >= minRelevant : isForReview && rows >= MIN_SHARE_WITHOUT_RELEVANCE * all;
}

export function becauseOf(what: string, { hasRelevant }: Pick<DomainFacts, 'hasRelevant'>): string {
  return `${what}; ${hasRelevant ? 'no page is relevant' : 'at least half of the pages of the domain'}`;
}

/** A share with two decimals; undefined if the whole is 0. */
export function shareOf(some: number, all: number): number | undefined {
  return all === 0 ? undefined : Math.round((some / all) * 100) / 100;
}

export function areAlike(alike: number, compared: number): boolean {
  return compared >= MIN_COMPARED && alike >= MIN_ALIKE_SHARE * compared;
}
