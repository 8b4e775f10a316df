import type { DomainFacts, FinderRow } from './candidate.js';

/**
 * What a finder asks for before it takes a section for a useless one. They are no settings: below them chance decides, above them
 * less is found, and what is found is checked on the link graph anyway.
 */

/** Rows that a rule cuts at least: for fewer the rule is not worth the while to read it. */
export const LEAST_ROWS = 50;

/**
 * Pages of a section that were fetched at least before it is said that nothing useful is in it, or found by it: were it one page of
 * seven, 20 pages in a row would be without in 5 cases of 100.
 */
export const LEAST_FETCHED = 20;

/** Pairs of pages that were compared at least, for the same reason. */
export const LEAST_COMPARED = 20;

/** Of the pairs that were compared those that are alike: one in twenty may have changed between two fetches. */
export const ALIKE = 0.95;

/** Of rows those that look so: a few odd values, written by hand, change nothing. */
export const MOST = 0.9;

/** Names, templates or prefixes of one host that are counted at the same time; those with the fewest rows go. */
export const TRACKED = 512;

/** What is found of one domain at the most, of one kind: those with the most rows. */
export const MOST_FOUND = 100;

/** URLs that are shown with a candidate. */
export const EXAMPLES = 3;

/** Longer ones are not shown. */
const LONGEST_EXAMPLE = 1_000;

/** Adds a URL to those that are shown, where there is room. */
export function addExample(examples: string[], url: string): void {
  if (examples.length < EXAMPLES && url.length <= LONGEST_EXAMPLE) examples.push(url);
}

/** Whether a page was asked for, whatever the answer. */
export function isAsked({ status }: Pick<FinderRow, 'status'>): boolean {
  return status !== undefined && status !== 'unfetched';
}

/** Whether it can be said that nothing useful is in a section without any: enough of it was seen, and enough is useful elsewhere. */
export function isEnoughFetched(fetched: number, domain: DomainFacts, minUseful: number): boolean {
  return domain.hasUseful && domain.fit >= minUseful && fetched >= LEAST_FETCHED;
}

/** The share of some among all, with two decimals; undefined of none. */
export function shareOf(some: number, all: number): number | undefined {
  return all === 0 ? undefined : Math.round((some / all) * 100) / 100;
}

/** Whether so many were compared, and enough of them are alike. */
export function areAlike(alike: number, compared: number): boolean {
  return compared >= LEAST_COMPARED && alike >= ALIKE * compared;
}
