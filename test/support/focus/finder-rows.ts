import { settingsSchema, type Settings } from '../../../config/index.js';
import type { Candidate, CreateFinder, FinderRow } from '../../../packages/focus/candidates/candidate.js';
import { checkRule, compileRules, type RuleSet } from '../../../packages/rules/index.js';
import { domainOf, hostOf } from '../../../packages/url/index.js';
import { rowKeyOf, type Rule } from '../../../webtable/index.js';

/** The fields of a row in a test. A row with a signature counts as fetched. */
export type GivenRow = { readonly url: string } & {
  readonly [F in Exclude<keyof FinderRow, 'url'>]?: FinderRow[F] | undefined;
};

/** A row in the form that `propose` passes to finders. */
export function finderRow({ url, ...given }: GivenRow): FinderRow {
  const key = rowKeyOf(url);
  const path = url.indexOf('/', url.indexOf('//') + 2);
  const relevant = given.relevant ?? false;
  return {
    key,
    url,
    host: hostOf(url),
    origin: url.slice(0, path),
    path: url.slice(path),
    status: given.signature === undefined ? 'unfetched' : 'fetched',
    relevant,
    isKept: relevant,
    ...given,
  } as FinderRow;
}

/** Rows of one domain in table order. */
export function sortedRows(given: readonly GivenRow[]): FinderRow[] {
  const byKey = new Map(given.map((each) => [rowKeyOf(each.url), each]));
  return [...byKey.values()].map(finderRow).sort((a, b) => (a.key < b.key ? -1 : 1));
}

const defaults: Settings = settingsSchema.parse({});

/** The candidates of finders for the rows of one domain. */
export function findIn(
  creators: readonly CreateFinder[],
  given: readonly GivenRow[],
  { minRelevant = 30, hasRelevant = true }: { readonly minRelevant?: number; readonly hasRelevant?: boolean } = {},
): Candidate[] {
  const settings = { ...defaults, propose: { ...defaults.propose, minRelevant } };
  const finders = creators.map((create) => create(settings));
  const rows = sortedRows(given);
  for (const row of rows) for (const finder of finders) finder.add(row);
  const domain = {
    domain: domainOf(rows[0]?.host ?? 'example.com'),
    rows: rows.length,
    relevant: rows.filter(({ relevant }) => relevant).length,
    fetched: rows.filter(({ status }) => status !== 'unfetched').length,
    hasRelevant,
  };
  return finders.flatMap((finder) => finder.find(domain));
}

/** The rules of candidates as active rules. Each must be valid. */
export function rulesOf(candidates: readonly Candidate[]): RuleSet {
  const rules = candidates.map(({ rule }, i): Rule => ({
    createdAt: 0,
    ...checkRule(rule),
    changedAt: 0,
    id: `r${i + 1}`,
  }));
  const set = compileRules({ version: '1', rules, damaged: [] }, { score: 0, other: 0 });
  if (set.broken.size > 0) throw new Error([...set.broken.values()].join());
  return set;
}

/** The URLs that the rules of candidates reject or rewrite. */
export function cutBy(candidates: readonly Candidate[], given: readonly GivenRow[]): string[] {
  const set = rulesOf(candidates);
  return given
    .map(({ url }) => url)
    .filter((url) => set.decides(url)?.kind === 'reject' || set.rewrite(url) !== undefined);
}

/** The pattern of each candidate as text. */
export const patternsOf = (candidates: readonly Candidate[]): unknown[] =>
  candidates.map(({ rule }) => (rule.kind === 'www' ? rule.to : rule.pattern));

/** This number of relevant pages, the minimum for proposals of a domain. */
export const articles = (site: string, count = 40): GivenRow[] =>
  Array.from({ length: count }, (_, i) => ({
    url: `${site}/story-${i}.html`,
    signature: `story ${i}`,
    relevant: true,
  }));
