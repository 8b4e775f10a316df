import { describe, expect, it } from 'vitest';
import { CrawlError, jobs, urlOf, type Crawl, type PageRow } from '../../packages/webcrawl/index.js';
import { batchRowKeys, batchTime, listBatches, makeBatchId, rowKeyOf, writeIndexed } from '../../webtable/index.js';
import { groupOf } from '../../packages/url/index.js';
import { randomNumbers } from '../support/fake-web.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';

interface Given {
  readonly url: string;
  readonly score?: number;
  readonly fetchTime?: number;
  readonly status?: 'unfetched' | 'fetched' | 'gone';
  readonly distance?: number;
  readonly generate?: string;
}

async function put(crawl: TestCrawl, rows: readonly Given[]): Promise<void> {
  await writeIndexed(
    crawl.table,
    rows.map(({ url, generate, ...cells }) => ({
      before: undefined,
      change: {
        key: rowKeyOf(url),
        set: { status: 'unfetched', fetchTime: START, score: 1, cash: 0.5, ...cells },
        ...(generate !== undefined && { marks: { generate } }),
      },
    })),
    { now: START, lockExpiry: crawl.settings.generate.lockExpiry * 1000 },
  );
}

/** URLs of a batch, from the rows. */
async function selected(crawl: Crawl, batchId: string): Promise<string[]> {
  const urls: string[] = [];
  for await (const row of crawl.table.scan({ fields: ['marks'], mark: { name: 'generate', batchId } })) {
    urls.push(urlOf(row.key));
  }
  return urls;
}

/** What a scan of the whole table selects: the definition that generate has to meet. */
async function oracle(crawl: Crawl, now: number, topN: number): Promise<string[]> {
  const { maxCount, minScore, maxDistance } = crawl.settings.generate;
  const lockExpiry = crawl.settings.generate.lockExpiry * 1000;
  const rows: PageRow<'fetchTime' | 'score' | 'marks' | 'distance'>[] = [];
  for await (const row of crawl.table.scan({ fields: ['fetchTime', 'score', 'marks', 'distance'] })) {
    const held = row.marks?.generate;
    if (row.fetchTime! > now || (held !== undefined && batchTime(held)! + lockExpiry > now)) continue;
    if (row.score! < minScore || (maxDistance >= 0 && (row.distance ?? 0) > maxDistance)) continue;
    rows.push(row);
  }
  rows.sort((a, b) => b.score! - a.score! || (a.key < b.key ? -1 : 1));
  const taken = new Map<string, number>();
  const chosen: string[] = [];
  for (const row of rows) {
    const group = groupOf(urlOf(row.key), crawl.settings.partition.urlMode as 'host' | 'domain');
    const count = taken.get(group) ?? 0;
    if (chosen.length >= topN || (maxCount >= 0 && count >= maxCount)) continue;
    taken.set(group, count + 1);
    chosen.push(row.key);
  }
  return chosen.sort().map(urlOf);
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
    expect(await crawl.table.get(rowKeyOf('http://b.com/'), ['share'])).toMatchObject({ share: 0.5 });
  });

  it('has no batch id when nothing is due, and leaves no trace', async () => {
    await using crawl = await testCrawl(undefined);
    await put(crawl, [{ url: 'http://a.com/', fetchTime: START + 1 }]);
    expect(await jobs.generate(crawl)).toEqual({ job: 'generate', seconds: 0, counters: {} });
    expect(await listBatches(crawl.table.store)).toEqual([]);
    crawl.setTime(START + 1);
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 1 });
  });

  it('never selects what another batch holds, until the hold expires', async () => {
    await using crawl = await testCrawl(undefined, { settings: { 'generate.lockExpiry': 100 } });
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

  it('counts what it passes over by reason', async () => {
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
    const expected = { host: 3, domain: 2, ip: 1 };
    for (const [mode, count] of Object.entries(expected)) {
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

  it('takes back what a killed generate left unfinished', async () => {
    await using crawl = await testCrawl(undefined);
    const lost = makeBatchId(START, 0.5);
    await put(crawl, [{ url: 'http://a.com/' }, { url: 'http://b.com/' }]);
    const first = await jobs.generate(crawl, { topN: 1 });
    await crawl.table.store.write('batch', [
      { key: `h|${first.batchId!}`, put: new Map([['b:h', Buffer.from('{"state":"generating","size":0}')]]) },
    ]);
    const second = await jobs.generate(crawl);
    expect(second.counters.generated).toBe(2);
    expect(await selected(crawl, lost)).toEqual([]);
    expect((await listBatches(crawl.table.store)).map((batch) => batch.batchId)).toEqual([second.batchId]);
  });

  it('lets go of everything when it is aborted', async () => {
    await using crawl = await testCrawl(undefined);
    await put(crawl, [{ url: 'http://a.com/' }]);
    const report = await jobs.generate(crawl, { signal: AbortSignal.abort() });
    expect(report).toMatchObject({ interrupted: true });
    expect(report.batchId).toBeUndefined();
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 1 });
  });

  it('puts stale entries right and counts them', async () => {
    await using crawl = await testCrawl(undefined);
    await put(crawl, [{ url: 'http://a.com/', score: 5 }]);
    // A score that changed behind the index, as a crash between two writes leaves it, and an entry without a row.
    await crawl.table.write([{ key: 'com.a:http/', set: { score: 1 } }]);
    await put(crawl, [{ url: 'http://b.com/' }]);
    await crawl.table.store.write('webpage', [{ key: 'com.b:http/', clear: true }]);
    const report = await jobs.generate(crawl);
    expect(report.counters).toEqual({ generated: 1, stale: 1 });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 1 });
  });

  it('selects exactly what a scan of the whole table would, in random tables over time', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomNumbers(seed);
      const below = (n: number): number => Math.floor(random() * n);
      await using crawl = await testCrawl(undefined, {
        settings: {
          'generate.maxCount': below(3) === 0 ? -1 : below(4),
          'generate.minScore': below(2) - 0.5,
          'generate.maxDistance': below(2) === 0 ? -1 : 2,
          'generate.lockExpiry': 1000,
          'partition.urlMode': below(2) === 0 ? 'host' : 'domain',
        },
      });
      const rows = Array.from({ length: below(80) }, (_, i) => ({
        url: `http://h${below(6)}.d${below(4)}.com/${i}`,
        score: below(4) - 1 + (below(2) === 0 ? 0 : random()),
        fetchTime: START + below(5) * 1000,
        distance: below(5),
      }));
      await put(crawl, rows);
      for (let step = 0; step < 6; step++) {
        const now = START + step * 700_000;
        crawl.setTime(now);
        const topN = below(3) === 0 ? Infinity : 1 + below(30);
        const expected = await oracle(crawl, now, topN);
        const report = await jobs.generate(crawl, topN < Infinity ? { topN } : {});
        const found = report.batchId === undefined ? [] : await selected(crawl, report.batchId);
        expect(found, `seed ${seed}, step ${step}`).toEqual(expected);
        if (report.batchId !== undefined) {
          const indexed: string[] = [];
          for await (const key of batchRowKeys(crawl.table.store, report.batchId)) indexed.push(urlOf(key));
          expect(indexed.sort()).toEqual([...expected].sort());
        }
      }
    }
  });
});

describe('batch ids', () => {
  it('tell their time and sort by it', () => {
    const ids = [0, 0.5, 0.999999999].map((random, i) => makeBatchId(START + i * 1000, random));
    expect([...ids].sort()).toEqual(ids);
    expect(ids.map(batchTime)).toEqual([START, START + 1000, START + 2000]);
    for (const wrong of ['', 'x', '1', '-1', '1-', '1-2-3', '1 -2']) expect(batchTime(wrong)).toBeUndefined();
  });

  it('are refused where none is known', async () => {
    await using crawl = await testCrawl(undefined);
    for (const batch of ['17-1', '', '\u001b[31m', 'x'.repeat(300)]) {
      await expect(jobs.fetch(crawl, { batch })).rejects.toThrow(CrawlError);
      await expect(jobs.updatedb(crawl, { batch })).rejects.toMatchObject({ code: 'UNKNOWN_BATCH' });
    }
  });
});
