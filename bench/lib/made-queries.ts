import { mix } from './made-page.js';
import { madeTexts, madeWord, VOCABULARY, type MadeText } from './made-texts.js';

export const QUERY_KINDS = [
  'rare words',
  'words',
  'two words',
  'phrases',
  'commonest words',
  'commonest words, no ranks',
  'phrases of commonest words',
] as const;
export type QueryKind = (typeof QUERY_KINDS)[number];

const QUERIES = 100;
const COMMONEST = 10;

/** Queries for this number of made-up pages, half of them Chinese. No query occurs twice. */
export function madeQueries(kind: QueryKind, pages: number): readonly string[] {
  if (kind === 'phrases') return phrases(pages);
  const { count, make } = KINDS[kind];
  return [...new Set(Array.from({ length: count }, (_, i) => make(i % 2 === 0 ? 'en' : 'zh', i >> 1)))];
}

type Language = MadeText['language'];
interface Made {
  readonly count: number;
  readonly make: (language: Language, i: number) => string;
}

const rareWords: Made = { count: QUERIES, make: (language, i) => madeWord(language, VOCABULARY / 2 + i * 37) };
const commonest: Made = { count: 2 * COMMONEST, make: (language, i) => madeWord(language, i) };
const KINDS: Readonly<Record<Exclude<QueryKind, 'phrases'>, Made>> = {
  'rare words': rareWords,
  words: { count: QUERIES, make: (language, i) => madeWord(language, 100 + i * 37) },
  'two words': {
    count: QUERIES,
    make: (language, i) => `${madeWord(language, 60 + i * 7)} ${madeWord(language, 90 + i * 17)}`,
  },
  'commonest words': commonest,
  'commonest words, no ranks': commonest,
  'phrases of commonest words': {
    count: 2 * COMMONEST,
    make: (language, i) => {
      const [first, second] = [madeWord(language, i % 5), madeWord(language, (i % 7) + 1)];
      return language === 'en' ? `"${first} ${second}"` : `"${first}${second}"`;
    },
  },
};

function phrases(pages: number): readonly string[] {
  const found = new Set<string>();
  for (const { text, language } of madeTexts(Math.min(pages, QUERIES))) {
    const sentences = text.split(/[.\u3002]\s*/).filter((sentence) => sentence !== '');
    const sentence = sentences[mix(found.size) % sentences.length]!;
    found.add(`"${language === 'en' ? sentence.split(' ').slice(3, 6).join(' ') : sentence.slice(4, 9)}"`);
  }
  return [...found];
}
