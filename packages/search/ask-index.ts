import type { Clause, IndexField, IndexHits, IndexInfo, IndexReader, IndexWeights, Words } from '../index/index.js';
import { nameTerms } from '../index/index.js';
import { defined } from '../util/index.js';
import type { ParsedQuery, QueryNotice } from './query/parse-query.js';
import { languagesOfText } from './query/query-languages.js';
import { planQuery, type PlannedClause, type QueryPlan } from './query/plan-query.js';

export interface AskOptions {
  readonly reader: Pick<IndexReader, 'search' | 'documentCounts'>;
  readonly words: Words;
  readonly info: IndexInfo;
  readonly weights: IndexWeights;
  /** Maximum share of all pages, from 0 to 1. If more pages have a word, the word is dropped from a query with other words. */
  readonly commonWords: number;
  /** Languages that the user knows, as documents name them, the best one first. Default: unknown. */
  readonly spoken?: readonly string[];
  readonly limit: number;
  /** Search only in these fields. Default: all fields. */
  readonly fields?: readonly IndexField[];
  /** Return only pages that have all words, even if there are no such pages. Default: false. */
  readonly isStrict?: boolean;
}

export interface Answer {
  readonly found: IndexHits;
  readonly plan: QueryPlan;
  /** All terms that were searched: every form of every word. */
  readonly terms: ReadonlySet<string>;
}

/** In an index of fewer pages, no word of a query is too common. */
const MIN_PAGES_FOR_COMMON_WORDS = 1000;
/** A part of a title or file name that more pages share, such as the name of their site, names none of them. */
const MAX_PAGES_OF_NAME = 20;

const NONE: IndexHits = { total: 0, partial: 0, hits: [], isApproximate: false };

/** The parts of a query that refine the score of its words. Without them, only pages with the words are found. */
const WORDS_ALONE: Pick<QueryPlan, 'together' | 'literal'> = { together: [], literal: [] };

interface Asking {
  readonly plan: QueryPlan;
  readonly must: readonly Clause[];
  readonly limit: number;
  readonly ask: (clauses: readonly Clause[], refined?: typeof WORDS_ALONE) => Promise<IndexHits>;
}

/** Searches an index for the hits of a query. If no page has all words of the query, it returns pages with some of them, and a notice. */
export async function askIndex(parsed: ParsedQuery, options: AskOptions): Promise<Answer> {
  const { words, info, fields, spoken = [], isStrict = false } = options;
  const languages = languagesOf(info, parsed);
  const asked = planQuery(parsed, { words, languages });
  const isNarrowed =
    parsed.sites.length > 0 || parsed.languages.length > 0 || parsed.from !== undefined || parsed.to !== undefined;
  if (asked.must.length === 0 && !isNarrowed) {
    const code = asked.mustNot.length > 0 ? 'only_excluded' : 'no_word';
    return { found: NONE, plan: { ...asked, notices: [...asked.notices, { code }] }, terms: new Set() };
  }
  const plan = await withoutCommonWords(asked, options);
  const isPlain = fields !== undefined || isStrict;
  const must = plan.must.map(({ clause: { longer, ...clause } }) => ({
    ...clause,
    ...(!isPlain && longer && { longer }),
    ...(fields && !clause.fields && { fields }),
  }));
  const typed = parsed.parts.filter(({ isExcluded }) => !isExcluded).map(({ text }) => text);
  const ask = (clauses: readonly Clause[], { together, literal } = isPlain ? WORDS_ALONE : plan): Promise<IndexHits> =>
    options.reader.search({
      ...narrowing(parsed),
      must: clauses,
      together,
      literal,
      preferred: preferredOf(typed.join(' '), languages, spoken),
      mustNot: plan.mustNot,
      weights: options.weights,
      limit: options.limit,
    });
  const asWords = await ask(must.map(({ pairs: _, ...clause }) => clause));
  const isEnough = isStrict || asWords.total >= options.limit;
  const asking = { plan, must, limit: options.limit, ask };
  const byWords = isEnough ? asWords : await withLetters(asWords, asking);
  const isName = !isPlain && parsed.parts.every(({ field }) => field === undefined);
  const found = isName ? await namedFirst(byWords, nameTerms(words, typed.join(' ')), asking) : byWords;
  const terms = new Set(plan.must.flatMap(({ clause }) => clause.phrases.flat()));
  const some = found.total > 0 || isStrict ? undefined : someOf(plan.must);
  const others = some && (await ask(some));
  const noticed = (notice: QueryNotice): QueryPlan => ({ ...plan, notices: [...plan.notices, notice] });
  if (others && others.total > 0) return { found: others, plan: noticed({ code: 'some_words' }), terms };
  if (found.partial > 0) return { found, plan: noticed({ code: 'some_words_too', count: found.partial }), terms };
  return { found, plan, terms };
}

/**
 * Adds hits that contain the query letter for letter, although the words of these pages are split in another way. The added hits come after
 * the hits by words. If there are no hits at all, the result is pages that have all characters of a Chinese query.
 */
async function withLetters(asWords: IndexHits, { plan, must, limit, ask }: Asking): Promise<IndexHits> {
  const found = must.some(({ pairs }) => pairs) ? joined(asWords, await ask(must), limit) : asWords;
  if (found.total > 0 || plan.must.every(({ characters }) => characters.length === 0)) return found;
  const letters = plan.must.map(({ characters }) => (characters.length > 0 ? { pairs: characters } : {}));
  return ask(must.map((clause, i) => ({ ...clause, ...letters[i] })));
}

/**
 * Puts the pages that the query names before all others: first those with this title or file name, then those with this name as a part of
 * the title or the file name. Pages with the same kind of name stay in the order of their scores.
 */
async function namedFirst(
  found: IndexHits,
  name: ReturnType<typeof nameTerms>,
  { must, limit, ask }: Asking,
): Promise<IndexHits> {
  if (name === undefined || found.hits.length < 2) return found;
  const askNamed = (...terms: readonly string[]): Promise<IndexHits> =>
    ask([{ phrases: terms.map((term) => [term]), fields: ['names'] }, ...must], WORDS_ALONE);
  const all = await askNamed(name.exact, name.near);
  if (all.total === 0) return found;
  const first = await askNamed(name.exact);
  const isShared = all.total - first.total > MAX_PAGES_OF_NAME;
  return joined(first, isShared ? found : joined(all, found, limit), limit);
}

function joined(first: IndexHits, second: IndexHits, limit: number): IndexHits {
  const keys = new Set(first.hits.map(({ key }) => key));
  const hits = [...first.hits, ...second.hits.filter(({ key }) => !keys.has(key))];
  return { ...second, hits: hits.slice(0, limit) };
}

/** Returns the languages of the index, those with the most pages first. If the query names languages, it returns only these. */
export function languagesOf(
  { languages }: IndexInfo,
  { languages: wanted }: Pick<ParsedQuery, 'languages'>,
): readonly string[] {
  const all = Object.entries(languages).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const names = all.map(([name]) => name);
  return wanted.length === 0 ? names : names.filter((name) => wanted.includes(name));
}

/**
 * Returns the languages whose pages score higher: of the languages in which the text may be written, the one that the user knows best. If
 * the user knows none of these languages, all of them are returned.
 */
function preferredOf(text: string, languages: readonly string[], spoken: readonly string[]): readonly string[] {
  const written = languagesOfText(text, languages);
  const among = written.length > 0 ? written : languages;
  const best = spoken.find((name) => among.includes(name));
  return best === undefined ? written : [best];
}

/** Returns the conditions of a query on pages, but not the conditions on words. */
export function narrowing({ sites, notSites, languages, notLanguages, from, to }: ParsedQuery) {
  return {
    sites,
    notSites,
    languages,
    notLanguages,
    ...defined({ from, to }),
  };
}

/**
 * Drops words that very many pages have, if the query has other words. Such words say little about a page, and searching them takes
 * longest.
 */
async function withoutCommonWords(plan: QueryPlan, { reader, info, commonWords }: AskOptions): Promise<QueryPlan> {
  const plain = plan.must.filter(({ isPlainWord }) => isPlainWord);
  if (plan.must.length < 2 || plain.length === 0 || info.documents < MIN_PAGES_FOR_COMMON_WORDS || commonWords === 1)
    return plan;
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

/** Returns the clauses for finding pages with some of the words. Quoted phrases and fields are still required. */
function someOf(must: readonly PlannedClause[]): readonly Clause[] | undefined {
  const loose = must.filter(({ isLoose }) => isLoose);
  if (loose.length < 2) return undefined;
  const any = { phrases: loose.flatMap(({ clause }) => clause.phrases) };
  return [...must.filter(({ isLoose }) => !isLoose).map(({ clause }) => clause), any];
}
