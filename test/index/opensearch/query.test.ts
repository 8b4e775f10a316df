import { expect, test } from 'vitest';
import { searchBody } from '../../../packages/index/opensearch/query.js';
import type { Clause, IndexQuery } from '../../../packages/index/index.js';

const weights = { title: 1, headings: 1, anchors: 1, url: 1, text: 1, rank: 1, language: 1 } as IndexQuery['weights'];

/** The number that OpenSearch counts: phrases, and the expansions of a prefix. */
function partsOf(query: unknown): number {
  if (typeof query !== 'object' || query === null) return 0;
  return Object.entries(query).reduce((sum, [name, value]) => {
    if (name === 'match_phrase') return sum + 1;
    if (name !== 'match_phrase_prefix') return sum + partsOf(value);
    const [{ max_expansions: most }] = Object.values(value as Record<string, { max_expansions: number }>) as [
      { max_expansions: number },
    ];
    return sum + most;
  }, 0);
}
const forms = (word: number, count: number): string[][] =>
  Array.from({ length: count }, (_, form) => [`word${word}form${form}`]);
const bodyOf = (must: readonly Clause[], mustNot: readonly Clause[] = []): { readonly query: unknown } =>
  searchBody({ must, mustNot, weights, limit: 10 }, 1000) as { readonly query: unknown };

test.each([1, 7, 32])('%i words in many languages, one incomplete: no more parts than OpenSearch allows', (words) => {
  const clauses = Array.from({ length: words }, (_, n): Clause => ({ phrases: forms(n, 21) }));
  const last: Clause = { phrases: forms(words, 21), isPrefix: true };
  const { query } = bodyOf([...clauses.slice(0, -1), last], [{ phrases: forms(99, 21) }]);
  expect(partsOf(query)).toBeLessThan(1000);
  const text = JSON.stringify(query);
  for (let n = 0; n < words - 1; n++) expect(text).toContain(`word${n}form0`);
});

test('a few words keep all of their forms, each once', () => {
  const { query } = bodyOf([{ phrases: [...forms(1, 20), ...forms(1, 20)] }, { phrases: forms(2, 20) }]);
  expect(partsOf(query)).toBe(40 * 5);
});

test('pairs match, and do not change the score', () => {
  const clause: Clause = { phrases: [['東京', '都']], pairs: ['東京', '京都'], fields: ['title', 'text'] };
  const { query } = bodyOf([clause]);
  const either = (term: string) => ({
    bool: { should: [{ term: { 'terms.title': term } }, { term: { 'terms.text': term } }] },
  });
  const text = JSON.stringify(query);
  expect(text).toContain(JSON.stringify({ bool: { filter: [either('東京'), either('京都')] } }));
});

test.each([
  [6, 7],
  [14, 7],
  [20, 0],
])('with %i words and the typed text, a word has all of its 7 pairs or none: %i', (words, kept) => {
  const pairsOf = (n: number): string[] => Array.from({ length: 7 }, (_, i) => `word${n}pair${i}`);
  const must = Array.from({ length: words }, (_, n): Clause => {
    return { phrases: [[`word${n}`]], longer: [[`word${n}`, `word${n + 1}`]], pairs: pairsOf(n) };
  });
  const literal = Array.from({ length: 32 }, (_, i): Clause => ({ phrases: [[`letters${i}`]] }));
  const text = JSON.stringify(searchBody({ must, literal, mustNot: [], weights, limit: 10 }, 1000));
  for (let n = 0; n < words; n++) expect(pairsOf(n).filter((pair) => text.includes(`"${pair}"`))).toHaveLength(kept);
});

test('a page with the words or with the typed text is a hit, and longer phrases add to the score', () => {
  const must: Clause[] = [{ phrases: [['東京']], longer: [['東京', 'の']], fields: ['text'] }];
  const literal: Clause[] = [{ phrases: [['京の']], fields: ['text'] }];
  const phrase = (query: string) => ({ match_phrase: { 'terms.text': { query, boost: 1 } } });
  const anyOf = (should: object[]) => ({ bool: { should, minimum_should_match: 1 } });
  const words = { bool: { must: [anyOf([phrase('東京'), phrase('東京 の')])] } };
  const letters = { bool: { must: [anyOf([phrase('京の')])] } };
  expect(JSON.stringify(searchBody({ must, literal, mustNot: [], weights, limit: 10 }, 1000))).toContain(
    JSON.stringify({ must: [anyOf([words, letters])] }).slice(1, -1),
  );
});

test('for a prefix alone every term counts, for one after other words some', () => {
  expect(JSON.stringify(bodyOf([{ phrases: [['学']], isPrefix: true }]))).toContain(
    JSON.stringify({ prefix: { 'terms.title': { value: '学', boost: 1 } } }),
  );
  expect(partsOf(bodyOf([{ phrases: [['大', '学']], isPrefix: true }]))).toBeLessThan(1000);
});

test('names find pages, and do not change the score', () => {
  const { query } = bodyOf([{ phrases: [['#select']], fields: ['names'] }, { phrases: [['select']] }]);
  const text = JSON.stringify(query);
  expect(text).toContain(JSON.stringify({ match_phrase: { 'terms.names': { query: '#select', boost: 0 } } }));
  expect(text.match(/terms\.names/g)).toHaveLength(1);
});
