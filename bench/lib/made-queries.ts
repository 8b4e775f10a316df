import { mix } from './made-page.js';
import { madeTexts, madeWord, VOCABULARY, type MadeText } from './made-texts.js';

const QUERIES = 100;
/** For each language. */
const COMMONEST = 10;

type Language = MadeText['language'];
/** The n-th query of a language. */
type MakeQuery = (language: Language, i: number) => string;

const commonest: MakeQuery = (language, i) => madeWord(language, i);
const KINDS = {
  'rare words': { count: QUERIES, make: (language, i) => madeWord(language, VOCABULARY / 2 + i * 37) },
  words: { count: QUERIES, make: (language, i) => madeWord(language, 100 + i * 37) },
  'two words': {
    count: QUERIES,
    make: (language, i) => `${madeWord(language, 60 + i * 7)} ${madeWord(language, 90 + i * 17)}`,
  },
  phrases: undefined,
  'commonest words': { count: 2 * COMMONEST, make: commonest },
  'commonest words, no ranks': { count: 2 * COMMONEST, make: commonest },
  'phrases of commonest words': {
    count: 2 * COMMONEST,
    make: (language, i) => {
      const [first, second] = [madeWord(language, i % 5), madeWord(language, (i % 7) + 1)];
      return language === 'en' ? `"${first} ${second}"` : `"${first}${second}"`;
    },
  },
} satisfies Readonly<Record<string, { readonly count: number; readonly make: MakeQuery } | undefined>>;

export type QueryKind = keyof typeof KINDS;
export const QUERY_KINDS = Object.keys(KINDS) as QueryKind[];

/** Queries for this number of made-up pages, half of them Chinese. No query occurs twice. */
export function madeQueries(kind: QueryKind, pages: number): readonly string[] {
  const queries = KINDS[kind];
  if (!queries) return phrases(pages);
  const { count, make } = queries;
  return [...new Set(Array.from({ length: count }, (_, i) => make(i % 2 === 0 ? 'en' : 'zh', i >> 1)))];
}

/** Adjacent words in a sentence of some page. */
function phrases(pages: number): readonly string[] {
  const found = new Set<string>();
  for (const { text, language } of madeTexts(Math.min(pages, QUERIES))) {
    const sentences = text.split(/[.\u3002]\s*/).filter((sentence) => sentence !== '');
    const sentence = sentences[mix(found.size) % sentences.length]!;
    found.add(`"${language === 'en' ? sentence.split(' ').slice(3, 6).join(' ') : sentence.slice(4, 9)}"`);
  }
  return [...found];
}
