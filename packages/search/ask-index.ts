import type { Clause, IndexField, IndexHits, IndexInfo, IndexReader, IndexWeights, Words } from '../index/index.js';
import type { ParsedQuery, QueryNotice } from './query/parse-query.js';
import { languagesOfText } from './query/query-languages.js';
import { planQuery, type PlannedClause, type QueryPlan } from './query/plan-query.js';

/** What an index is asked with. */
export interface AskOptions {
  readonly reader: Pick<IndexReader, 'search' | 'documentCounts'>;
  readonly words: Words;
  /** Of the index. */
  readonly info: IndexInfo;
  readonly weights: IndexWeights;
  /** A word that a greater part of all pages holds is left out of a query that has another. */
  readonly commonWords: number;
  /** Hits at the most. */
  readonly limit: number;
  /** Look in these fields only. Default: in all. */
  readonly fields?: readonly IndexField[];
  /** Pages must hold all words, also where none does. Default: false. */
  readonly isStrict?: boolean;
}

/** What an index answered. */
export interface Answer {
  readonly found: IndexHits;
  readonly plan: QueryPlan;
  /** Every form of every word that was looked for. */
  readonly terms: ReadonlySet<string>;
}

const NONE: IndexHits = { total: 0, partial: 0, hits: [], isApproximate: false };

/** Asks an index a query. Where no page holds all of its words, those are found that hold some of them, with a notice. */
export async function askIndex(parsed: ParsedQuery, options: AskOptions): Promise<Answer> {
  const { words, info, fields, isStrict = false } = options;
  const languages = languagesOf(info, parsed);
  const asked = planQuery(parsed, { words, languages });
  const isNarrowed =
    parsed.sites.length > 0 || parsed.languages.length > 0 || parsed.from !== undefined || parsed.to !== undefined;
  if (asked.must.length === 0 && !isNarrowed) {
    const code = asked.mustNot.length > 0 ? 'only_excluded' : 'no_word';
    return { found: NONE, plan: { ...asked, notices: [...asked.notices, { code }] }, terms: new Set() };
  }
  const plan = await withoutCommonWords(asked, options);
  const must = plan.must.map(({ clause }) => (fields && !clause.fields ? { ...clause, fields } : clause));
  const typed = parsed.parts.filter(({ isExcluded }) => !isExcluded).map(({ text }) => text);
  const together = fields || isStrict ? [] : plan.together;
  const ask = (clauses: readonly Clause[]): Promise<IndexHits> =>
    options.reader.search({
      ...narrowing(parsed),
      must: clauses,
      together,
      preferred: languagesOfText(typed.join(' '), languages),
      mustNot: plan.mustNot,
      weights: options.weights,
      limit: options.limit,
    });
  const found = await ask(must);
  const terms = new Set(plan.must.flatMap(({ clause }) => clause.phrases.flat()));
  const some = found.total > 0 || isStrict ? undefined : someOf(plan.must);
  const others = some && (await ask(some));
  const noticed = (notice: QueryNotice): QueryPlan => ({ ...plan, notices: [...plan.notices, notice] });
  if (others && others.total > 0) return { found: others, plan: noticed({ code: 'some_words' }), terms };
  if (found.partial > 0) return { found, plan: noticed({ code: 'some_words_too', count: found.partial }), terms };
  return { found, plan, terms };
}

/** Languages of the index, those of the most pages first; where the query names some, these alone. */
export function languagesOf(
  { languages }: IndexInfo,
  { languages: wanted }: Pick<ParsedQuery, 'languages'>,
): readonly string[] {
  const all = Object.entries(languages).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const names = all.map(([name]) => name);
  return wanted.length === 0 ? names : names.filter((name) => wanted.includes(name));
}

/** What a query says of the pages that are looked at. */
export function narrowing({ sites, notSites, languages, notLanguages, from, to }: ParsedQuery) {
  return {
    sites,
    notSites,
    languages,
    notLanguages,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

/** Leaves out words that very many pages hold, where another is there: they say little of a page, and cost the most. */
async function withoutCommonWords(plan: QueryPlan, { reader, info, commonWords }: AskOptions): Promise<QueryPlan> {
  const plain = plan.must.filter(({ isPlainWord }) => isPlainWord);
  if (plan.must.length < 2 || plain.length === 0 || info.documents === 0 || commonWords === 1) return plan;
  const common: PlannedClause[] = [];
  for (const planned of plain) {
    const counts = await reader.documentCounts(planned.clause.phrases.flat());
    if (Math.max(0, ...counts) / info.documents > commonWords) common.push(planned);
  }
  if (common.length === 0 || common.length === plan.must.length) return plan;
  return {
    ...plan,
    must: plan.must.filter((planned) => !common.includes(planned)),
    notices: [...plan.notices, { code: 'common_words', text: common.map(({ text }) => text).join(', ') }],
  };
}

/** The clauses of pages that hold some of the words: phrases in quotes and fields must be there as before. */
function someOf(must: readonly PlannedClause[]): readonly Clause[] | undefined {
  const loose = must.filter(({ isLoose }) => isLoose);
  if (loose.length < 2) return undefined;
  const any = { phrases: loose.flatMap(({ clause }) => clause.phrases) };
  return [...must.filter(({ isLoose }) => !isLoose).map(({ clause }) => clause), any];
}
