import { describe, expect, it } from 'vitest';
import {
  MemoryStore,
  jobs,
  rowKeyOf,
  stats,
  type FetchOutcome,
  type FetchRequest,
  type Plugin,
} from '../../packages/webcrawl/internal.js';
import { round, rowOf, select } from '../support/job-steps.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';

const MONTH = 31 * 24 * 3600 * 1000;
const URLS = [1, 2, 3].map((n) => `http://a.com/${n}`);

interface Tagged {
  readonly crawl: TestCrawl;
  /** All requests except robots.txt. */
  readonly requests: FetchRequest[];
  /** Removes bodies, like a power failure that removes the end of a log. */
  lose(...urls: string[]): Promise<void>;
  /** Puts an older record in the place of the one that was written. */
  change(url: string, field?: 'contentLocation' | 'textLocation'): Promise<void>;
}

/** A crawl of three pages after one round, on a server that answers 304 to a tag, or to every request. */
async function taggedCrawl({
  unasked = false,
  settings = {},
}: { unasked?: boolean; settings?: Readonly<Record<string, unknown>> } = {}): Promise<Tagged> {
  const requests: FetchRequest[] = [];
  const known = new Set<string>();
  const page = (request: FetchRequest): FetchOutcome => {
    if (request.url.endsWith('/robots.txt')) return { kind: 'gone', code: 'not_found', http: 404 };
    requests.push(request);
    const isSame = request.ifNoneMatch === '"1"' || (unasked && known.has(request.url));
    known.add(request.url);
    if (isSame) return { kind: 'notmodified', code: 'notmodified', http: 304 };
    const body = Buffer.from(`<title>t</title>${request.url}`);
    const headers = { etag: '"1"' };
    return { kind: 'content', code: 'success', http: 200, body, headers, contentType: 'text/html', truncated: false };
  };
  const plugin: Plugin = { name: 'tagged', protocol: { schemes: ['http'], fetch: async (request) => page(request) } };
  const store = new MemoryStore();
  const crawl = await testCrawl(undefined, { store, plugins: [plugin], settings });
  await jobs.inject(crawl, { seeds: URLS });
  await round(crawl);
  requests.length = 0;
  return {
    crawl,
    requests,
    async change(url, field) {
      const key = await placeOf(crawl, url, field);
      await store.write('content', [{ key, put: new Map([['c:b', Buffer.from('other')]]) }]);
    },
    async lose(...urls) {
      for (const url of urls) await store.write('content', [{ key: await placeOf(crawl, url), clear: true }]);
    },
  };
}

async function placeOf(
  crawl: TestCrawl,
  url: string,
  field: 'contentLocation' | 'textLocation' = 'contentLocation',
): Promise<string> {
  return (await rowOf(crawl, url, field))[field]!.segment;
}

describe('a page whose body is lost', () => {
  it('is requested without a condition, and then has a body again', async () => {
    const { crawl, requests, lose } = await taggedCrawl();
    await lose(URLS[1]!);
    crawl.setTime(START + MONTH);
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ notmodified: 2, success: 1 });
    expect(new Map(requests.map(({ url, ifNoneMatch }) => [url, ifNoneMatch]))).toEqual(
      new Map([
        [URLS[0], '"1"'],
        [URLS[1], undefined],
        [URLS[2], '"1"'],
      ]),
    );
    expect(Buffer.from((await rowOf(crawl, URLS[1]!, 'content')).content!).toString()).toContain(URLS[1]);
    const stored = [];
    for await (const { key } of crawl.tables.store.scan('content', { columns: ['c'] })) stored.push(key);
    const places = URLS.flatMap((url) => [placeOf(crawl, url), placeOf(crawl, url, 'textLocation')]);
    expect(stored.sort()).toEqual((await Promise.all(places)).sort());
    await crawl.close();
  });

  it('is requested again when it is due, without a condition, if another body is in its place', async () => {
    const { crawl, requests, change } = await taggedCrawl();
    await change(URLS[0]!);
    crawl.setTime(START + MONTH);
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ fetched: 3, notmodified: 2, success: 1, lost_body: 1 });
    expect(requests.map(({ url, ifNoneMatch }) => [url, ifNoneMatch])).toEqual([
      [URLS[0], '"1"'],
      [URLS[1], '"1"'],
      [URLS[2], '"1"'],
      [URLS[0], undefined],
    ]);
    expect(await stats(crawl)).toMatchObject({ lostBodies: 0 });
    await crawl.close();
  });

  it('is requested only once more if the server always answers 304', async () => {
    const { crawl, requests, change } = await taggedCrawl({ unasked: true });
    await change(URLS[0]!);
    crawl.setTime(START + MONTH);
    const { fetched, updated } = await round(crawl);
    expect(fetched.counters).toMatchObject({ notmodified: 2, http_error: 1, lost_body: 1 });
    expect(updated.counters).toMatchObject({ retry: 1 });
    expect(requests).toHaveLength(4);
    await crawl.close();
  });

  it('is requested without a condition after a repair if another body is in its place', async () => {
    const { crawl, requests, change } = await taggedCrawl();
    await change(URLS[0]!);
    expect((await jobs.repair(crawl)).counters).toMatchObject({ lost_body: 1, lost_body_due: 1 });
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ success: 1 });
    expect(requests).toEqual([expect.not.objectContaining({ ifNoneMatch: '"1"' })]);
    expect(await stats(crawl)).toMatchObject({ lostBodies: 0 });
    await crawl.close();
  });

  it('does not count as unchanged if the server always answers 304', async () => {
    const { crawl, lose } = await taggedCrawl({ unasked: true });
    await lose(...URLS);
    crawl.setTime(START + MONTH);
    const { fetched, updated } = await round(crawl);
    expect(fetched.counters).toMatchObject({ http_error: 3 });
    expect(updated.counters).toMatchObject({ retry: 3 });
    expect(await rowOf(crawl, URLS[0]!, 'status', 'retries')).toEqual({ status: 'unfetched', retries: 1 });
    await crawl.close();
  });

  it('is requested with a condition if bodies are not stored', async () => {
    const { crawl, requests } = await taggedCrawl({ settings: { 'fetcher.storeContent': false } });
    expect((await stats(crawl)).lostBodies).toBe(0);
    crawl.setTime(START + MONTH);
    await round(crawl);
    expect(requests.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual(['"1"', '"1"', '"1"']);
    await crawl.close();
  });

  it('is counted, and made due by repair, which then finds nothing more to do', async () => {
    const { crawl, requests, lose } = await taggedCrawl();
    await lose(URLS[0]!, URLS[2]!);
    expect(await stats(crawl)).toMatchObject({ total: 3, damaged: 0, lostBodies: 2, statuses: { fetched: 3 } });
    expect(await stats(crawl, { bodies: false })).not.toHaveProperty('lostBodies');
    expect((await jobs.generate(crawl)).batchId).toBeUndefined();

    crawl.setTime(START + 1000);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3, lost_body: 2, lost_body_due: 2 });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3, lost_body: 2 });
    await round(crawl);
    expect(requests.map(({ url, ifNoneMatch }) => [url, ifNoneMatch]).sort()).toEqual([
      [URLS[0], undefined],
      [URLS[2], undefined],
    ]);
    expect(await stats(crawl)).toMatchObject({ lostBodies: 0 });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
    await crawl.close();
  });

  it('is left to the batch that holds it', async () => {
    const { crawl, lose } = await taggedCrawl();
    crawl.setTime(START + MONTH);
    const batch = await select(crawl);
    await lose(...URLS);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3, lost_body: 3 });
    const fetched = await jobs.fetch(crawl, { batch, parse: true });
    expect(fetched.counters).toMatchObject({ success: 3 });
    await crawl.close();
  });

  it('is not made due if it is gone, or if bodies are not stored', async () => {
    const { crawl, lose } = await taggedCrawl();
    await lose(...URLS);
    await crawl.tables.pages.write([{ key: rowKeyOf(URLS[0]!), set: { status: 'gone' } }]);
    expect((await jobs.repair(crawl)).counters).toMatchObject({ lost_body: 3, lost_body_due: 2 });
    const off = await testCrawl(undefined, { store: crawl.tables.store, settings: { 'fetcher.storeContent': false } });
    expect((await jobs.repair(off)).counters).not.toHaveProperty('lost_body');
    await off.close();
  });
});

describe.each([true, false])('a page whose text record is lost, with fetcher.storeContent %s', (storeContent) => {
  const settings = { 'fetcher.storeContent': storeContent };
  const textOf = async (crawl: TestCrawl): Promise<string | undefined> =>
    (await rowOf(crawl, URLS[0]!, 'text')).text?.trim();

  it('is requested again without a condition after a 304', async () => {
    const { crawl, requests, change } = await taggedCrawl({ settings });
    const text = await textOf(crawl);
    await change(URLS[0]!, 'textLocation');
    crawl.setTime(START + MONTH);
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ fetched: 3, notmodified: 2, success: 1, lost_body: 1 });
    expect(requests.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual(['"1"', '"1"', '"1"', undefined]);
    expect(text).toContain(URLS[0]);
    expect(await textOf(crawl)).toBe(text);
    await crawl.close();
  });

  it('is made due by repair, and then requested without a condition', async () => {
    const { crawl, requests, change } = await taggedCrawl({ settings });
    await change(URLS[0]!, 'textLocation');
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3, lost_body: 1, lost_body_due: 1 });
    await round(crawl);
    expect(requests.map(({ url, ifNoneMatch }) => [url, ifNoneMatch])).toEqual([[URLS[0], undefined]]);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
    await crawl.close();
  });

  it('is damaged, and its text is not empty but absent', async () => {
    const { crawl, change } = await taggedCrawl({ settings });
    await change(URLS[0]!, 'textLocation');
    expect(await rowOf(crawl, URLS[0]!, 'text', 'title')).toEqual({
      title: 't',
      damaged: ['text: the record is missing or not as it was stored'],
    });
    await crawl.close();
  });
});
