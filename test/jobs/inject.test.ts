import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, type OpenContext, type Plugin } from '../../packages/webcrawl/internal.js';
import type { RowChange } from '../../webtable/index.js';
import { fakeWeb } from '../support/web/fake-web.js';
import { rowOf, select } from '../support/job-steps.js';
import { START, allRows, testCrawl } from '../support/test-crawl.js';
import { runs } from '../support/runs.js';

const DAY = 86_400_000;
const inject = (crawl: OpenContext, ...seeds: string[]) => jobs.inject(crawl, { seeds });
const frontier = async (crawl: OpenContext): Promise<string[]> => {
  const keys: string[] = [];
  for await (const entries of crawl.tables.frontier.entries()) for (const { entryKey } of entries) keys.push(entryKey);
  return keys;
};

describe('inject', () => {
  it('makes a row of each seed', async () => {
    await using crawl = await testCrawl(undefined);
    const report = await inject(crawl, 'HTTP://A.com:80/x/../y#part', 'http://b.com/\tscore=3\tfetchInterval=60\tk=v');
    expect(report).toEqual({ job: 'inject', seconds: 0, counters: { injected: 2 } });
    const same = {
      status: 'unfetched',
      dueAt: START,
      firstSeenAt: START,
      retries: 0,
      distance: 0,
      marks: { inject: 'y' },
    };
    expect(await allRows(crawl)).toEqual([
      { key: 'com.a:http/y', url: 'http://a.com/y', ...same, fetchInterval: 2_592_000, score: 1, cash: 1 },
      {
        key: 'com.b:http/',
        url: 'http://b.com/',
        ...same,
        fetchInterval: 60,
        score: 3,
        cash: 3,
        metadata: { k: 'v' },
      },
    ]);
  });

  it('uses the score and interval of the settings if a seed states none', async () => {
    await using crawl = await testCrawl(undefined, {
      settings: { 'db.scoreInjected': 0.25, 'db.fetchIntervalDefault': 100 },
    });
    await inject(crawl, 'http://a.com/', 'http://b.com/\tscore=0');
    expect(await allRows(crawl)).toMatchObject([
      { score: 0.25, cash: 0.25, fetchInterval: 100 },
      { score: 0, cash: 0, fetchInterval: 100 },
    ]);
  });

  it('does not change the row of a known seed, whatever the line says', async () => {
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'x' }));
    await jobs.crawl(crawl, { seeds: ['http://a.com/\tk=v'] });
    const [before, entries] = [await allRows(crawl), await frontier(crawl)];
    crawl.setTime(START + DAY);
    expect((await inject(crawl, 'http://a.com/\tscore=9\tfetchInterval=1\tk=w')).counters).toEqual({ known: 1 });
    expect(await allRows(crawl)).toEqual(before);
    expect(await frontier(crawl)).toEqual(entries);
  });

  it('changes nothing when it runs again, with any chunk limits', async () => {
    await using crawl = await testCrawl(undefined);
    const seeds = Array.from({ length: 2500 }, (_, i) => `http://h${i % 7}.com/${i}\tscore=${i % 5}\tn=${i}`);
    expect((await jobs.inject(crawl, { seeds })).counters).toEqual({ injected: 2500 });
    const [before, entries] = [await allRows(crawl), await frontier(crawl)];
    expect(before).toHaveLength(2500);
    expect(entries).toHaveLength(2500);
    crawl.setTime(START + DAY);
    expect((await jobs.inject(crawl, { seeds })).counters).toEqual({ known: 2500 });
    expect(await allRows(crawl)).toEqual(before);
    expect(await frontier(crawl)).toEqual(entries);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 2500 });
  });

  it('uses the first of two lines for one URL, whether they are near or far apart', async () => {
    await using crawl = await testCrawl(undefined);
    const filler = Array.from({ length: 1500 }, (_, i) => `http://b.com/${i}`);
    const report = await inject(crawl, 'http://a.com/\tn=1', 'http://A.com/#x\tn=2', ...filler, 'http://a.com\tn=3');
    expect(report.counters).toEqual({ injected: 1501, known: 2 });
    expect(await rowOf(crawl, 'http://a.com/', 'metadata')).toEqual({ metadata: { n: '1' } });
  });

  it('counts each rejected line by reason, and reports its number', async () => {
    const picky: Plugin = { name: 'picky', filterUrl: (url) => !url.includes('bad') || 'no bad ones' };
    const broken: Plugin = {
      name: 'broken',
      filterUrl(url) {
        if (url.includes('boom')) throw new Error('out of order');
        return true;
      },
    };
    await using crawl = await testCrawl(undefined, { plugins: [picky, broken] });
    const rejected: unknown[] = [];
    const report = await jobs.inject(crawl, {
      seeds: [
        '# a comment',
        'http://a.com/',
        '',
        'http://a.com/x\tscore=much',
        'not a url',
        'ftp://a.com/',
        'http://user:secret@a.com/',
        'http://a.com/bad',
        'http://a.com/boom',
        'http://a.com/y\tnoequals',
      ],
      onRejected: (...args) => rejected.push(args),
    });
    expect(report.counters).toEqual({
      injected: 1,
      malformed: 2,
      rejected_broken: 1,
      rejected_picky: 1,
      rejected_url: 3,
    });
    expect(rejected).toEqual([
      [4, 'http://a.com/x\tscore=much', 'the score "much" is not a number'],
      [5, 'not a url', '"not a url" is not an absolute URL, such as https://example.com/'],
      [6, 'ftp://a.com/', 'only http and https URLs can be crawled, not ftp:'],
      [7, 'http://user:secret@a.com/', 'the URL for a.com has a user name or password'],
      [8, 'http://a.com/bad', 'no bad ones'],
      [9, 'http://a.com/boom', 'out of order'],
      [10, 'http://a.com/y\tnoequals', '"noequals" after the URL is not key=value'],
    ]);
    expect(await allRows(crawl)).toHaveLength(1);
  });

  it('overwrites only score, interval, metadata and due time, with db.injectorOverwrite', async () => {
    const store = new MemoryStore();
    const crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'x' }), { store });
    await jobs.crawl(crawl, { seeds: ['http://a.com/\told=1\tscore=5'] });
    const [before] = await allRows(crawl);
    await using again = await testCrawl(undefined, { store, settings: { 'db.injectorOverwrite': true } });
    again.setTime(START + DAY);
    expect((await inject(again, 'http://a.com/\tnew=2\tfetchInterval=60')).counters).toEqual({ updated: 1 });
    const changed = { score: 1, cash: 1, fetchInterval: 60, metadata: { new: '2' }, dueAt: START + DAY };
    expect(await allRows(again)).toEqual([{ ...before, ...changed }]);
    expect((await jobs.repair(again)).counters).toEqual({ rows: 1 });
    expect((await jobs.generate(again)).counters).toEqual({ generated: 1 });
  });

  it('changes only what a line states, with db.injectorUpdate', async () => {
    const store = new MemoryStore();
    const crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'x', 'http://b.com/': 'x' }), { store });
    await jobs.crawl(crawl, {
      seeds: ['http://a.com/\tscore=5\tx=1\ty=1', 'http://b.com/\tscore=5\tfetchInterval=7000'],
    });
    const [a, b] = await allRows(crawl);
    await using again = await testCrawl(undefined, { store, settings: { 'db.injectorUpdate': true } });
    again.setTime(START + DAY);
    const report = await inject(again, 'http://a.com/\ty=2\tz=2', 'http://b.com/\tscore=2\tfetchInterval=60');
    expect(report.counters).toEqual({ updated: 2 });
    expect(await allRows(again)).toEqual([
      { ...a, metadata: { x: '1', y: '2', z: '2' } },
      { ...b, score: 2, cash: 2, fetchInterval: 60 },
    ]);
    expect((await jobs.repair(again)).counters).toEqual({ rows: 2 });
  });

  it('leaves rows alone that a batch holds', async () => {
    for (const setting of ['db.injectorOverwrite', 'db.injectorUpdate']) {
      await using crawl = await testCrawl(undefined, { settings: { [setting]: true } });
      await inject(crawl, 'http://a.com/');
      await select(crawl);
      const before = await allRows(crawl);
      expect((await inject(crawl, 'http://a.com/\tscore=9\tk=v')).counters).toEqual({ held: 1 });
      expect(await allRows(crawl)).toEqual(before);
    }
  });

  it('makes a page that was known as a link a seed: its distance becomes 0', async () => {
    const web = fakeWeb({ 'http://a.com/': '<a href="/x">x</a>' });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/'], rounds: 1 });
    expect((await inject(crawl, 'http://a.com/x')).counters).toEqual({ known: 1 });
    expect(await rowOf(crawl, 'http://a.com/x', 'distance', 'marks')).toEqual({ distance: 0, marks: { inject: 'y' } });
  });

  it('streams many lines, and never reads far ahead of what it has written', async () => {
    const LINES = runs(20_000, 100_000);
    const store = new MemoryStore();
    let written = 0;
    let furthest = 0;
    const write = store.write.bind(store);
    store.write = (table, changes: readonly RowChange[]) => {
      if (table === 'webpage') written += changes.length;
      return write(table, changes);
    };
    async function* lines(): AsyncGenerator<string> {
      for (let i = 0; i < LINES; i++) {
        furthest = Math.max(furthest, i - written);
        yield `http://a.com/${String(i).padStart(6, '0')}`;
      }
    }
    await using crawl = await testCrawl(undefined, { store });
    expect((await jobs.inject(crawl, { seeds: lines() })).counters).toEqual({ injected: LINES });
    expect(written).toBe(LINES);
    expect(furthest).toBeLessThanOrEqual(1000);
  });

  it('stops on an abort, and the next run continues there', async () => {
    await using crawl = await testCrawl(undefined);
    const controller = new AbortController();
    function* lines(): Generator<string> {
      for (let i = 0; i < 5000; i++) {
        if (i === 2500) controller.abort();
        yield `http://a.com/${i}`;
      }
    }
    const report = await jobs.inject(crawl, { seeds: lines(), signal: controller.signal });
    expect(report).toMatchObject({ interrupted: true, counters: { injected: 2500 } });
    const seeds = Array.from({ length: 5000 }, (_, i) => `http://a.com/${i}`);
    expect((await jobs.inject(crawl, { seeds })).counters).toEqual({ injected: 2500, known: 2500 });
  });

  it('throws what the iterator of lines throws, after it has written whole chunks', async () => {
    await using crawl = await testCrawl(undefined);
    function* lines(): Generator<string> {
      for (let i = 0; i < 1500; i++) yield `http://a.com/${i}`;
      throw new Error('the file ends here');
    }
    await expect(jobs.inject(crawl, { seeds: lines() })).rejects.toThrow('the file ends here');
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 1000 });
  });
});
