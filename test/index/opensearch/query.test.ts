import { expect, test } from 'vitest';
import { searchBody } from '../../../packages/index/opensearch/query.js';
import type { Clause, IndexQuery } from '../../../packages/index/index.js';

const weights = { title: 1, headings: 1, anchors: 1, url: 1, text: 1, rank: 1, language: 1 } as IndexQuery['weights'];

/** What OpenSearch counts: phrases, and the words that a beginning stands for. */
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
  searchBody({ must, mustNot, weights, limit: 10 } as unknown as IndexQuery, 1000) as { readonly query: unknown };

test.each([1, 7, 32])('%i words in many languages, one not ended: no more parts than OpenSearch takes', (words) => {
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
