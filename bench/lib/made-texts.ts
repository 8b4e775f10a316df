import { dict } from '@node-rs/jieba/dict.js';
import { rowKeyOf, type PageChange } from '../../packages/webcrawl/internal.js';
import { mix, wordOf } from './made-page.js';

/** Number of different words in each language. The n-th most frequent word is n times as rare as the first (Zipf). */
export const VOCABULARY = 60_000;
const SYLLABLES = 'ba co di fu ga he ji ko la me no pi qua ra se ti vu wen xi yo za bre cla dro fle gri'.split(' ');
const CHINESE = commonestOf(dict.toString());

export interface MadeText {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly language: 'en' | 'zh';
}

/** This number of pages of 3 to 5 KB on 31 hosts, every second one Chinese; the same every time. */
export function* madeTexts(pages: number): Generator<MadeText> {
  for (let page = 0; page < pages; page++) {
    const language = page % 2 === 0 ? 'en' : 'zh';
    const count = language === 'en' ? 450 + (mix(page) % 300) : 500 + (mix(page) % 350);
    const words = Array.from({ length: count }, (_, i) => madeWord(language, rankOf(mix(page, i, 7))));
    const title = words.splice(0, 6).join(language === 'en' ? ' ' : '');
    const url = `http://h${page % 31}.example/${Math.floor(page / 31)}`;
    yield { url, title, text: sentences(words, language), language };
  }
}

export function* textRows(pages: number, more: (page: number) => PageChange['set']): Generator<PageChange> {
  let page = 0;
  for (const { url, ...text } of madeTexts(pages)) {
    const fetched = { status: 'fetched', score: 1, parseStatus: { code: 'success' } } as const;
    yield { key: rowKeyOf(url), set: { ...fetched, ...text, ...more(page++) } };
  }
}

function sentences(words: readonly string[], language: 'en' | 'zh'): string {
  const [blank, stop] = language === 'en' ? [' ', '. '] : ['', '。'];
  let text = '';
  for (let i = 0; i < words.length; i += 12) text += words.slice(i, i + 12).join(blank) + stop;
  return text;
}

function rankOf(number: number): number {
  return Math.min(VOCABULARY - 1, Math.floor((VOCABULARY + 1) ** (number / 2 ** 32)) - 1);
}

export function madeWord(language: MadeText['language'], rank: number): string {
  return language === 'en' ? wordOf(SYLLABLES, rank) : CHINESE[rank]!;
}

function commonestOf(dictionary: string): readonly string[] {
  const words = dictionary.split('\n').map((line) => line.split(' '));
  return words
    .filter(([word = '']) => /^\p{Script=Han}{1,4}$/u.test(word))
    .sort((a, b) => Number(b[1]) - Number(a[1]))
    .slice(0, VOCABULARY)
    .map(([word = '']) => word);
}
