import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createWords,
  openOpenSearchReader,
  openOpenSearchWriter,
  type IndexReader,
} from '../../../packages/index/index.js';
import { answerJson, fakeOpenSearch, type FakeOpenSearch } from '../../support/index/fake-opensearch.js';

let server: FakeOpenSearch;
let reader: IndexReader;
beforeEach(async () => {
  server = await fakeOpenSearch();
  const writer = await openOpenSearchWriter({ url: server.url }, 'a table', await createWords({ jieba: false }));
  await writer.close();
  reader = await openOpenSearchReader({ url: server.url, tries: 1, table: 'a table' });
});
afterEach(async () => {
  await reader.close();
  await server.close();
});

const weights = { title: 1, headings: 1, anchors: 1, url: 1, text: 1, rank: 1, language: 1 };
const search = () => reader.search({ must: [{ phrases: [['a']] }], mustNot: [], weights, limit: 10 });
const hit = (fields: object) => ({
  hits: { total: { value: 1 }, hits: [{ _score: 1, fields: { key: ['k'], ...fields } }] },
});

/** Sets the answer to requests for a path; a count is a number. */
function answerWith(path: string, answer: unknown): void {
  server.misbehave = (request, response) => {
    if (request.path.includes(path)) return answerJson(response, 200, answer);
    if (request.path.includes('/_count')) return answerJson(response, 200, { count: 1 });
    return request.path.includes('/_stats') && answerJson(response, 200, {});
  };
}

test('reads the answers of a server', async () => {
  answerWith('/_search', hit({ shownTitle: ['A'], language: ['en'], fetchedAt: ['17'], rank: [0.5], simhash: ['ab'] }));
  expect(await search()).toEqual({
    total: 1,
    partial: 0,
    hits: [{ key: 'k', title: 'A', score: 1, language: 'en', fetchedAt: 17, modifiedAt: 0, rank: 0.5, simhash: 'ab' }],
    isApproximate: false,
  });
  answerWith('/_search', { suggest: { similar: [{ options: [{ text: 'b', freq: 2 }] }] } });
  expect(await reader.similar('a')).toEqual([{ term: 'b', documents: 2 }]);
  answerWith('/_search', { aggregations: { counts: { buckets: { 0: { doc_count: 3 } } } } });
  expect(await reader.documentCounts(['a', 'b'])).toEqual([3, 0]);
});

test.each([
  ['/_search', null],
  ['/_search', { error: { type: 'x', reason: 'y' } }],
  ['/_search', { hits: { hits: [null] } }],
  ['/_search', { hits: { hits: [{ fields: null }] } }],
  ['/_search', { hits: { hits: [{ fields: {} }] } }],
  ['/_search', hit({ fetchedAt: ['never'] })],
  ['/_search', hit({ rank: [{}] })],
  ['/_search', hit({ language: [7] })],
  ['/_search', { hits: { total: { value: 'NaN' }, hits: [] } }],
  ['/_count', { count: 'many' }],
])('an invalid answer is an error that says so, at %s: %j', async (path, answer) => {
  answerWith(path, answer);
  await expect(search()).rejects.toMatchObject({ code: 'STORE_FAILED' });
});

test.each([
  { aggregations: { changed: { value: 'NaN' } } },
  { aggregations: { languages: { buckets: [{ key: {}, doc_count: 1 }] } } },
  { aggregations: { languages: { buckets: { en: 1 } } } },
  { hits: { total: { value: {} } } },
])('an invalid answer is not used as metadata of the index: %j', async (answer) => {
  answerWith('/_search', answer);
  await expect(reader.info()).rejects.toMatchObject({ code: 'STORE_FAILED' });
});
