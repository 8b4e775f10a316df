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
  test('has a clause for each word, in its forms in every language of the index', () => {
    expect(phrases('crawlers', ['en', ''])).toEqual([[[words.stem('crawlers', 'en')], ['crawlers']]]);
    expect(phrases('crawler', ['', 'zh', 'ja'])).toEqual([[['crawler']]]);
    expect(phrases('one two', [])).toEqual([[['one']], [['two']]]);
  });

  test('keeps together words joined by punctuation, and quotes', () => {
    expect(phrases('"apt-get"', [])).toEqual([[['apt', 'get']]]);
    expect(phrases('"link graph"', [])).toEqual([[['link', 'graph']]]);
    expect(phrases('安装系统', []).length).toBe(words.split('安装系统').length);
  });

  test.each([
    ['e-mail', [[['e', 'mail'], ['email']]]],
    ['utf8', [[['utf8'], ['utf', '8']]]],
    ['UTF-8', [[['utf', '8'], ['utf8']]]],
    [
      'RFC 9110',
      [
        [['rfc'], ['rfc9110']],
        [['9110'], ['rfc9110']],
      ],
    ],
    ['"RFC 9110" x86 a 4', [[['rfc', '9110']], [['x86']], [['a']], [['4']]]],
  ])('searches words that are spelt apart or together in both spellings: %s', (query, expected) => {
    expect(phrases(query, [])).toEqual(expected);
  });

  test('allows another split of Chinese and Japanese runs', () => {
    const query = '東京都庁舎';
    const both = phrases(query, ['zh', 'ja'])
      .flat()
      .map((terms) => terms.join(''));
    expect(both.join('')).toContain('東京');
    for (const text of both) expect(query).toContain(text);
  });

  test.each([
    ['東京都庁', ['東京', '京都', '都庁']],
    ['학교에서', ['학교', '교에', '에서']],
  ])('also accepts a page with the literal text: %s', (query, pairs) => {
    const clauses = plan(query, []).must.map(({ clause }) => clause);
    expect(new Set(clauses.flatMap(({ phrases: some, pairs: all = [] }) => [...all, ...some.flat()]))).toEqual(
      new Set([...pairs, ...words.split(query).map(({ term }) => term)]),
    );
  });

  test('has adjacent words as phrases too, and the pairs of a run of several words as clauses', () => {
    const { must, literal } = plan('更をコミット GPU', []);
    expect(must.map(({ clause }) => clause.longer)).toEqual([
      [['更', 'を']],
      [['を', 'コミット']],
      undefined,
      undefined,
    ]);
    const pairs = ['更を', 'をコ', 'コミ', 'ミッ', 'ット'].map((pair) => ({ phrases: [[pair]] }));
    expect(literal).toEqual([{ phrases: [['gpu']] }, ...pairs]);
    for (const query of ['コミット', 'one two', '"更をコミット"', 'intitle:更をコミット'])
      expect(plan(query, []).literal).toEqual([]);
  });

  test('makes a phrase longer, and never into another one that finds more pages', () => {
    for (const { clause } of plan('東京都庁舎のサーバ・名の一覧', ['zh', 'ja']).must) {
      const begins = (terms: readonly string[]): boolean =>
        clause.phrases.some((own) => own.length < terms.length && own.every((term, i) => term === terms[i]));
      expect((clause.longer ?? []).every(begins)).toBe(true);
    }
  });

  test('uses a single character as the beginning of a pair, and one among others with its neighbour', () => {
    expect(plan('学', []).must[0]?.clause).toEqual({ phrases: [['学']], isPrefix: true });
    expect(plan('학교', []).must[0]?.clause).toEqual({ phrases: [['학교']] });
    expect(plan('-東京都庁', []).mustNot.every(({ pairs }) => pairs === undefined)).toBe(true);
    expect(plan('link', []).must[0]?.clause).toEqual({ phrases: [['link']] });
  });

  test('of punctuation alone has no word', () => {
    expect(plan('!!! ... "?"').must).toEqual([]);
  });

  test('of 10,000 words searches the first, and states how many are left out', () => {
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

  test('takes linear time in the length of words joined by punctuation', { timeout: 60_000 }, () => {
    const joined = Array.from({ length: 400_000 }, (_, i) => ({ term: 'a', start: 2 * i, end: 2 * i + 1 }));
    const many: Words = { ...words, split: () => joined, stem: (term) => term };
    const { must, notices } = planQuery(parseQuery('a-a'), { words: many, languages: ['en'] });
    expect(must.map(({ clause }) => clause.phrases[0]?.length)).toEqual([MAX_WORDS]);
    expect(notices).toEqual([{ code: 'too_many_words', count: 400_000 - MAX_WORDS }]);
  });
});
