import { settingsSchema, type Settings } from '../../../config/index.js';
import type { Candidate, CreateFinder, FinderRow } from '../../../packages/focus/candidates/candidate.js';
import { checkRule, compileRules, type RuleSet } from '../../../packages/rules/index.js';
import { domainOf, hostOf } from '../../../packages/url/index.js';
import { rowKeyOf, type Rule } from '../../../webtable/index.js';

/** What a test says of a row; one that has a signature was fetched. */
export type GivenRow = { readonly url: string } & {
  readonly [F in Exclude<keyof FinderRow, 'url'>]?: FinderRow[F] | undefined;
};

/** A row as `propose` shows it to finders. */
export function finderRow({ url, ...given }: GivenRow): FinderRow {
  const key = rowKeyOf(url);
  const path = url.indexOf('/', url.indexOf('//') + 2);
  const fit = given.fit ?? false;
  return {
    key,
    url,
    host: hostOf(url),
    origin: url.slice(0, path),
    path: url.slice(path),
    status: given.signature === undefined ? 'unfetched' : 'fetched',
    fit,
    isKept: fit,
    ...given,
  } as FinderRow;
}

/** Rows of one domain in the order of the table. */
export function sortedRows(given: readonly GivenRow[]): FinderRow[] {
  const byKey = new Map(given.map((each) => [rowKeyOf(each.url), each]));
  return [...byKey.values()].map(finderRow).sort((a, b) => (a.key < b.key ? -1 : 1));
}

const defaults: Settings = settingsSchema.parse({});

/** What finders offer for the rows of one domain. */
export function findIn(
  creators: readonly CreateFinder[],
  given: readonly GivenRow[],
  { minUseful = 30, hasUseful = true }: { readonly minUseful?: number; readonly hasUseful?: boolean } = {},
): Candidate[] {
  const settings = { ...defaults, propose: { ...defaults.propose, minUseful } };
  const finders = creators.map((create) => create(settings));
  const rows = sortedRows(given);
  for (const row of rows) for (const finder of finders) finder.add(row);
  const domain = {
    domain: domainOf(rows[0]?.host ?? 'example.com'),
    rows: rows.length,
    fit: rows.filter(({ fit }) => fit).length,
    fetched: rows.filter(({ status }) => status !== 'unfetched').length,
    hasUseful,
  };
  return finders.flatMap((finder) => finder.find(domain));
}

/** The rules of candidates, in force; each must be one that the table takes. */
export function rulesOf(candidates: readonly Candidate[]): RuleSet {
  const rules = candidates.map(({ rule }, i): Rule => ({
    createdAt: 0,
    ...checkRule(rule),
    changedAt: 0,
    id: `r${i + 1}`,
  }));
  const set = compileRules({ version: '1', rules, damaged: [] }, { score: 0, other: 0, explore: 0 });
  if (set.broken.size > 0) throw new Error([...set.broken.values()].join());
  return set;
}

/** The URLs that the rules of candidates cut, or write otherwise. */
export function cutBy(candidates: readonly Candidate[], given: readonly GivenRow[]): string[] {
  const set = rulesOf(candidates);
  return given
    .map(({ url }) => url)
    .filter((url) => set.decides(url)?.kind === 'reject' || set.rewrite(url) !== undefined);
}

/** The pattern of each candidate, in words. */
export const patternsOf = (candidates: readonly Candidate[]): unknown[] =>
  candidates.map(({ rule }) => (rule.kind === 'www' ? rule.to : rule.pattern));

/** So many useful pages, as a domain must have before something is proposed. */
export const articles = (site: string, count = 40): GivenRow[] =>
  Array.from({ length: count }, (_, i) => ({ url: `${site}/story-${i}.html`, signature: `story ${i}`, fit: true }));
