import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWords, openOpenSearchWriter, type Words } from '../../../packages/index/index.js';
import { connect } from '../../../packages/index/opensearch/connection.js';
import type { IndexWriter } from '../../../packages/plugin-api/index.js';
import { answerJson, fakeOpenSearch, type FakeOpenSearch } from '../../support/index/fake-opensearch.js';
import { checkWriter, keyOf, numbered, put } from '../../support/index/writer-suite.js';

let words: Words;
beforeAll(async () => {
  words = await createWords({ jieba: false });
});
let server: FakeOpenSearch;
beforeEach(async () => {
  server = await fakeOpenSearch();
});
afterEach(() => server.close());

function open(
  more: { readonly words?: Words; readonly table?: string; readonly tries?: number } = {},
): Promise<IndexWriter> {
  const { table = 'a table', tries = 4 } = more;
  return openOpenSearchWriter({ url: server.url, tries, wait: 1 }, table, more.words ?? words);
}

const isBulk = ({ path }: { readonly path: string }): boolean => path.includes('/_bulk');
const bulks = (): number => server.requests.filter(isBulk).length;
/** The result of each operation of a bulk request. */
function outcomes(body: string, outcome: (id: string, i: number) => object): object[] {
  const ids = [...body.matchAll(/^\{"(index|update|delete)":\{"_id":"([^"]+)"/gm)];
  return ids.map(([, type = '', id = ''], i) => ({ [type]: { _id: id, ...outcome(id, i) } }));
}

test('adds, replaces, ranks and removes; again changes nothing', async () => {
  await checkWriter(() => open());
});

test('a stored document has the words of the tokenizer, and the texts that a result shows', async () => {
  const writer = await open();
  await writer.apply([put(1, { headings: 'Running Dogs', text: 'Les Écoles', language: 'fr', fetchedAt: 0 })]);
  await writer.close();
  const { source } = server.documents.get(keyOf(1))!;
  expect(source).toMatchObject({
    key: keyOf(1),
    host: 'example.com',
    text: 'Les Écoles',
    fetchedAt: null,
    title: 'Page 1',
  });
  expect(source['terms']).toMatchObject({
    text: words
      .split('Les Écoles')
      .map(({ term }) => words.stem(term, 'fr'))
      .join(' '),
  });
});

test('is rebuilt for another tokenizer, and rejected if it belongs to another table or program', async () => {
  let writer = await open();
  await writer.apply([put(1)]);
  await writer.markWhole();
  await writer.close();
  await expect(open({ table: 'another' })).rejects.toMatchObject({ code: 'WRONG_INDEX' });
  writer = await open({ words: { ...words, name: 'other words' } });
  expect(writer.isWhole).toBe(false);
  expect(await writer.entries(undefined, 10)).toEqual([]);
  await writer.close();
  server.mappings = { properties: {} };
  await expect(open()).rejects.toMatchObject({
    code: 'BAD_SETTING',
    message: expect.stringContaining('another program') as string,
  });
});

test('a later writer wins over a delayed request; the earlier writer reports it', async () => {
  const earlier = await open();
  await earlier.apply([put(1)]);
  const later = await open();
  await later.apply([put(1, { text: 'later' })]);
  await expect(earlier.apply([put(1, { text: 'earlier' })])).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('another process writes the search index') as string,
  });
  expect(server.documents.get(keyOf(1))!.source['text']).toBe('later');
  await earlier.close();
  await later.close();
});

test('sends no more than some megabytes in one request', async () => {
  const writer = await open();
  const documents = Array.from({ length: 9 }, (_, n) => put(n, { text: `${n}${'x'.repeat(18)} `.repeat(40_000) }));
  await writer.apply([...documents, ...Array.from({ length: 1200 }, (_, n) => put(100 + n))]);
  expect(server.documents.size).toBe(1209);
  const sizes = server.requests.filter(isBulk).map(({ body }) => body.length);
  expect(Math.max(...sizes)).toBeLessThan(4_500_000);
  expect(sizes.length).toBeLessThan(15);
  await writer.close();
});

describe('retries', () => {
  test('only the documents that were rejected with 429', async () => {
    const writer = await open();
    let times = 0;
    server.misbehave = (request, response) => {
      if (!isBulk(request) || ++times > 1) return false;
      const items = outcomes(request.body, (_id, i) =>
        i % 2 === 0
          ? { status: 429, error: { type: 'rejected_execution_exception', reason: 'queue' } }
          : { status: 201 },
      );
      return answerJson(response, 200, { errors: true, items });
    };
    expect(await writer.apply([put(1), put(2), put(3)])).toEqual({ added: 3, changed: 0, removed: 0 });
    expect([...server.documents.keys()]).toEqual([keyOf(1), keyOf(3)]);
    await writer.close();
  });

  test.each([
    [
      '429',
      (_: unknown, response) =>
        answerJson(response, 429, { error: { type: 'circuit_breaking_exception', reason: 'memory' } }),
    ],
    [
      '503 of a starting cluster',
      (_: unknown, response) =>
        answerJson(response, 503, {
          error: {
            type: 'cluster_block_exception',
            reason: 'blocked by: [SERVICE_UNAVAILABLE/1/state not recovered];',
          },
        }),
    ],
    [
      '503 of a proxy',
      (_: unknown, response) => !!response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>503</h1>'),
    ],
    ['a closed connection', (_: unknown, response) => !!response.socket?.destroy()],
    [
      'half a response',
      (_: unknown, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"items":[', () => response.socket?.destroy());
        return true;
      },
    ],
    [
      'half a JSON body',
      (_: unknown, response) => !!response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":['),
    ],
  ] satisfies [string, NonNullable<FakeOpenSearch['misbehave']>][])('after %s', async (_what, misbehave) => {
    const writer = await open();
    let times = 0;
    server.misbehave = (request, response) => isBulk(request) && ++times <= 2 && misbehave(request, response);
    expect(await writer.apply([put(1), { type: 'remove', key: keyOf(2) }])).toMatchObject({ added: 1 });
    expect(server.documents.size).toBe(1);
    server.misbehave = misbehave;
    const before = server.requests.length;
    await expect(writer.apply([put(2)])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(server.requests.length - before).toBe(4);
    await writer.close();
  });
});

test('retries of failed requests and of rejected documents share one time limit', async () => {
  const writer = await open({ tries: 4 });
  let times = 0;
  server.misbehave = (request, response) => {
    if (!isBulk(request)) return false;
    if (++times % 2 === 0) return answerJson(response, 503, {});
    const busy = { status: 429, error: { type: 'rejected_execution_exception', reason: 'queue' } };
    return answerJson(response, 200, { errors: true, items: outcomes(request.body, () => busy) });
  };
  await expect(writer.apply([put(1)])).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(bulks()).toBe(4);
  await writer.close();
});

test('opening fails after the time limit if the server does not respond', async () => {
  server.misbehave = () => true;
  await expect(
    openOpenSearchWriter({ url: server.url, wait: 1, responseMs: 60_000, patienceMs: 300 }, 't', words),
  ).rejects.toMatchObject({ code: 'STORE_FAILED' });
});

test('an earlier writer does not mark an index as complete that a later one has opened', async () => {
  const earlier = await open();
  const later = await open();
  const { mappings } = server;
  const before = JSON.stringify(mappings);
  await expect(earlier.markWhole()).rejects.toThrow('another process writes the search index');
  expect(JSON.stringify(mappings)).toBe(before);
  await later.markWhole();
  await Promise.all([earlier.close(), later.close()]);
});

describe('ends with an error if', () => {
  const blocked = (status: number, reason: string) => ({ status, error: { type: 'cluster_block_exception', reason } });
  const FULL =
    'index [pages] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];';

  test.each([
    ['the disk of the server is full', 'STORE_FULL', 'free disk space', (_id: string) => blocked(429, FULL)],
    [
      'the index is read-only',
      'STORE_FAILED',
      undefined,
      (_id: string) => blocked(403, 'index [pages] blocked by: [FORBIDDEN/8/index write (api)];'),
    ],
    [
      'a document is refused',
      'STORE_FAILED',
      undefined,
      (_id: string) => ({ status: 400, error: { type: 'mapper_parsing_exception', reason: 'bad \u001b[31m' } }),
    ],
    [
      'it speaks of other documents',
      'STORE_FAILED',
      'index.url',
      (_id: string, i: number) => ({ _id: `other ${i}`, status: 201 }),
    ],
    [
      'the index is removed meanwhile',
      'STORE_FAILED',
      'run the same command again',
      (_id: string) => ({ status: 404, error: { type: 'index_not_found_exception', reason: 'no such index [pages]' } }),
    ],
    ['it does not say what became of them', 'STORE_FAILED', 'index.url', (_id: string) => ({})],
  ])('%s', async (_what, code, hint, outcome) => {
    const writer = await open();
    server.misbehave = (request, response) =>
      isBulk(request) && answerJson(response, 200, { errors: true, items: outcomes(request.body, outcome) });
    const error: unknown = await writer.apply([put(1), put(2)]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, ...(hint !== undefined && { hint: expect.stringContaining(hint) as string }) });
    expect((error as Error).message).not.toContain('\u001b');
    expect(bulks()).toBe(1);
    await writer.close();
  });

  test.each([
    ['bulk', '/_bulk', { errors: false }],
    ['bulk', '/_bulk', { errors: false, items: [] }],
    ['bulk', '/_bulk', { errors: false, items: [null, 7] }],
    ['look-up', '/_mget', { docs: [] }],
    ['bulk', '/_bulk', 7],
    ['bulk', '/_bulk', { error: { type: 'illegal_argument_exception', reason: 'no' }, status: 400 }],
    ['bulk', '/_bulk', { items: ['1', '2'].map((n) => ({ index: { _id: keyOf(Number(n)), status: 0 } })) }],
    ['bulk', '/_bulk', { items: ['1', '2'].map((n) => ({ index: { _id: keyOf(Number(n)), status: '200' } })) }],
    ['look-up', '/_mget', []],
    ['look-up', '/_mget', null],
    ['look-up', '/_mget', { docs: [null, null] }],
    ['look-up', '/_mget', { docs: [2, 1].map((n) => ({ _id: keyOf(n), found: true, _source: {} })) }],
  ])('an answer to a %s is invalid: %#', async (_what, path, answer) => {
    const writer = await open();
    server.misbehave = (request, response) => request.path.includes(path) && answerJson(response, 200, answer);
    await expect(writer.apply([put(1), put(2)])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await writer.close();
  });

  test('a removal has a status without an error', async () => {
    const writer = await open();
    await writer.apply([put(1)]);
    server.misbehave = (request, response) =>
      isBulk(request) &&
      answerJson(response, 200, { items: outcomes(request.body, () => ({ status: 404, error: null })) });
    expect(await writer.apply([{ type: 'remove', key: keyOf(1) }])).toMatchObject({ removed: 1 });
    await writer.close();
  });

  test('the server redirects, also in the middle', async () => {
    const writer = await open();
    server.misbehave = (request, response) =>
      request.method === 'PUT' && !!response.writeHead(301, { location: 'https://elsewhere.example/' }).end();
    await expect(writer.markWhole()).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('redirect (status 301)') as string,
    });
    expect(writer.isWhole).toBe(false);
    await writer.close();
  });

  test.each([
    { opened: '5' },
    { opened: 1e300 },
    { opened: -1 },
    { isWhole: 'no' },
    { table: { a: 1 } },
    { words: ['x'] },
  ])('the metadata of the index is invalid: %j', async (metadata) => {
    await (await open()).close();
    server.mappings!['_meta'] = {
      webcrawl: { ...(server.mappings!['_meta'] as { webcrawl: object }).webcrawl, ...metadata },
    };
    await expect(open()).rejects.toMatchObject({ code: 'BAD_SETTING' });
  });

  test('documents arrive in no order, without end', async () => {
    const writer = await open();
    const hits = [{ sort: ['b'] }, { sort: ['a'] }];
    server.misbehave = (request, response) =>
      request.path.includes('/_search') && answerJson(response, 200, { hits: { hits } });
    await expect(writer.entries(undefined, 10)).rejects.toThrow('in the order of their keys');
    await writer.close();
  });

  test('the index is removed meanwhile', async () => {
    const writer = await open();
    server.misbehave = (request, response) =>
      request.path.includes('/_mget') &&
      answerJson(response, 200, {
        docs: [{ _id: numbered(1).key, error: { type: 'index_not_found_exception', reason: 'no such index' } }],
      });
    await expect(writer.apply([put(1)])).rejects.toThrow('no such index');
    await writer.close();
  });

  test('no server listens, the password is wrong, or it is not OpenSearch', async () => {
    server.misbehave = (_request, response) =>
      answerJson(response, 403, { error: { type: 'security_exception', reason: 'no permissions' }, status: 403 });
    await expect(open()).rejects.toMatchObject({
      code: 'BAD_SETTING',
      hint: expect.stringContaining('WEBCRAWL_INDEX_URL') as string,
    });
    server.misbehave = (_request, response) => !!response.writeHead(401).end('Unauthorized');
    const error = await openOpenSearchWriter(
      { url: server.url.replace('//', '//me:secret%20word@'), tries: 2, wait: 1 },
      't',
      words,
    ).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'BAD_SETTING' });
    expect(JSON.stringify(error) + (error as Error).message).not.toContain('secret');
    server.misbehave = (_request, response) =>
      !!response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
    await expect(open()).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('no OpenSearch') as string,
    });
    const { url } = server;
    await server.close();
    await expect(openOpenSearchWriter({ url, tries: 2, wait: 1 }, 't', words)).rejects.toMatchObject({
      code: 'STORE_FAILED',
      hint: expect.stringContaining('start the server') as string,
    });
    server = await fakeOpenSearch();
  });

  test('the URL names no index', async () => {
    for (const url of [
      '',
      'localhost:9200/pages',
      'http://localhost:9200',
      'ftp://localhost/pages',
      'http://me:100%@localhost/pages',
      'http://localhost/%ff',
    ])
      await expect(openOpenSearchWriter({ url }, 't', words)).rejects.toMatchObject({ code: 'BAD_SETTING' });
  });
});

test('a closed connection does not wait for a server that never answers, or for the next retry', async () => {
  const never = (): boolean => true;
  for (const misbehave of [never, (_: unknown, response: ServerResponse) => answerJson(response, 503, {})]) {
    server.misbehave = misbehave;
    const connection = await connect({
      url: server.url,
      wait: 3_600_000,
      patienceMs: 10_000_000,
      responseMs: 10_000_000,
    });
    const before = server.requests.length;
    const asked = expect(connection.ask('GET', '/_count')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(before), { timeout: 60_000 });
    await connection.close();
    await asked;
    await expect(connection.ask('GET', '/_count')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  }
});
