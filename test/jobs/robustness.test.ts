import { jobContext } from '../../packages/jobs/context.js';
import { runOf } from '../support/job-run.js';
import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, rowKeyOf, type Plugin } from '../../packages/webcrawl/internal.js';
import { LevelStore } from '../../webtable/index.js';
import { MemoryLevel } from 'memory-level';
import { createLinkSlice, type LinkSource } from '../../packages/jobs/linking/link-slice.js';
import { createLinker } from '../../packages/jobs/linking/linker.js';
import { createTracker } from '../../packages/jobs/reporting/tracker.js';
import { damage } from '../support/stores/damage.js';
import { turns } from '../support/events.js';
import { fakeWeb, links } from '../support/web/fake-web.js';
import { START, testCrawl } from '../support/test-crawl.js';

const levelStore = () =>
  new LevelStore({ database: new MemoryLevel<string, Uint8Array>({ keyEncoding: 'utf8', valueEncoding: 'view' }) });

/** A page of a batch with a link; the pages are sorted by their numbers. */
function sourceOf(i: number): LinkSource {
  const source = `com.b:http/${String(i).padStart(6, '0')}`;
  return { source, chunk: { name: '1-1/00', number: Math.floor(i / 500) }, distance: 1, redirectDepth: 0 };
}

describe('these do not stop a crawl:', () => {
  it('more links to one page than a function can have arguments', async () => {
    await using crawl = await testCrawl(undefined);
    const slice = createLinkSlice();
    for (let i = 0; i < 200_000; i++) {
      slice.add('com.a:http/login', sourceOf(i), { anchor: '', score: 0 });
    }
    const linker = createLinker(runOf(crawl), '1-1', createTracker(jobContext(crawl), 'updatedb', {}).count);
    await linker.addLinks(slice, new Set());
    expect(await crawl.page('http://a.com/login', ['linkedUpTo'])).toMatchObject({
      linkedUpTo: { '1-1/00': '0-399' },
    });
  });

  it('very long links, each of which counts as several', () => {
    const slice = createLinkSlice();
    const from = sourceOf(0);
    slice.add(`com.a:http/${'x'.repeat(4000)}`, from, { anchor: '', score: 0 });
    slice.add('com.a:http/', from, { anchor: '', score: 0 });
    expect(slice.links).toBe(22);
  });

  it('a row that cannot be read: the others are fetched, and the crawl ends', async () => {
    const store = levelStore();
    const web = fakeWeb({ 'http://a.com/': links('/1'), 'http://a.com/1': 'x', 'http://b.com/': 'x' });
    await using crawl = await testCrawl(web, { store });
    await jobs.inject(crawl, { seeds: ['http://a.com/', 'http://b.com/'] });
    await damage(crawl, 'http://b.com/', 'protocolStatus');
    await damage(crawl, 'http://a.com/1', 'signature');
    const report = await jobs.crawl(crawl, { seeds: [] });
    expect(report.counters).toMatchObject({ fetched: 1, generate_damaged: 2 });
    expect(await crawl.page('http://a.com/', ['title'])).toMatchObject({ status: 'fetched' });
  });

  it('a row whose content prevents a change', async () => {
    const database = new MemoryLevel<string, Uint8Array>({ keyEncoding: 'utf8', valueEncoding: 'view' });
    const store = new LevelStore({ database });
    const web = fakeWeb({ 'http://a.com/': 'a', 'http://b.com/': 'b', 'http://c.com/': 'c' });
    await using crawl = await testCrawl(web, { store });
    await jobs.inject(crawl, { seeds: ['http://a.com/', 'http://b.com/', 'http://c.com/'] });
    await crawl.tables.pages.write([{ key: 'com.b:http/', set: { title: 'old' } }]);
    const [key] = await database.keys({ gte: 'wp', lt: 'wq' }).all();
    await database.put(key!, Uint8Array.of(0xff, 0xff, 0xff));
    const report = await jobs.crawl(crawl, { seeds: [], rounds: 1 });
    expect(report.counters).toMatchObject({ fetched: 2, damaged: 1 });
    expect((await jobs.crawl(crawl, { seeds: [] })).counters).toMatchObject({ rounds: 1, damaged: 1 });
  });

  it('a round that has no time to fetch anything', async () => {
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'a' }), {
      settings: { 'fetcher.timelimitMins': 0 },
    });
    const { counters } = await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(counters).toEqual({ injected: 1, time_limit: 1 });
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 1 });
  });

  it('a schedule that throws, and a parser whose answer is no page', async () => {
    const boom = () => {
      throw new Error('out of order');
    };
    const broken: Plugin[] = [
      { name: 'bad-schedule', schedule: { initialize: boom, afterFetch: boom, afterRetry: boom, afterGone: boom } },
      { name: 'bad-parser', parser: { contentTypes: ['text/html'], parse: () => ({ kind: 'success' }) as never } },
    ];
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'a' }), { plugins: broken });
    const { counters } = await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(counters).toMatchObject({ fetched: 1, 'failed_plugin_error_bad-parser': 1, 'plugin_error_bad-schedule': 2 });
    expect(await crawl.page('http://a.com/', ['dueAt', 'marks'])).toMatchObject({
      status: 'fetched',
      dueAt: START + 2_592_000_000,
      marks: { inject: 'y' },
    });
  });

  it('a protocol that cannot be closed: the table is still closed, once', async () => {
    let closed = 0;
    const plugin: Plugin = {
      name: 'sticky',
      protocol: {
        schemes: ['https'],
        fetch: () => Promise.reject(new Error('never')),
        close: () => {
          closed += 1;
          throw new Error('stuck');
        },
      },
    };
    const store = new MemoryStore();
    const crawl = await testCrawl(undefined, { store, plugins: [plugin] });
    await expect(crawl.close()).rejects.toThrow('stuck');
    await expect(crawl.close()).rejects.toThrow('stuck');
    expect(closed).toBe(1);
    await expect(store.get('webpage', ['a'], ['m'])).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('jobs of one process at the same time', () => {
  it('repair keeps the index entries of a row that inject is about to write', async () => {
    const store = new MemoryStore();
    const write = store.write.bind(store);
    store.write = async (table, changes) => {
      await write(table, changes);
      await turns(5);
    };
    await using crawl = await testCrawl(undefined, { store });
    const seeds = Array.from({ length: 20 }, (_, i) => `http://a${i}.com/`);
    const [, repaired] = await Promise.all([jobs.inject(crawl, { seeds }), jobs.repair(crawl)]);
    expect(repaired.counters.stale_frontier).toBeUndefined();
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 20 });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 20 });
  });

  it('two crawls on one store work in turns like one', async () => {
    const store = new MemoryStore();
    await using first = await testCrawl(undefined, { store });
    const second = await testCrawl(undefined, { store });
    const log: string[] = [];
    await Promise.all([
      first.tables.exclusive('x', async () => {
        await turns();
        log.push('first');
      }),
      second.tables.exclusive('x', () => Promise.resolve(log.push('second'))),
    ]);
    expect(log).toEqual(['first', 'second']);
  });
});

describe('a fetch that was stopped', () => {
  it('continues where it stopped when it is called again, and then parses the rest', async () => {
    const pages = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`http://a.com/${i}`, `page ${i}`]));
    const web = fakeWeb(pages);
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: Object.keys(pages) });
    const { batchId: batch = '' } = await jobs.generate(crawl);
    const stop = new AbortController();
    web.onRequest = () => void (web.requests.length === 8 && stop.abort());
    const first = await jobs.fetch(crawl, { batch, threads: 1, signal: stop.signal });
    expect(first).toMatchObject({ interrupted: true, counters: { fetched: 8 } });
    const second = await jobs.fetch(crawl, { batch, parse: true });
    expect(second.counters).toMatchObject({ already_fetched: 8, fetched: 12, parsed: 20 });
    expect(web.requests).toHaveLength(20);
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ already_fetched: 20 });
  });

  it('obeys a Crawl-delay from its last request', async () => {
    const web = fakeWeb({
      'http://a.com/robots.txt': { html: 'User-agent: *\nCrawl-delay: 0.3', contentType: 'text/plain' },
      'http://a.com/': links('/1'),
      'http://a.com/1': links('/2'),
      'http://a.com/2': 'x',
    });
    const times: number[] = [];
    web.onRequest = () => void times.push(performance.now());
    await using crawl = await testCrawl(web, { settings: { 'fetcher.serverDelay': 0.01 }, clock: Date.now });
    await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(times).toHaveLength(3);
    for (const [i, time] of times.slice(1).entries()) expect(time - times[i]!).toBeGreaterThan(290);
  });
});

describe('seeds', () => {
  it('that never arrive do not delay a stop', async () => {
    await using crawl = await testCrawl(undefined);
    const stop = new AbortController();
    async function* endless(): AsyncGenerator<string> {
      yield 'http://a.com/';
      setImmediate(() => stop.abort());
      await new Promise(() => {});
    }
    const report = await jobs.inject(crawl, { seeds: endless(), signal: stop.signal });
    expect(report).toMatchObject({ interrupted: true, counters: { injected: 1 } });
    expect(await crawl.page('http://a.com/', [])).toEqual({ key: rowKeyOf('http://a.com/'), status: 'unfetched' });
  });
});
