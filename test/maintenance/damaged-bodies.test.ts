import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobs, openLevelStore, stats, type OpenContext, type Report } from '../../packages/webcrawl/internal.js';
import { fakeWeb, type FakePage, type FakeWeb } from '../support/web/fake-web.js';
import { isStored } from '../../webtable/content/gzip-member.js';
import { recordsOf } from '../support/files/segment-records.js';
import { START, testCrawl } from '../support/test-crawl.js';

const MONTH = 31 * 86_400_000;
const URLS = [1, 2, 3, 4].map((n) => `http://a.com/${n}`);

let folder: string;
let web: FakeWeb;
const page = (url: string, version: number): FakePage => ({
  html: `<title>${url}</title>${`text ${version} `.repeat(200)}`,
  headers: { etag: `"${version}"` },
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-bodies-'));
  web = fakeWeb(Object.fromEntries(URLS.map((url) => [url, page(url, 1)])));
});
afterEach(() => rm(folder, { recursive: true }));

/** Opens the table, runs a function with the given time, and closes the table. */
async function onTable<T>(now: number, run: (crawl: OpenContext) => Promise<T>): Promise<T> {
  await using crawl = await testCrawl(web, { store: await openLevelStore(join(folder, 'table'), { create: true }) });
  crawl.setTime(now);
  return await run(crawl);
}

const fetchThem = (now: number, urls: readonly string[]): Promise<Report> =>
  onTable(now, (crawl) => jobs.crawl(crawl, { seeds: urls }));

/** Two files with two bodies each; the first one is compressed if it is compacted. */
async function makeFiles(how: string): Promise<void> {
  const [first, second] = [URLS.slice(0, 2), URLS.slice(2)];
  await fetchThem(START, first);
  if (how === 'compacted') {
    for (const url of first) web.set(url, page(url, 2));
    await fetchThem(START + MONTH, first);
    await onTable(START + MONTH, (crawl) => jobs.compact(crawl));
  }
  await fetchThem(START + MONTH, second);
}

/** The files with bodies, the one of the first page first, and its record. */
async function files() {
  const content = join(folder, 'table/content');
  const names = (await readdir(content)).filter((name) => name.endsWith('.warc.gz'));
  const all = await Promise.all(
    names.map(async (name) => {
      const path = join(content, name);
      const bytes = await readFile(path);
      // The other file may have a revisit for the page.
      const record = recordsOf(bytes).find(
        ({ headers }) => headers.get('warc-target-uri') === URLS[0] && headers.get('warc-type') === 'response',
      );
      return { path, bytes, record };
    }),
  );
  const [first, second] = all.sort((a, b) => Number(!a.record) - Number(!b.record));
  if (all.length !== 2 || !first?.record || !second) throw new Error('expected two files, one with the first page');
  return { first: { ...first, record: first.record }, second };
}

/** Each keeps the size of every file, which is all that can be checked without reading. */
const DAMAGES: Readonly<Record<string, () => Promise<void>>> = {
  async 'a flipped bit'() {
    const { path, bytes, record } = (await files()).first;
    bytes[record.offset + Math.floor(record.length / 2)]! ^= 4;
    await writeFile(path, bytes);
  },
  async 'a tail of zeros'() {
    const { path, bytes, record } = (await files()).first;
    await writeFile(path, bytes.fill(0, record.offset + Math.floor(record.length / 2)));
  },
  async 'two files in the place of one another'() {
    const { first, second } = await files();
    await writeFile(first.path, second.bytes);
    await writeFile(second.path, first.bytes);
  },
};

describe.each(['plain', 'compacted'])('bodies in %s files', (how) => {
  it.each(Object.entries(DAMAGES))('with %s are fetched again in the run that finds them', async (_, damage) => {
    await makeFiles(how);
    expect(isStored((await files()).first.bytes)).toBe(how === 'plain');
    await damage();
    const { lostBodies = 0 } = await onTable(START, (crawl) => stats(crawl));
    expect(lostBodies).toBeGreaterThan(0);

    web.requests.length = 0;
    const { counters } = await fetchThem(START + 3 * MONTH, URLS);
    expect(counters).toMatchObject({ fetched: 4, success: lostBodies });
    expect((counters.notmodified ?? 0) + lostBodies).toBe(4);
    // If a part of a file is missing, no conditional request is sent at all.
    expect(web.requests).toHaveLength(4 + (counters.lost_body ?? 0));
    expect(counters.lost_body).toBeGreaterThan(0);
    expect(await onTable(START, (crawl) => stats(crawl))).toMatchObject({ lostBodies: 0, damaged: 0 });
    // From here on all pages are as before.
    expect((await fetchThem(START + 5 * MONTH, URLS)).counters).toMatchObject({ notmodified: 4 });
  });
});
