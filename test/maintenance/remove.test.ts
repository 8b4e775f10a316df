import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, openLevelStore, type OpenContext, type Store } from '../../packages/webcrawl/internal.js';
import { copyStore, dumpStore } from '../support/stores/copy-store.js';
import { FailingStore, PlannedFailure } from '../support/stores/failing-store.js';
import { damage } from '../support/stores/damage.js';
import { fakeWeb, links, randomWeb } from '../support/web/fake-web.js';
import { rowOf, select, start } from '../support/job-steps.js';
import { allRows, testCrawl } from '../support/test-crawl.js';
import { runs } from '../support/runs.js';

const A = 'http://a.com/';

async function urlsOf(crawl: OpenContext): Promise<string[]> {
  const urls: string[] = [];
  for await (const { url } of crawl.pages({ fields: [] })) urls.push(url);
  return urls;
}

async function repairIsIdle(crawl: OpenContext): Promise<void> {
  const { counters } = await jobs.repair(crawl);
  expect({ rows: 0, ...counters }).toEqual({ rows: (await urlsOf(crawl)).length });
}

describe('remove', () => {
  it('removes the selected rows, and leaves every index in order', async () => {
    const { pages, seeds } = randomWeb(3, 80, 4);
    await using crawl = await testCrawl(fakeWeb(pages));
    await jobs.crawl(crawl, { seeds, stay: 'any', rounds: 2 });
    const all = await allRows(crawl);
    const stays = all.filter(({ url }) => !String(url).startsWith('http://h1.example.com/'));
    expect(stays.length).toBeLessThan(all.length);
    const n = all.length - stays.length;
    // The data of a host does not belong to its rows.
    await crawl.tables.store.write('host', [{ key: 'com.example.h1', put: new Map([['h:bo', Buffer.from('{}')]]) }]);
    const before = await dumpStore(crawl.tables.store);
    expect((await jobs.remove(crawl, { host: 'h1.example.com', dryRun: true })).counters).toEqual({ would_remove: n });
    expect(await dumpStore(crawl.tables.store)).toEqual(before);
    expect(await jobs.remove(crawl, { host: 'h1.example.com' })).toMatchObject({
      job: 'remove',
      counters: { removed: n },
    });
    expect(await allRows(crawl)).toEqual(stays);
    await repairIsIdle(crawl);
    expect((await jobs.remove(crawl, { host: 'h1.example.com' })).counters).toEqual({});
    expect((await dumpStore(crawl.tables.store))['host']!.map(({ key }) => key)).toContain('com.example.h1');
    await jobs.remove(crawl, { status: ['unfetched', 'fetched', 'gone', 'redir_temp', 'redir_perm', 'notmodified'] });
    expect(await urlsOf(crawl)).toEqual([]);
    await repairIsIdle(crawl);
  });

  it('leaves rows that a batch holds, and rows that cannot be read', async () => {
    await using crawl = await testCrawl(fakeWeb({ [A]: 'x' }));
    const batch = await start(crawl, A);
    await jobs.inject(crawl, { seeds: ['http://a.com/free', 'http://a.com/damaged'] });
    await damage(crawl, 'http://a.com/damaged', 'dueAt');
    expect((await jobs.remove(crawl, { host: 'a.com', dryRun: true })).counters).toEqual({
      would_remove: 1,
      held: 1,
      damaged: 1,
    });
    expect((await jobs.remove(crawl, { host: 'a.com' })).counters).toEqual({ removed: 1, held: 1, damaged: 1 });
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
    expect((await jobs.remove(crawl, { host: 'a.com' })).counters).toEqual({ removed: 1, damaged: 1 });
    expect(await urlsOf(crawl)).toEqual(['http://a.com/damaged']);
  });

  it('does not remove a row that has changed since it was found', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [A, 'http://b.com/'] });
    const { pages } = crawl.tables;
    const { scan } = pages;
    pages.scan = async function* (options) {
      yield* scan(options);
      pages.scan = scan;
      await select(crawl, 1);
    };
    expect((await jobs.remove(crawl, { status: 'unfetched' })).counters).toEqual({ removed: 1, held: 1 });
    expect(await urlsOf(crawl)).toEqual([A]);
    await repairIsIdle(crawl);
  });

  it('keeps links in other rows, so that a page can return by a link', async () => {
    const web = fakeWeb({ [A]: links('http://b.com/'), 'http://b.com/': links(A, 'http://c.com/') });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: [A], stay: 'any', depth: 1 });
    await jobs.remove(crawl, { host: 'b.com' });
    expect(await rowOf(crawl, A, 'outlinks')).toMatchObject({ outlinks: [{ url: 'http://b.com/' }] });
    expect(await rowOf(crawl, A, 'inlinks')).toMatchObject({ inlinks: [{ url: 'http://b.com/' }] });
    crawl.setTime(crawl.clock() + 100 * 86_400_000);
    await jobs.crawl(crawl, { seeds: [A], stay: 'any', rounds: 2 });
    expect(await urlsOf(crawl)).toContain('http://b.com/');
    await repairIsIdle(crawl);
  });

  it('ends the rights of a host as a seed, with its last seed', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [A, 'http://a.com/2', 'http://b.com/'] });
    const seedHosts = async () => (await dumpStore(crawl.tables.store))['host']!.map(({ key }) => key);
    await jobs.remove(crawl, { prefix: 'http://a.com/2' });
    expect(await seedHosts()).toEqual(['com.a', 'com.b']);
    await jobs.remove(crawl, { host: 'a.com' });
    expect(await seedHosts()).toEqual(['com.b']);
    await repairIsIdle(crawl);
  });

  it('refuses to remove a whole table', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [A] });
    for (const options of [{}, { rejected: false }, { dryRun: true }]) {
      await expect(jobs.remove(crawl, options)).rejects.toMatchObject({ code: 'USAGE' });
    }
    await expect(jobs.remove(crawl, { host: 'a b' })).rejects.toMatchObject({ code: 'BAD_URL' });
    expect(await urlsOf(crawl)).toEqual([A]);
  });

  it('stops between two chunks', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: Array.from({ length: 1200 }, (_, i) => `http://a.com/${i}`) });
    const controller = new AbortController();
    const { tables } = crawl;
    const { removeRows } = tables;
    tables.removeRows = async (...args) => {
      controller.abort();
      await removeRows(...args);
    };
    const report = await jobs.remove(crawl, { host: 'a.com', signal: controller.signal });
    expect(report).toMatchObject({ interrupted: true, counters: { removed: 500 } });
    expect(await urlsOf(crawl)).toHaveLength(700);
    await repairIsIdle(crawl);
  });

  it('removes bodies and links too in LevelDB', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webcrawl-remove-'));
    try {
      await using crawl = await testCrawl(fakeWeb({ [A]: links('/b'), 'http://a.com/b': links('/') }), {
        store: await openLevelStore(join(folder, 'table')),
      });
      await jobs.crawl(crawl, { seeds: [A] });
      expect(await rowOf(crawl, A, 'content', 'inlinks')).toHaveProperty('content');
      expect((await jobs.remove(crawl, { host: 'a.com' })).counters).toEqual({ removed: 2 });
      expect(await rowOf(crawl, A, 'content', 'inlinks', 'outlinks', 'title', 'marks')).toEqual({});
      // A new row with the same key starts from nothing.
      await jobs.inject(crawl, { seeds: [A] });
      expect(await rowOf(crawl, A, 'content', 'inlinks', 'outlinks', 'fetchedAt')).toEqual({});
      await repairIsIdle(crawl);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('remove that fails between two row writes', () => {
  it('leaves a table in which repair finds nothing missing, and ends the same when it runs again', async () => {
    const { pages, seeds } = randomWeb(5, runs(20, 60), runs(2, 3));
    const before = new MemoryStore();
    await using crawl = await testCrawl(fakeWeb(pages), { store: before });
    await jobs.crawl(crawl, { seeds, stay: 'any', rounds: 2 });
    await select(crawl, 5);
    const run = async (store: Store) => jobs.remove(await testCrawl(undefined, { store }), { domain: 'example.com' });

    const counting = new FailingStore(await copyStore(before));
    const { counters } = await run(counting);
    expect(counters).toEqual({ removed: (await allRows(crawl)).length - 5, held: 5 });
    await using undisturbed = await testCrawl(undefined, { store: counting });
    const expected = await allRows(undisturbed);

    for (let failAt = 1; failAt <= counting.writes; failAt++) {
      const store = await copyStore(before);
      await expect(run(new FailingStore(store, failAt)), `write ${failAt}`).rejects.toThrow(PlannedFailure);
      await using second = await testCrawl(undefined, { store });
      const found = Object.keys((await jobs.repair(second)).counters);
      expect(
        found.filter((reason) => reason.startsWith('missing')),
        `write ${failAt}`,
      ).toEqual([]);
      await run(store);
      expect(await allRows(second), `write ${failAt}`).toEqual(expected);
    }
  });
});
