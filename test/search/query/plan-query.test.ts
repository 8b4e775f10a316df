import { beforeAll, describe, expect, test } from 'vitest';
import { createWords, type Words } from '../../../packages/index/index.js';
import { parseQuery } from '../../../packages/search/query/parse-query.js';
import { MAX_WORDS, planQuery } from '../../../packages/search/query/plan-query.js';

let words: Words;
beforeAll(async () => {
  words = await createWords();
});

const plan = (query: string, languages = ['en']) => planQuery(parseQuery(query), { words, languages });
const phrases = (query: string, languages?: string[]) =>
  plan(query, languages).must.map(({ clause }) => clause.phrases);

describe('a plan', () => {
  test('has a clause for each word, in the forms of every language of the index', () => {
    expect(phrases('crawlers', ['en', ''])).toEqual([[[words.stem('crawlers', 'en')], ['crawlers']]]);
    expect(phrases('crawler', ['', 'zh', 'ja'])).toEqual([[['crawler']]]);
    expect(phrases('one two', [])).toEqual([[['one']], [['two']]]);
  });

  test('keeps together what punctuation joins, and quotes', () => {
    expect(phrases('apt-get', [])).toEqual([[['apt', 'get']]]);
    expect(phrases('"link graph"', [])).toEqual([[['link', 'graph']]]);
    expect(phrases('安装系统', []).length).toBe(words.split('安装系统').length);
  });

  test('lets Chinese and Japanese split a run otherwise', () => {
    const query = '東京都庁舎';
    const both = phrases(query, ['zh', 'ja'])
      .flat()
      .map((terms) => terms.join(''));
    expect(both.join('')).toContain('東京');
    for (const text of both) expect(query).toContain(text);
  });

  test('of punctuation alone has no word', () => {
    expect(plan('!!! ... "?"').must).toEqual([]);
  });

  test('of 10,000 words looks for the first, and says how many are left out', () => {
    const { must, notices } = plan(Array.from({ length: 10_000 }, (_, i) => `word${i}`).join(' '));
    expect(must).toHaveLength(MAX_WORDS);
    expect(notices).toEqual([{ code: 'too_many_words', count: 10_000 - MAX_WORDS }]);
    const phrase = plan(`"${'a '.repeat(500)}" b`);
    expect(phrase.must.map(({ clause }) => clause.phrases[0]?.length)).toEqual([MAX_WORDS]);
    expect(phrase.notices).toEqual([{ code: 'too_many_words', count: 500 - MAX_WORDS + 1 }]);
    const long = plan(`one two "${'a '.repeat(40)}"`, []);
    expect(long.must.map(({ clause }) => clause.phrases[0]?.length)).toEqual([1, 1, MAX_WORDS - 2]);
    expect(long.notices).toEqual([{ code: 'too_many_words', count: 10 }]);
  });

  test('takes time by the length of what punctuation joins', { timeout: 60_000 }, () => {
    const joined = Array.from({ length: 400_000 }, (_, i) => ({ term: 'a', start: 2 * i, end: 2 * i + 1 }));
    const many: Words = { ...words, split: () => joined, stem: (term) => term };
    const { must, notices } = planQuery(parseQuery('a-a'), { words: many, languages: ['en'] });
    expect(must.map(({ clause }) => clause.phrases[0]?.length)).toEqual([MAX_WORDS]);
    expect(notices).toEqual([{ code: 'too_many_words', count: 400_000 - MAX_WORDS }]);
  });
});
