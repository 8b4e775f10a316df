import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  explain,
  jobs,
  MemoryStore,
  openTables,
  rowKeyOf,
  search,
  type Plugin,
  type Store,
} from '../../packages/webcrawl/internal.js';
import { INDEX_FILE, openDatabase, openIndexer } from '../../packages/index/index.js';
import { dumpIndex } from '../support/index/dump-index.js';
import { round, rowOf } from '../support/job-steps.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { fakeWeb, type FakeWeb } from '../support/web/fake-web.js';
import { suiteFolder } from '../support/files/temp-folder.js';
import { TimedStore } from '../support/stores/timed-store.js';
import { until } from '../support/events.js';

const root = suiteFolder();

let made = 0;
const newFolder = (): string => join(root, `i${++made}`);

const PAGES = {
  'http://a.example/': `<html lang="en"><title>Home</title><h1>Welcome</h1><p>All pages of packages</p>
    <a href="/one">the first page</a> <a href="/two">second</a> <a href="/gone">x</a> <a href="/moved">m</a>
    <a href="/hidden">h</a> <a href="/copy">c</a> <a href="/data">i</a> <a href="/header">x</a>`,
  'http://a.example/one': '<html lang="en"><title>One</title><h2>Part <b>one</b></h2><p>running text</p>',
  'http://a.example/two': '<html lang="zh"><title>第二</title><p>南京市长江大桥</p>',
  'http://a.example/moved': { status: 301, location: 'http://a.example/one' },
  'http://a.example/hidden': '<title>Hidden</title><meta name="robots" content="noindex"><p>secret</p>',
  'http://a.example/header': { html: '<title>X</title><p>secret</p>', headers: { 'x-robots-tag': 'noindex' } },
  'http://a.example/copy': '<title>Copy</title><link rel="canonical" href="/one"><p>running text</p>',
  'http://a.example/data': { body: new Uint8Array([0x89, 0x50, 0x4e, 0x47]), contentType: 'image/png' },
};

interface Setup {
  readonly web?: FakeWeb;
  readonly folder?: string;
  readonly plugins?: readonly Plugin[];
  readonly store?: Store;
}

async function crawled({ web = fakeWeb(PAGES), folder = newFolder(), plugins = [], store }: Setup = {}): Promise<
  TestCrawl & { readonly folder: string }
> {
  const crawl = await testCrawl(web, {
    settings: { 'index.path': folder },
    plugins,
    ...(store && { store }),
  });
  return Object.assign(crawl, { folder });
}

async function allRounds(crawl: TestCrawl): Promise<void> {
  await jobs.inject(crawl, { seeds: ['http://a.example/'] });
  await round(crawl);
  await round(crawl);
}

const keysOf = async (folder: string): Promise<unknown[]> => (await dumpIndex(folder)).docs.map(({ key }) => key);
const key = (path: string): string => rowKeyOf(`http://a.example/${path}`);
const IN = [key(''), key('one'), key('two')];

describe('index of a table that processes share', () => {
  async function sharedTable() {
    const store = new TimedStore(() => 0);
    const crawl = await crawled({ store });
    const other = await openTables(store.forProcess());
    onTestFinished(async () => {
      other.leases.stop();
      await crawl.close();
    });
    return { crawl, other };
  }

  test('runs while workers hold all slots', async () => {
    const { crawl, other } = await sharedTable();
    await allRounds(crawl);
    await other.leases.take(other.slots.all, { job: 'crawl', wait: 0 });
    expect((await jobs.index(crawl)).counters).toMatchObject({ added: 3 });
  });

  test('waits for the run of another process', async () => {
    const { crawl, other } = await sharedTable();
    await allRounds(crawl);
    const held = await other.leases.take(['index'], { job: 'index', wait: 0 });
    const running = jobs.index(crawl);
    await until(async () => (await other.leases.holders()).length > 1);
    expect(await crawl.tables.runs.hasReadAllInto('index')).toBeUndefined();
    await held.release();
    expect((await running).counters).toMatchObject({ added: 3 });
  });
});

describe('index', () => {
  test('uses the detected language if a page states none', async () => {
    const html =
      '<p>Die Häuser der Stadt sind alt und hoch, und in jedem der Häuser wohnen die Menschen, die auf dem Markt arbeiten.';
    await using crawl = await crawled({ web: fakeWeb({ 'http://a.example/': html }) });
    await jobs.inject(crawl, { seeds: ['http://a.example/'] });
    await round(crawl);
    await jobs.index(crawl);
    const { docs, terms } = await dumpIndex(crawl.folder);
    expect(docs.map(({ language }) => language)).toEqual(['de']);
    expect(terms.some((term) => / haus /.test(` ${term} `))).toBe(true);
  });

  test('detects the language of a page whose row has none', async () => {
    const html = '<p>Вода поднимается и опускается дважды в день, и прибор записывает её высоту в каждом месте.';
    await using crawl = await crawled({ web: fakeWeb({ 'http://a.example/': html }) });
    await jobs.inject(crawl, { seeds: ['http://a.example/'] });
    await round(crawl);
    await jobs.index(crawl);
    const { docs } = await dumpIndex(crawl.folder);
    expect(docs.map(({ language }) => language)).toEqual(['ru']);
  });

  test('stores pages, and counts the other rows by their reason', async () => {
    await using crawl = await crawled();
    await allRounds(crawl);
    const { counters } = await jobs.index(crawl);
    expect(counters).toEqual({
      added: 3,
      gone: 1,
      redirected: 1,
      noindex: 2,
      canonical: 1,
      not_parsed: 1,
    });
    const { docs, terms } = await dumpIndex(crawl.folder);
    expect(docs.map((doc) => doc.key)).toEqual(IN);
    expect(docs.map(({ language }) => language)).toEqual(['en', 'en', 'zh']);
    expect(docs[1]).toMatchObject({ fetched: START, rank: 0 });
    for (const place of [
      `${key('one')} headings 0 part`,
      `${key('one')} headings 1 on`,
      `${key('one')} text 0 on`,
      `${key('one')} anchors 0 the`,
      `${key('one')} url 0 a`,
      `${key('two')} text 1 南京市`,
      `${key('')} text 5 packag`,
    ]) {
      expect(terms).toContain(place);
    }
    expect(await jobs.index(crawl)).toMatchObject({ counters: {} });
    expect((await jobs.index(crawl, { all: true })).counters).toMatchObject({ unchanged: 3 });
  });

  test('marks the pages that are in it, and no others', async () => {
    await using crawl = await crawled();
    await allRounds(crawl);
    await jobs.index(crawl);
    for (const path of ['', 'one', 'two', 'moved', 'hidden', 'gone', 'copy']) {
      const { marks } = await rowOf(crawl, `http://a.example/${path}`, 'marks');
      const isIn = IN.includes(key(path));
      expect(marks?.index, path).toBe(isIn ? marks?.updatedb : undefined);
      const { page } = await explain(crawl, `http://a.example/${path}`);
      expect(page?.indexed, path).toBe(isIn ? 'current' : undefined);
    }
  });

  test('later runs read the batches that were updated since, and close them', async () => {
    const web = fakeWeb(PAGES);
    await using crawl = await crawled({ web });
    await allRounds(crawl);
    await jobs.index(crawl);
    crawl.setTime(START + 40 * 86_400_000);
    web.set('http://a.example/one', { html: '<title>One</title><p>other words now</p>' });
    web.set('http://a.example/two', undefined);
    web.set('http://a.example/', { html: `${PAGES['http://a.example/']}<a href="/new">n</a>` });
    web.set('http://a.example/new', { html: '<title>New</title>' });
    await round(crawl);
    const { batch } = await round(crawl);
    expect((await crawl.tables.batches.listUpdated()).map(({ state }) => state)).toEqual(['updated', 'updated']);
    const first = await jobs.index(crawl, { batch });
    expect(first).toMatchObject({ batchId: batch, counters: { added: 1, batches: 1 } });
    const { counters } = await jobs.index(crawl);
    expect(counters).toMatchObject({ changed: 2, removed: 1, batches: 1 });
    expect(await crawl.tables.batches.listUpdated()).toEqual([]);
    expect(await keysOf(crawl.folder)).toEqual([key(''), key('new'), key('one')]);
    expect((await jobs.index(crawl, { all: true })).counters).toMatchObject({ unchanged: 3 });
    await expect(jobs.index(crawl, { batch: 'unknown' })).rejects.toMatchObject({ code: 'UNKNOWN_BATCH' });
  });

  test('ranks and duplicates are included with --all', async () => {
    await using crawl = await crawled();
    await allRounds(crawl);
    await jobs.index(crawl);
    await jobs.rank(crawl);
    await crawl.tables.pages.write([{ key: key('two'), set: { duplicateOf: 'http://a.example/one' } }]);
    const { counters } = await jobs.index(crawl, { all: true });
    expect(counters).toMatchObject({ changed: 2, removed: 1, duplicate: 1 });
    const { docs } = await dumpIndex(crawl.folder);
    expect(docs.every(({ rank }) => Number(rank) > 0)).toBe(true);
    expect(docs.map((doc) => doc.key)).toEqual(IN.slice(0, 2));
    expect((await rowOf(crawl, 'http://a.example/two', 'marks')).marks?.index).toBeUndefined();
  });

  test('index filters reject pages, change them, and reject those on which they fail', async () => {
    const filter: Plugin = {
      name: 'choosy',
      indexFilter: ({ title }) => {
        if (title === 'One') return 'no ones';
        if (title === '第二') throw new Error('unexpected');
        return { title: 'Changed', anchors: '' };
      },
    };
    await using crawl = await crawled({ plugins: [filter] });
    await allRounds(crawl);
    const { counters } = await jobs.index(crawl);
    // The copy is included, because its canonical page is rejected.
    expect(counters).toMatchObject({ added: 2, rejected_choosy: 2, plugin_error_choosy: 1 });
    expect(counters.canonical).toBeUndefined();
    expect((await dumpIndex(crawl.folder)).terms).toContain(`${key('')} title 0 chang`);
  });

  test('an index filter that returns something else than a page or a reason rejects that page, and no other', async () => {
    const wrong: Record<string, () => unknown> = {
      'no title': () => ({ title: undefined }),
      'a number as text': () => ({ text: 7 }),
      'a function': () => ({ anchors: () => 'x' }),
      'a time that is none': () => ({ fetchedAt: 1.5 }),
      'a rank that is none': () => ({ rank: NaN }),
      'an unknown field': () => ({ body: 'x' }),
      'a promise': () => Promise.resolve(true),
      nothing: () => undefined,
    };
    const titles = [...Object.keys(wrong), 'right'];
    const web = fakeWeb(
      Object.fromEntries(titles.map((title, i) => [`http://a.example/${i}`, `<title>${title}</title>`])),
    );
    const filter = ((page) => (wrong[page.title] ?? (() => ({ ...page })))()) as NonNullable<Plugin['indexFilter']>;
    await using crawl = await crawled({ web, plugins: [{ name: 'wrong', indexFilter: filter }] });
    await round(crawl, ...titles.map((_, i) => `http://a.example/${i}`));
    const { counters } = await jobs.index(crawl);
    expect(await keysOf(crawl.folder)).toEqual([key('8')]);
    expect(counters).toMatchObject({ added: 1, rejected_wrong: 8, plugin_error_wrong: 8 });
  });

  test('an index is compared with the whole table if another index got its batches', async () => {
    const web = fakeWeb(PAGES);
    const others = newFolder();
    const store = new MemoryStore();
    await using crawl = await crawled({ web, store });
    await allRounds(crawl);
    await jobs.index(crawl);
    await using other = await testCrawl(web, { store, settings: { 'index.path': others } });
    for (const [path, days] of [
      ['one', 40],
      ['two', 80],
    ] as const) {
      other.setTime(START + days * 86_400_000);
      web.set(`http://a.example/${path}`, { html: `<title>${path}</title><p>changed words</p>` });
      await round(other);
      await jobs.index(other);
    }
    expect(await other.tables.batches.listUpdated()).toEqual([]);
    expect((await jobs.index(crawl)).counters).toMatchObject({ changed: 3 });
    const { terms } = await dumpIndex(crawl.folder);
    for (const path of ['one', 'two']) expect(terms.join('\n')).toContain(`${key(path)} text 1 changed`);
    expect((await jobs.index(crawl)).counters).toEqual({});
    expect((await jobs.index(other)).counters).toMatchObject({ unchanged: 3 });
  });

  test('removed rows leave the index', async () => {
    await using crawl = await crawled();
    await allRounds(crawl);
    await jobs.index(crawl);
    expect((await jobs.remove(crawl, { prefix: 'http://a.example/t' })).counters).toMatchObject({ removed: 1 });
    expect((await jobs.index(crawl)).counters).toMatchObject({ removed: 1, batches: 1 });
    expect(await keysOf(crawl.folder)).toEqual(IN.slice(0, 2));
    expect(await crawl.tables.batches.listUpdated()).toEqual([]);
  });

  test('a page that is fetched again stays as it is until its batch is updated', async () => {
    const web = fakeWeb(PAGES);
    await using crawl = await crawled({ web });
    await allRounds(crawl);
    await jobs.index(crawl);
    crawl.setTime(START + 40 * 86_400_000);
    const { batchId = '' } = await jobs.generate(crawl);
    await jobs.fetch(crawl, { batch: batchId });
    const held = await jobs.index(crawl, { all: true });
    expect(held.counters.removed).toBeUndefined();
    expect(held.counters.held).toBeGreaterThan(3);
    expect(await keysOf(crawl.folder)).toEqual(IN);
    await jobs.parse(crawl, { batch: batchId });
    await jobs.updatedb(crawl, { batch: batchId });
    await jobs.index(crawl);
    expect(await keysOf(crawl.folder)).toEqual(IN);
  });

  test('an index of another table is not written, repaired or searched, and stays as it is', async () => {
    await using first = await crawled();
    await allRounds(first);
    await jobs.index(first);
    const before = await dumpIndex(first.folder);
    await using second = await crawled({
      folder: first.folder,
      web: fakeWeb({ 'http://a.example/': '<title>B</title>' }),
    });
    await jobs.inject(second, { seeds: ['http://a.example/'] });
    await round(second);
    const wrong = { code: 'WRONG_INDEX', message: expect.stringContaining(first.folder) as string };
    await expect(jobs.index(second)).rejects.toMatchObject(wrong);
    await expect(jobs.index(second, { all: true })).rejects.toMatchObject(wrong);
    await expect(search(second, 'welcome')).rejects.toMatchObject(wrong);
    expect(await second.tables.runs.consumers()).toEqual([]);
    expect(await dumpIndex(first.folder)).toEqual(before);
    expect((await search(first, 'welcome')).total).toBe(1);
  });

  test('without a folder, the error names the setting', async () => {
    await using crawl = await testCrawl(fakeWeb(PAGES), { settings: {} });
    await expect(jobs.index(crawl)).rejects.toMatchObject({
      code: 'BAD_SETTING',
      hint: expect.stringContaining('index.path') as string,
    });
  });
});

describe('repair', () => {
  test('reports what the index lags behind, and repairs it', async () => {
    const store = new MemoryStore();
    await using crawl = await crawled({ store });
    await allRounds(crawl);
    expect((await jobs.repair(crawl)).counters).not.toHaveProperty('missing_index');
    await jobs.index(crawl);
    const { pages } = crawl.tables;
    await pages.write([
      { key: key('one'), set: { text: 'changed behind its back' } },
      { key: key('two'), set: { status: 'gone' } },
    ]);
    const { counters } = await jobs.repair(crawl);
    expect(counters).toMatchObject({ superfluous_index: 1, stale_index: 1 });
    await rm(crawl.folder, { recursive: true });
    expect((await jobs.repair(crawl)).counters).toMatchObject({ missing_index: 2 });
    expect(Object.keys((await jobs.repair(crawl)).counters).filter((name) => name.endsWith('_index'))).toEqual([]);
    expect(await keysOf(crawl.folder)).toEqual(IN.slice(0, 2));
  });

  test('reports why the index cannot be repaired, after all else is', async () => {
    const store = new MemoryStore();
    await using crawl = await crawled({ store });
    await allRounds(crawl);
    await jobs.index(crawl);
    const database = await openDatabase(join(crawl.folder, INDEX_FILE), { readOnly: false });
    database.exec(`update info set value = 'another' where name = 'table'`);
    database.close();
    const report = await jobs.repair(crawl);
    expect(report.counters.rows).toBeGreaterThan(7);
    expect(report.indexProblem).toMatchObject({
      code: 'WRONG_INDEX',
      message: expect.stringContaining(crawl.folder) as string,
      hint: expect.stringContaining('index.path') as string,
    });
  });
});

describe('forgetIndex', () => {
  test('releases the batches that wait for the index, and a later run reads all changes since', async () => {
    const web = fakeWeb(PAGES);
    await using crawl = await crawled({ web });
    await allRounds(crawl);
    await jobs.index(crawl);
    const { batches, runs, canonicals } = crawl.tables;
    crawl.setTime(START + 40 * 86_400_000);
    web.set('http://a.example/one', { html: '<title>One</title><p>other words now</p>' });
    const { batchId: batch = '' } = await jobs.generate(crawl, { topN: 2 });
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
    expect(await canonicals.noted([key('one')])).toEqual([true]);
    expect(await batches.listUpdated()).toHaveLength(1);
    const { batchId = '' } = await jobs.generate(crawl);
    expect((await jobs.index(crawl, { batch: batchId })).counters).toEqual({ batch_unfinished: 1 });
    expect((await jobs.forgetIndex(crawl)).counters).toEqual({ batches: 1 });
    expect(await batches.listUpdated()).toEqual([]);
    expect((await batches.get(batch)).state).toBe('closed');
    for await (const step of batches.updated(batch)) expect(step).toEqual([]);
    expect(await canonicals.noted([key('one')])).toEqual([undefined]);
    expect(await runs.consumers()).toEqual([]);
    expect((await jobs.forgetIndex(crawl)).counters).toEqual({});

    await jobs.fetch(crawl, { batch: batchId, parse: true });
    await jobs.updatedb(crawl, { batch: batchId });
    expect((await batches.get(batchId)).state).toBe('closed');
    expect((await jobs.index(crawl)).counters).toMatchObject({ changed: expect.any(Number) as number });
    expect((await dumpIndex(crawl.folder)).terms).toContain(`${key('one')} text 1 other`);
  });
  test('an open index is known again after its next run', async () => {
    await using crawl = await crawled();
    const indexer = await openIndexer(crawl);
    await jobs.forgetIndex(crawl);
    await indexer.run();
    expect(await crawl.tables.runs.consumers()).toEqual(['index']);
    await allRounds(crawl);
    expect((await indexer.run()).counters['added']).toBeGreaterThan(0);
    await indexer.close();
  });
});
