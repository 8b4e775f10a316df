import type { IndexInfo, IndexReader, IndexWeights, Words } from '../../packages/index/index.js';
import { askIndex, parseQuery, type Answer, type AskOptions } from '../../packages/search/index.js';
import { urlOf } from '../../packages/webcrawl/internal.js';
import type { ManualPage } from './manual-pages.js';

/** The compared formulas: BM25 of the text alone, the formula of Retrieve NJNU, and that of webcrawl. */
export const FORMULAS = ['body', 'njnu', 'ours'] as const;
export type Formula = (typeof FORMULAS)[number];

const BODY: IndexWeights = { title: 0, headings: 0, anchors: 0, url: 0, text: 1, rank: 0, language: 0 };
const EVERY = 1_000_000;
const SEEN = 10;

interface Input {
  readonly pages: readonly ManualPage[];
  readonly ranks: ReadonlyMap<string, number>;
  readonly words: Words;
  readonly reader: IndexReader;
  readonly info: IndexInfo;
  readonly commonWords: number;
}

/** Makes the functions that return the URLs for a query by each formula, the best first. All find pages with all words of the query. */
export function createFormulas({ pages, ranks, words, reader, info, commonWords }: Input) {
  type Asked = Pick<AskOptions, 'weights' | 'limit'> & Partial<Pick<AskOptions, 'fields' | 'commonWords'>>;
  const ask = (query: string, options: Asked): Promise<Answer> =>
    askIndex(parseQuery(query), { reader, words, info, commonWords: 1, ...options });
  const urls = ({ found }: Answer): string[] => found.hits.map(({ key }) => urlOf(key));
  const counts = new Map(
    pages.map((page) => [page.url, { title: countsOf(page, page.title), text: countsOf(page, page.text) }]),
  );

  function countsOf({ language }: ManualPage, text: string): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const { term } of words.split(text, language)) {
      const stem = words.stem(term, language);
      found.set(stem, (found.get(stem) ?? 0) + 1);
    }
    return found;
  }

  const ours = async (query: string, weights: IndexWeights): Promise<string[]> =>
    urls(await ask(query, { weights, limit: SEEN, commonWords }));

  /** The PageRank divided by the mean, plus 0.5 for each hit in the title and 0.1 for each in the text. */
  async function njnu(query: string): Promise<string[]> {
    const answer = await ask(query, { weights: BODY, limit: EVERY, fields: ['title', 'text'] });
    const scored = urls(answer).map((url) => {
      const { title, text } = counts.get(url)!;
      let score = (ranks.get(url) ?? 0) * pages.length;
      for (const term of answer.terms) score += 0.5 * (title.get(term) ?? 0) + 0.1 * (text.get(term) ?? 0);
      return { url, score };
    });
    return scored.sort((a, b) => b.score - a.score || (a.url < b.url ? -1 : 1)).map(({ url }) => url);
  }

  const body = async (query: string): Promise<string[]> =>
    urls(await ask(query, { weights: BODY, limit: SEEN, fields: ['text'] }));

  return {
    ours,
    all: async (query: string, weights: IndexWeights): Promise<Record<Formula, string[]>> => ({
      body: await body(query),
      njnu: await njnu(query),
      ours: await ours(query, weights),
    }),
  };
}
