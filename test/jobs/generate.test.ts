import { describe, expect, it } from 'vitest';
import { CrawlError, jobs, urlOf, type OpenContext } from '../../packages/webcrawl/internal.js';
import { batchTime, makeBatchId, rowKeyOf } from '../../webtable/index.js';
import { heldBy, putRows as put } from '../support/stores/put-rows.js';
import { START, testCrawl } from '../support/test-crawl.js';

/** The URLs of a batch, read from the rows. */
async function selected(crawl: OpenContext, batchId: string): Promise<string[]> {
  return (await heldBy(crawl, batchId)).map(urlOf);
}

describe('generate', () => {
  it('takes the best scores first and marks them with the batch id', async () => {
    await using crawl = await testCrawl(undefined);
    await put(crawl, [
      { url: 'http://a.com/low', score: 1 },
      { url: 'http://a.com/high', score: 2 },
      { url: 'http://b.com/', score: 1.5 },
    ]);
    const report = await jobs.generate(crawl, { topN: 2 });
    expect(report).toMatchObject({ job: 'generate', counters: { generated: 2 } });
    expect(report.batchId).toMatch(/^1700000000-\d+$/);
    expect(await selected(crawl, report.batchId!)).toEqual(['http://a.com/high', 'http://b.com/']);
    expect(await crawl.tables.pages.get(rowKeyOf('http://b.com/'), ['cashInFlight'])).toMatchObject({
      cashInFlight: 0.5,
    });
  });

  it('has no batch id when nothing is due, and writes nothing', async () => {
    await using crawl = await testCrawl(undefined);
    await put(crawl, [{ url: 'http://a.com/', dueAt: START + 1 }]);
    expect(await jobs.generate(crawl)).toEqual({ job: 'generate', seconds: 0, counters: {} });
    expect(await crawl.tables.batches.list()).toEqual([]);
    crawl.setTime(START + 1);
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 1 });
  });

  it('leaves no frontier entry for a page that it selects ahead of time', async () => {
    await using crawl = await testCrawl(undefined);
    const urls = Array.from({ length: 5 }, (_, i) => ({ url: `http://a.com/${i}`, dueAt: START + 86_000_000 }));
    await put(crawl, urls);
    expect((await jobs.generate(crawl, { addDays: 1 })).counters).toEqual({ generated: 5 });
    expect((await jobs.generate(crawl)).counters).toEqual({});
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 5 });
  });

  it('never selects what another batch holds, until that batch is too old', async () => {
    await using crawl = await testCrawl(undefined, { settings: { 'generate.lockExpirySeconds': 100 } });
    await put(crawl, [{ url: 'http://a.com/' }, { url: 'http://b.com/' }]);
    const first = await jobs.generate(crawl, { topN: 1 });
    const second = await jobs.generate(crawl);
    expect(await selected(crawl, first.batchId!)).toEqual(['http://a.com/']);
    expect(await selected(crawl, second.batchId!)).toEqual(['http://b.com/']);
    expect((await jobs.generate(crawl)).batchId).toBeUndefined();
    crawl.setTime(START + 99_000);
    expect((await jobs.generate(crawl)).batchId).toBeUndefined();
    crawl.setTime(START + 100_000);
    const again = await jobs.generate(crawl);
    expect(again.counters.generated).toBe(2);
    expect(await selected(crawl, first.batchId!)).toEqual([]);
  });

  it('counts what it refuses by reason', async () => {
    await using crawl = await testCrawl(undefined, {
      settings: {
        'generate.maxCount': 1,
        'generate.maxDistance': 2,
        'generate.restrictStatus': ['unfetched'],
        'urlfilter.trapMaxLength': 100,
      },
    });
    await put(crawl, [
      { url: 'http://a.com/1', score: 3 },
      { url: 'http://a.com/2', score: 2 },
      { url: 'http://b.com/', distance: 3 },
      { url: 'http://c.com/', status: 'gone' },
      { url: `http://d.com/${'x'.repeat(100)}` },
      { url: 'http://e.com/', score: -1 },
    ]);
    expect((await jobs.generate(crawl)).counters).toEqual({
      generated: 1,
      capped: 1,
      distance: 1,
      low_score: 1,
      status: 1,
      'rejected_urlfilter-traps': 1,
    });
  });

  it('caps by host, domain or IP', async () => {
    const urls = [
      'http://one.example.com/',
      'http://two.example.com/',
      'http://two.example.com/x',
      'http://example.org/',
    ];
    const expected = [
      ['host', 3],
      ['domain', 2],
      ['ip', 1],
    ] as const;
    for (const [mode, count] of expected) {
      await using crawl = await testCrawl(undefined, {
        settings: { 'generate.maxCount': 1, 'partition.urlMode': mode },
        lookup: () => Promise.resolve(['10.0.0.2', '10.0.0.1']),
      });
      await put(
        crawl,
        urls.map((url) => ({ url })),
      );
      expect((await jobs.generate(crawl)).counters.generated).toBe(count);
    }
  });

  it('leaves a batch in state open after it releases its old rows, also if another generate was killed during the release', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: ['http://a.com/', 'http://b.com/'] });
    const { batchId = '' } = await jobs.generate(crawl);
    await crawl.tables.batches.change(batchId, () => ({ state: 'generating', size: 2 }));
    const { counters } = await jobs.generate(crawl, { signal: AbortSignal.abort() });
    expect(counters).toEqual({ expired: 2 });
    expect(await crawl.tables.batches.get(batchId)).toEqual({ batchId, state: 'open', size: 2 });
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 2 });
  });

  it('releases what a killed generate left unfinished', async () => {
    await using crawl = await testCrawl(undefined);
    const lost = makeBatchId(START, 0.5);
    await put(crawl, [{ url: 'http://a.com/' }, { url: 'http://b.com/' }]);
    const first = await jobs.generate(crawl, { topN: 1 });
    await crawl.tables.store.write('batch', [
      { key: `d|${first.batchId!}`, put: new Map([['b:h', Buffer.from('{"state":"generating","size":0}')]]) },
    ]);
    const second = await jobs.generate(crawl);
    expect(second.counters).toEqual({ generated: 2, released_unfinished: 1 });
    expect(await selected(crawl, lost)).toEqual([]);
    expect((await crawl.tables.batches.list()).map((batch) => batch.batchId)).toEqual([second.batchId]);
  });

  it('releases everything when it is aborted', async () => {
    await using crawl = await testCrawl(undefined);
    await put(crawl, [{ url: 'http://a.com/' }]);
    const report = await jobs.generate(crawl, { signal: AbortSignal.abort() });
    expect(report).toMatchObject({ interrupted: true });
    expect(report.batchId).toBeUndefined();
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 1 });
  });

  it('reports what it released when it is aborted half-way, and reports nothing as generated', async () => {
    await using crawl = await testCrawl(undefined);
    await put(
      crawl,
      Array.from({ length: 300 }, (_, i) => ({ url: `http://a.com/${i}` })),
    );
    const controller = new AbortController();
    crawl.setTime(START + 1000);
    const onProgress = (): void => controller.abort();
    // The clock moves on, so that progress is reported.
    const moving = {
      ...crawl,
      clock: (
        (now) => () =>
          (now += 1000)
      )(START),
    };
    const report = await jobs.generate(moving, { signal: controller.signal, onProgress });
    expect(report.counters).toEqual({ released_unfinished: 100 });
    expect(report).toMatchObject({ interrupted: true });
    expect(report.batchId).toBeUndefined();
    expect((await jobs.generate(moving)).counters).toEqual({ generated: 300 });
  });

  it('repairs stale entries and counts them', async () => {
    await using crawl = await testCrawl(undefined);
    await put(crawl, [{ url: 'http://a.com/', score: 5 }]);
    // A score that changed without its index entry, as after a crash between two writes, and an entry without a row.
    await crawl.tables.pages.write([{ key: 'com.a:http/', set: { score: 1 } }]);
    await put(crawl, [{ url: 'http://b.com/' }]);
    await crawl.tables.store.write('webpage', [{ key: 'com.b:http/', clear: true }]);
    const report = await jobs.generate(crawl);
    expect(report.counters).toEqual({ generated: 1, stale: 1 });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 1 });
  });
});

describe('batch ids', () => {
  it('state their time and sort by it', () => {
    const ids = [0, 0.5, 0.999999999].map((random, i) => makeBatchId(START + i * 1000, random));
    expect([...ids].sort()).toEqual(ids);
    expect(ids.map(batchTime)).toEqual([START, START + 1000, START + 2000]);
    for (const wrong of ['', 'x', '1', '-1', '1-', '1-2-3', '1 -2']) expect(batchTime(wrong)).toBeUndefined();
  });

  it('are rejected if no batch has them', async () => {
    await using crawl = await testCrawl(undefined);
    for (const batch of ['17-1', '', '\u001b[31m', 'x'.repeat(300)]) {
      await expect(jobs.fetch(crawl, { batch })).rejects.toThrow(CrawlError);
      await expect(jobs.updatedb(crawl, { batch })).rejects.toMatchObject({ code: 'UNKNOWN_BATCH' });
    }
  });
});
