import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  explain,
  exportChunks,
  exportPages,
  jobs,
  MemoryStore,
  rowKeyOf,
  type ExportPagesOptions,
  type Report,
  type Store,
} from '../../../packages/webcrawl/internal.js';
import type { StoredSite } from '../../../webtable/index.js';
import { fakeWeb, type FakeWeb } from '../../support/web/fake-web.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { testFolder } from '../../support/files/temp-folder.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { commentedManualPage, manualPage, postPage, productPage, site, tenantPage } from './made-sites.js';

const HOUR = 3_600_000;
const MANUAL = 'http://m.com/docs/';
const MANUAL_KEY = 'com.m:http/docs/';

type Web = Record<string, string>;

async function crawlOf(web: FakeWeb, seeds: readonly string[], store?: Store): Promise<TestCrawl> {
  const crawl = await testCrawl(web, store ? { store } : {});
  onTestFinished(() => crawl.close());
  await crawlMore(crawl, seeds);
  return crawl;
}

/** Crawls the seeds. Seeds that are known are fetched again. */
async function crawlMore(crawl: TestCrawl, seeds: readonly string[], refetch = false): Promise<void> {
  await jobs.crawl(crawl, { seeds, stay: 'host', depth: 0, refetch });
}

const crawled = (pages: Web): Promise<TestCrawl> => crawlOf(fakeWeb(pages), Object.keys(pages));

interface Exported {
  readonly lines: readonly { readonly url: string; readonly markdown?: string }[];
  readonly counters: Report['counters'];
}

async function exported(crawl: TestCrawl, options: Partial<ExportPagesOptions> = {}): Promise<Exported> {
  let text = '';
  const { counters } = await exportPages(crawl, {
    output: '-',
    stdout: async (data) => void (text += Buffer.from(data).toString()),
    fields: ['markdown'],
    ...options,
  });
  return { lines: text.split('\n').flatMap((line) => (line ? [JSON.parse(line) as { url: string }] : [])), counters };
}

/** The pages as they are exported if each is read by itself. */
async function readAlone(crawl: TestCrawl): Promise<Exported['lines']> {
  const settings = { ...crawl.settings, parser: { ...crawl.settings.parser, siteContent: false } };
  return (await exported({ ...crawl, settings })).lines;
}

async function storedSites(crawl: TestCrawl): Promise<Record<string, StoredSite>> {
  const found: Record<string, StoredSite> = {};
  for await (const { key } of crawl.tables.store.scan('meta', { columns: ['v:m'] })) {
    const name = key.slice('site '.length);
    const stored = await crawl.tables.siteTemplates.get(name);
    if (stored) found[name] = stored;
  }
  return found;
}

const contentOf = async (crawl: TestCrawl, url: string) => (await explain(crawl, url)).page?.mainContent;
const markdown = ({ lines }: Exported): string => lines.map((line) => line.markdown).join('\n');

test('a manual without a generator keeps headings that are lost if its pages are read alone; each page records its site', async () => {
  const crawl = await crawled(site(MANUAL, 60, manualPage));
  const found = await exported(crawl);
  expect(found.counters).toMatchObject({ rows: 60, sites_learned: 1 });
  for (let i = 0; i < 60; i++) expect(markdown(found)).toContain(`## Options ${i}\n`);
  expect(markdown(found)).not.toContain('harbour office');
  expect((await readAlone(crawl)).map((line) => line.markdown).join('\n')).not.toEqual(markdown(found));
  expect(await contentOf(crawl, `${MANUAL}p1`)).toMatchObject({
    kind: 'manual',
    isManual: true,
    site: { url: MANUAL, number: 1, learnedAt: START, pages: 50 },
  });
});

test('a manual with comments keeps its headings, lists and code', async () => {
  const crawl = await crawled(site(MANUAL, 60, commentedManualPage));
  const found = markdown(await exported(crawl));
  expect(await contentOf(crawl, `${MANUAL}p1`)).toMatchObject({ kind: 'manual' });
  for (const part of [/^## Options/gm, /\[set-/g, /\[quiet-/g]) expect(found.match(part)).toHaveLength(60);
  expect(found.match(/^```$/gm)).toHaveLength(30);
});

test('a list of a manual stays as a whole if only some of its items are on all pages', async () => {
  const contents = (i: number): string =>
    `<ul>${['Name', 'Synopsis', 'Options'].map((name) => `<li><a href="#${name}">${name}</a></li>`).join('')}<li><a href="#own">About the command ${i}</a></li></ul>`;
  const page = (i: number): string => manualPage(i).replace('</h1>', `</h1>${contents(i)}`);
  const crawl = await crawled(site(MANUAL, 60, page));
  const found = markdown(await exported(crawl));
  expect(found.match(/\[Synopsis\]/g)).toHaveLength(60);
  expect(found.match(/\[About the command/g)).toHaveLength(60);
  expect(found).not.toContain('[Guide]');
});

test('a blog with code loses its comments and teasers, and keeps its code', async () => {
  const crawl = await crawled(site('http://b.com/', 40, postPage));
  expect((await readAlone(crawl)).map((line) => line.markdown).join('\n')).toMatch(/reply|teaser/);
  const found = markdown(await exported(crawl));
  expect(found).not.toMatch(/reply|teaser/);
  expect(found.match(/```/g)).toHaveLength(40);
  expect(await contentOf(crawl, 'http://b.com/p2')).toMatchObject({ kind: 'articles', isManual: false });
});

test('a shop loses the note that all products have, and keeps the specification', async () => {
  const crawl = await crawled(site('http://s.com/', 30, productPage));
  const found = markdown(await exported(crawl));
  expect(found).not.toContain('We ship within');
  for (let i = 0; i < 30; i++) expect(found).toContain(`AB-${i} |`);
});

test('the folders of a mixed host are sites of their own, and its other pages are another', async () => {
  const pages = {
    ...site('http://x.com/docs/', 30, manualPage),
    ...site('http://x.com/blog/', 30, postPage),
    ...site('http://x.com/few/', 19, (i) => productPage(i)),
  };
  const crawl = await crawled(pages);
  const { counters } = await exported(crawl);
  expect(counters.sites_learned).toBe(3);
  expect(Object.keys(await storedSites(crawl))).toEqual(['com.x:http/', 'com.x:http/blog/', 'com.x:http/docs/']);
  expect(await contentOf(crawl, 'http://x.com/docs/p1')).toMatchObject({ kind: 'manual' });
  expect(await contentOf(crawl, 'http://x.com/blog/p1')).toMatchObject({ kind: 'articles' });
  expect(await contentOf(crawl, 'http://x.com/few/p1')).toMatchObject({ site: { url: 'http://x.com/', pages: 19 } });
});

test('pages of a host that have no class names in common are read alone', async () => {
  const crawl = await crawled(site('http://t.com/', 30, tenantPage));
  expect((await exported(crawl)).lines).toEqual(await readAlone(crawl));
  expect(await contentOf(crawl, 'http://t.com/p3')).toMatchObject({ kind: 'alone', site: { pages: 30 } });
});

test.each([1, 3, 4])('a site of %d pages has no template', async (count) => {
  const crawl = await crawled(site(MANUAL, count, (i) => manualPage(i, i === 0)));
  const { lines, counters } = await exported(crawl);
  expect(lines).toEqual(await readAlone(crawl));
  expect(counters.sites_learned ?? 0).toBe(0);
  expect(await storedSites(crawl)).toEqual({});
  expect(await contentOf(crawl, `${MANUAL}p0`)).toMatchObject({ kind: 'alone' });
});

test('the order of the crawl does not change a template', async () => {
  const pages = site(MANUAL, 70, manualPage);
  const urls = Object.keys(pages);
  const sites: Record<string, StoredSite>[] = [];
  for (const order of [urls, urls.toReversed()]) {
    const crawl = await crawlOf(fakeWeb(pages), order.slice(0, 30));
    await crawlMore(crawl, order.slice(30));
    await exported(crawl);
    sites.push(await storedSites(crawl));
  }
  const ids = urls.map((url) => createHash('sha256').update(rowKeyOf(url)).digest('hex').slice(0, 16));
  expect(sites[0]![MANUAL_KEY]!.sample.map(({ id }) => id)).toEqual(ids.toSorted().slice(0, 50));
  expect(sites[1]).toEqual(sites[0]);
});

test('two exports that learn a template at the same time write the same pages as one export', async () => {
  const store = new MemoryStore();
  const pages = site(MANUAL, 60, manualPage);
  const crawl = await crawlOf(fakeWeb(pages), Object.keys(pages), store);
  const alone = await testCrawl(undefined, { store: await copyStore(store) });
  const other = await testCrawl(undefined, { store });
  const { siteTemplates } = crawl.tables;
  const parts: Exported[] = [];
  // The other export learns and stores the template after this one has found none.
  const get = async (name: string): Promise<StoredSite | undefined> => {
    const found = await siteTemplates.get(name);
    parts[1] = await exported(other, { prefix: MANUAL });
    return found;
  };
  const first = { ...crawl, tables: { ...crawl.tables, siteTemplates: { ...siteTemplates, get } } };
  parts[0] = await exported(first, { prefix: MANUAL });
  expect(parts.map(({ counters }) => counters.sites_learned)).toEqual([1, 1]);
  const { lines } = await exported(alone);
  expect(parts.map((part) => part.lines)).toEqual([lines, lines]);
  expect(await storedSites(crawl)).toEqual(await storedSites(alone));
});

test('a page that is added does not change a template, and a quarter of other pages does', async () => {
  const web = fakeWeb(site(MANUAL, 40, manualPage));
  const urls = Object.keys(site(MANUAL, 60, manualPage));
  const crawl = await crawlOf(web, urls.slice(0, 40));
  await exported(crawl);
  const before = await storedSites(crawl);
  web.set(urls[40]!, manualPage(40));
  await crawlMore(crawl, [urls[40]!]);
  crawl.setTime(START + HOUR);
  expect((await exported(crawl)).counters.sites_learned ?? 0).toBe(0);
  expect(await storedSites(crawl)).toEqual(before);
  for (let i = 41; i < 60; i++) web.set(urls[i]!, manualPage(i));
  await crawlMore(crawl, urls.slice(41));
  expect((await exported(crawl)).counters.sites_learned).toBe(1);
  expect((await storedSites(crawl))[MANUAL_KEY]).toMatchObject({ number: 2, learnedAt: START + HOUR });
});

test('other words in the same layout do not change a template, and another layout does', async () => {
  const web = fakeWeb(site(MANUAL, 40, manualPage));
  const urls = Object.keys(site(MANUAL, 40, manualPage));
  const crawl = await crawlOf(web, urls);
  await exported(crawl);
  const before = (await storedSites(crawl))[MANUAL_KEY]!;
  urls.forEach((url, i) => web.set(url, manualPage(i).replaceAll('ship', 'barge')));
  crawl.setTime(START + HOUR);
  await crawlMore(crawl, urls, true);
  expect((await exported(crawl)).counters.sites_learned ?? 0).toBe(0);
  const kept = (await storedSites(crawl))[MANUAL_KEY]!;
  expect(kept).toMatchObject({ number: 1, learnedAt: START, template: before.template });
  // The new signatures are stored, so that the next export does not compare the layouts again.
  expect(kept.sample).not.toEqual(before.sample);
  urls.forEach((url, i) => web.set(url, postPage(i)));
  crawl.setTime(START + 2 * HOUR);
  await crawlMore(crawl, urls, true);
  expect((await exported(crawl)).counters).toMatchObject({ sites_learned: 1, sites_changed: 1 });
  expect((await storedSites(crawl))[MANUAL_KEY]).toMatchObject({ number: 2 });
});

test('since includes the unchanged pages of a site whose template has changed', async () => {
  const web = fakeWeb({ ...site(MANUAL, 40, manualPage), ...site('http://b.com/', 10, postPage) });
  const urls = Object.keys(site(MANUAL, 60, manualPage));
  const crawl = await crawlOf(web, [...urls.slice(0, 40), ...Object.keys(site('http://b.com/', 10, postPage))]);
  await exported(crawl);
  crawl.setTime(START + HOUR);
  for (let i = 40; i < 60; i++) web.set(urls[i]!, manualPage(i));
  await crawlMore(crawl, urls.slice(40));
  web.set(urls[0]!, { status: 500 });
  await crawlMore(crawl, [urls[0]!], true);
  const since = START + 1;
  // Without main content, only the new pages have changed.
  expect((await exported(crawl, { since, fields: [] })).lines).toHaveLength(20);
  expect((await exported(crawl, { since })).lines.map(({ url }) => url)).toEqual(urls.toSorted());
  expect((await exported(crawl, { since: START + HOUR + 1 })).lines).toEqual([]);
});

test('since the start of the export that learned a template includes no unchanged pages', async () => {
  const crawl = await crawled(site(MANUAL, 30, manualPage));
  crawl.setTime(START + HOUR);
  await exported(crawl);
  expect((await exported(crawl, { since: START + HOUR })).lines).toEqual([]);
  expect((await exported(crawl, { since: START + HOUR - 1 })).lines).toHaveLength(30);
});

test('a folder with too few pages is no site any more, and its number stays', async () => {
  const web = fakeWeb(site(MANUAL, 21, manualPage));
  const urls = Object.keys(site(MANUAL, 21, manualPage));
  const crawl = await crawlOf(web, urls);
  await exported(crawl);
  urls.slice(0, 2).forEach((url) => web.set(url, undefined));
  crawl.setTime(START + HOUR);
  await crawlMore(crawl, urls, true);
  expect((await exported(crawl, { since: START + 1 })).lines).toHaveLength(21);
  const sites = await storedSites(crawl);
  expect(sites[MANUAL_KEY]).toEqual({
    rule: 1,
    number: 2,
    learnedAt: START + HOUR,
    readerBegan: START + HOUR,
    sample: [],
  });
  expect(sites['com.m:http/']).toMatchObject({ number: 1 });
  expect(await contentOf(crawl, urls[5]!)).toMatchObject({ site: { url: 'http://m.com/' } });
});

test('pages whose last fetch failed keep the template of their site', async () => {
  const web = fakeWeb(site(MANUAL, 21, manualPage));
  const urls = Object.keys(site(MANUAL, 21, manualPage));
  const crawl = await crawlOf(web, urls);
  await exported(crawl);
  const before = await storedSites(crawl);
  urls.slice(0, 2).forEach((url) => web.set(url, { status: 500 }));
  crawl.setTime(START + HOUR);
  await crawlMore(crawl, urls, true);
  expect((await crawl.tables.pages.get(`${MANUAL_KEY}p0`, ['status']))?.status).toBe('unfetched');
  await exported(crawl);
  expect(await storedSites(crawl)).toEqual(before);
});

test('a kill before a template is stored loses nothing', async () => {
  const store = new MemoryStore();
  const crawl = await crawlOf(fakeWeb(site(MANUAL, 30, manualPage)), Object.keys(site(MANUAL, 30, manualPage)), store);
  const dying = await testCrawl(undefined, { store: new FailingStore(await copyStore(store), 1) });
  await expect(exported(dying)).rejects.toThrow(PlannedFailure);
  expect(await storedSites(dying)).toEqual({});
  const copy = await testCrawl(undefined, { store: await copyStore(dying.tables.store) });
  expect(await exported(copy)).toEqual(await exported(crawl));
  expect(await storedSites(copy)).toEqual(await storedSites(crawl));
});

test('a damaged template counts as absent', async () => {
  const crawl = await crawled(site(MANUAL, 30, manualPage));
  const before = await exported(crawl);
  await crawl.tables.store.write('meta', [
    { key: `site ${MANUAL_KEY}`, put: new Map([['v:m', Buffer.from('{"rule":1}')]]) },
  ]);
  expect(await contentOf(crawl, `${MANUAL}p1`)).not.toHaveProperty('site');
  expect(await exported(crawl)).toEqual(before);
});

test('a crawl and a look at one page learn no template', async () => {
  const crawl = await crawled(site(MANUAL, 30, manualPage));
  expect(await contentOf(crawl, `${MANUAL}p1`)).toEqual({ kind: 'alone', isManual: false });
  await exportPages(crawl, { output: '-', stdout: async () => {}, fields: ['title'] });
  expect(await storedSites(crawl)).toEqual({});
});

test('chunks, files of Markdown and pages of the library are read by the same template', async () => {
  const crawl = await crawled(site(MANUAL, 30, manualPage));
  const folder = testFolder();
  await exportChunks(crawl, { output: join(folder, 'chunks.jsonl') });
  expect(await readFile(join(folder, 'chunks.jsonl'), 'utf8')).toContain('Options 7');
  const manifest = JSON.parse(await readFile(join(folder, 'chunks.jsonl.manifest.json'), 'utf8')) as object;
  expect(manifest).toMatchObject({ sites: { rule: 1, count: 1, numbers: { [MANUAL]: 1 } } });
  await exportPages(crawl, { output: join(folder, 'files'), format: 'markdown' });
  const file = (await readdir(join(folder, 'files'), { recursive: true })).find((name) => name.endsWith('p7.md'))!;
  expect(await readFile(join(folder, 'files', file), 'utf8')).toContain('quiet-7');
  const { lines } = await exported(crawl);
  const pages = [];
  for await (const page of crawl.pages({ fields: ['markdown'], status: 'fetched' })) pages.push(page.markdown);
  expect(pages).toEqual(lines.map((line) => line.markdown));
});

test('a sorted export over many sites has the same pages as one in key order', async () => {
  const crawl = await crawled({ ...site(MANUAL, 30, manualPage), ...site('http://b.com/', 10, postPage) });
  const byUrl = ({ lines }: Exported) => lines.toSorted((a, b) => (a.url < b.url ? -1 : 1));
  const sorted = await exported(crawl, { sort: 'score:asc', limit: 100 });
  expect(byUrl(sorted)).toEqual(byUrl(await exported(crawl)));
});
