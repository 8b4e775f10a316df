import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  jobs,
  openContext,
  openLevelStore,
  stats,
  type FetchOutcome,
  type Plugin,
} from '../../packages/webcrawl/internal.js';
import { COUNTERS } from '../../packages/webcrawl/internal.js';
import { round, rowOf } from '../support/job-steps.js';
import { recordsOf } from '../support/files/segment-records.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';

const MONTH = 31 * 24 * 3600 * 1000;
const URLS = [1, 2, 3].map((n) => `http://a.com/${n}`);
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'webcrawl-compact-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A page contains the number of its request; for the third page, the server answers 304 from the second request on. */
function changing(length: number): Plugin {
  const asked = new Map<string, number>();
  return {
    name: 'changing',
    protocol: {
      schemes: ['http'],
      async fetch({ url, ifNoneMatch }): Promise<FetchOutcome> {
        if (url.endsWith('/robots.txt')) return { kind: 'gone', code: 'not_found', http: 404 };
        if (url === URLS[2] && ifNoneMatch === '"1"') return { kind: 'notmodified', code: 'notmodified', http: 304 };
        const n = (asked.get(url) ?? 0) + 1;
        asked.set(url, n);
        const body = Buffer.from(`<title>${n}</title>${url} ${'x'.repeat(length)}`);
        const head = { headers: { etag: '"1"' }, rawHeaders: ['ETag', '"1"', 'X-Time', String(n)], statusText: 'Fine' };
        return {
          kind: 'content',
          code: 'success',
          http: 200,
          body,
          contentType: 'text/html',
          truncated: false,
          ...head,
        };
      },
    },
  };
}

async function crawlOnDisk(settings: Readonly<Record<string, unknown>> = {}, length = 300): Promise<TestCrawl> {
  const store = await openLevelStore(directory);
  return testCrawl(undefined, { store, plugins: [changing(length)], settings: { 'db.keepVersions': 1, ...settings } });
}

/** Runs n rounds, a month apart. */
async function rounds(crawl: TestCrawl, n: number): Promise<void> {
  await jobs.inject(crawl, { seeds: URLS });
  for (let i = 0; i < n; i++) {
    crawl.setTime(START + i * MONTH);
    await round(crawl);
  }
}

/** The type of each record in the segments, and the beginning of its body. */
async function records(): Promise<string[]> {
  const content = join(directory, 'content');
  const files = (await readdir(content)).filter((name) => name.endsWith('.warc.gz')).sort();
  const found = await Promise.all(files.map(async (name) => recordsOf(await readFile(join(content, name)))));
  return found.flat().map(({ headers, block }) => {
    const title = /<title>(.*)<\/title>/.exec(Buffer.from(block).toString())?.[1];
    return [headers.get('warc-type'), headers.get('warc-target-uri'), title].filter(Boolean).join(' ');
  });
}
const titleOf = async (crawl: TestCrawl, url: string): Promise<string | undefined> =>
  /<title>(.*)<\/title>/.exec(Buffer.from((await rowOf(crawl, url, 'content')).content ?? []).toString())?.[1];

describe('compact', () => {
  it('removes earlier bodies and texts, and revisits, and the remaining ones are read as before', async () => {
    const crawl = await crawlOnDisk();
    await rounds(crawl, 2);
    expect((await records()).sort()).toEqual([
      ...[0, 0, 1, 1, 2].map((n) => `metadata ${URLS[n]}`),
      `response ${URLS[0]} 1`,
      `response ${URLS[0]} 2`,
      `response ${URLS[1]} 1`,
      `response ${URLS[1]} 2`,
      `response ${URLS[2]} 1`,
      `revisit ${URLS[2]}`,
      'warcinfo',
    ]);
    const { counters } = await jobs.compact(crawl);
    expect(counters).toEqual({ rows: 3, copied: 6, segments_removed: 1, bytes_freed: expect.any(Number) as number });
    for (const name of Object.keys(counters)) expect(COUNTERS.compact).toHaveProperty(name);
    expect(await records()).toEqual([
      'warcinfo',
      `response ${URLS[0]} 2`,
      `response ${URLS[1]} 2`,
      `response ${URLS[2]} 1`,
      ...URLS.map((url) => `metadata ${url}`),
    ]);
    expect(await Promise.all(URLS.map((url) => titleOf(crawl, url)))).toEqual(['2', '2', '1']);
    for (const url of URLS) expect((await rowOf(crawl, url, 'text')).text).toContain(`${url} xxx`);
    expect((await jobs.compact(crawl)).counters).toEqual({});
    expect(await stats(crawl)).toMatchObject({ lostBodies: 0 });
    crawl.setTime(START + 3 * MONTH);
    expect((await round(crawl)).fetched.counters).toMatchObject({ notmodified: 1, success: 2 });
    await crawl.close();
  });

  it('keeps as many versions as db.keepVersions says, newest first, and fewer after that is lowered', async () => {
    const crawl = await crawlOnDisk({ 'db.keepVersions': 3 });
    await rounds(crawl, 4);
    await jobs.compact(crawl);
    expect((await records()).filter((text) => text.includes(URLS[0]!)).sort()).toEqual([
      `metadata ${URLS[0]}`,
      ...[2, 3, 4].map((n) => `response ${URLS[0]} ${n}`),
    ]);
    const { contentLocation, contentVersions = [] } = await rowOf(
      crawl,
      URLS[0]!,
      'contentLocation',
      'contentVersions',
    );
    const found = await crawl.tables.content.read([contentLocation!, ...contentVersions]);
    expect(found.map((one) => /<title>(.*)<\/title>/.exec(Buffer.from(one!.body).toString())?.[1])).toEqual([
      '4',
      '3',
      '2',
    ]);
    await crawl.close();

    const fewer = await crawlOnDisk({ 'db.keepVersions': 2 });
    await jobs.compact(fewer);
    expect((await rowOf(fewer, URLS[0]!, 'contentVersions')).contentVersions).toHaveLength(1);
    expect((await records()).filter((text) => text.includes(URLS[0]!)).sort()).toEqual([
      `metadata ${URLS[0]}`,
      `response ${URLS[0]} 3`,
      `response ${URLS[0]} 4`,
    ]);
    await fewer.close();
  });

  it('frees the bodies and texts of removed pages', async () => {
    const crawl = await crawlOnDisk();
    await rounds(crawl, 1);
    await jobs.remove(crawl, { prefix: 'http://a.com/1' });
    await jobs.compact(crawl);
    expect(await records()).toEqual([
      'warcinfo',
      ...[1, 2].map((n) => `response ${URLS[n]} 1`),
      ...[1, 2].map((n) => `metadata ${URLS[n]}`),
    ]);
    await crawl.close();
  });

  it('runs at the end of a crawl if more than half of the bytes, and 16 MB, are not needed', async () => {
    const crawl = await crawlOnDisk({ 'http.contentLimit': 9_000_000 }, 8_500_000);
    await jobs.crawl(crawl, { seeds: URLS });
    for (let n = 1; n <= 3; n++) {
      crawl.setTime(START + n * MONTH);
      const { counters } = await jobs.crawl(crawl, { seeds: URLS });
      if (counters['compact_copied']) break;
      expect(n, 'the time it should have run by').toBeLessThan(3);
    }
    expect(await records()).toHaveLength(7);
    await crawl.close();
  });

  it('changes no row while it is stopped, and keeps both places', async () => {
    const crawl = await crawlOnDisk();
    await rounds(crawl, 2);
    const before = await rowOf(crawl, URLS[0]!, 'contentLocation');
    expect(await jobs.compact(crawl, { signal: AbortSignal.abort() })).toMatchObject({
      counters: {},
      interrupted: true,
    });
    expect(await rowOf(crawl, URLS[0]!, 'contentLocation')).toEqual(before);
    expect(await titleOf(crawl, URLS[0]!)).toBe('2');
    await crawl.close();
  });

  it('does nothing for a table in memory, which only keeps what is needed', async () => {
    const crawl = await testCrawl(undefined, { plugins: [changing(300)], settings: { 'db.keepVersions': 1 } });
    await rounds(crawl, 3);
    const keys: string[] = [];
    for await (const { key } of crawl.tables.store.scan('content', { columns: ['c'] })) keys.push(key);
    expect(keys).toHaveLength(6);
    expect((await jobs.compact(crawl)).counters).toEqual({ rows: 3 });
    expect(await Promise.all(URLS.map((url) => titleOf(crawl, url)))).toEqual(['3', '3', '1']);
    await crawl.close();
  });
});

it('reads a body of a table in use by another process, and throws TABLE_LOCKED for its compaction', async () => {
  const options = {
    table: directory,
    plugins: [changing(300)],
    settings: { 'fetcher.serverDelay': 0, 'db.keepVersions': 1 },
  };
  const crawl = await openContext(options);
  await jobs.inject(crawl, { seeds: URLS });
  const { batchId = '' } = await jobs.generate(crawl);
  await jobs.fetch(crawl, { batch: batchId });
  const other = await openContext(options);
  expect(other.owner).toBeDefined();
  expect(Buffer.from((await other.page(URLS[0]!, ['content']))!.content!).toString()).toContain('<title>1');
  expect(await stats(other)).toMatchObject({ lostBodies: 0 });
  await expect(jobs.compact(other)).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
  await other.close();
  await crawl.close();
});
