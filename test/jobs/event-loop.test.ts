import { describe, expect, it } from 'vitest';
import { createTimeSlice } from '../../packages/util/index.js';
import { jobs, type OpenContext } from '../../packages/webcrawl/internal.js';
import { fakeWeb, links } from '../support/web/fake-web.js';
import { testCrawl } from '../support/test-crawl.js';

/** So many that each job takes several turns of the event loop on a fast machine too. */
const PAGES = 2000;
const urlOf = (i: number): string => `http://h${i % 50}.example/p${i}`;

/** A web and a store that both answer at once: nothing waits for the event loop. */
async function crawlOfMany(): Promise<OpenContext> {
  const page = (i: number): string => links(urlOf((i + 1) % PAGES), urlOf((i + 7) % PAGES), urlOf(PAGES + i));
  return testCrawl(fakeWeb(Object.fromEntries(Array.from({ length: PAGES }, (_, i) => [urlOf(i), page(i)]))), {
    settings: { 'parser.threads': 0 },
  });
}
const SEEDS = Array.from({ length: PAGES }, (_, i) => urlOf(i));

/** The number of timer ticks during a job. */
async function ticksDuring(job: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  try {
    await job();
  } finally {
    clearInterval(timer);
  }
  return ticks;
}

describe('timers keep running during', () => {
  it('each job', { timeout: 120_000 }, async () => {
    await using crawl = await crawlOfMany();
    const ticks: Record<string, number> = {};
    ticks.inject = await ticksDuring(() => jobs.inject(crawl, { seeds: SEEDS }));
    let batch = '';
    ticks.generate = await ticksDuring(async () => void (batch = (await jobs.generate(crawl, {})).batchId ?? ''));
    ticks.fetch = await ticksDuring(() => jobs.fetch(crawl, { batch }));
    ticks.parse = await ticksDuring(() => jobs.parse(crawl, { batch }));
    ticks.updatedb = await ticksDuring(() => jobs.updatedb(crawl, { batch }));
    ticks.repair = await ticksDuring(() => jobs.repair(crawl));
    ticks.pages = await ticksDuring(async () => {
      let rows = 0;
      for (let i = 0; i < 10; i++) for await (const { url } of crawl.pages({ fields: ['text'] })) rows += url ? 1 : 0;
      expect(rows).toBe(10 * 2 * PAGES);
    });
    for (const [job, count] of Object.entries(ticks)) expect(count, job).toBeGreaterThanOrEqual(2);
  });

  it('the rejection of seeds, which never reaches the store', async () => {
    await using crawl = await testCrawl(undefined);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const endless = function* (): Generator<string> {
      for (;;) yield 'nothing';
    };
    const report = await jobs.inject(crawl, { seeds: endless(), signal: controller.signal });
    expect(report.interrupted).toBe(true);
  });

  it('a crawl that a timeout signal ends', { timeout: 60_000 }, async () => {
    // Every page links to two new pages.
    let asked = 0;
    await using crawl = await testCrawl({
      ...fakeWeb({}),
      protocol: {
        schemes: ['http'],
        fetch({ url }) {
          const path = new URL(url).pathname;
          if (path === '/robots.txt') return Promise.resolve({ kind: 'gone', code: 'not_found', http: 404 });
          asked += 1;
          const body = Buffer.from(links(`/${2 * asked}`, `/${2 * asked + 1}`));
          const answer = { body, truncated: false, contentType: 'text/html', headers: {} };
          return Promise.resolve({ kind: 'content', code: 'success', http: 200, ...answer });
        },
      },
    });
    const signal = AbortSignal.timeout(100);
    const report = await jobs.crawl(crawl, { seeds: ['http://a.example/'], maxPages: 100_000, signal });
    expect(report.interrupted).toBe(true);
    expect(asked).toBeLessThan(100_000);
  });
});

describe('a turn of the event loop', () => {
  it('is due 10 ms after the last one, and each waiting caller checks again after it', async () => {
    let now = 0;
    const timeSlice = createTimeSlice(() => now);
    const order: string[] = [];
    expect(timeSlice.isOver).toBe(false);
    now = 10;
    expect(timeSlice.isOver).toBe(true);
    const work = async (name: string): Promise<void> => {
      while (timeSlice.isOver) await timeSlice.next();
      order.push(name);
      now += 10;
    };
    const works = ['a', 'b', 'c'].map(work);
    const seen: number[] = [];
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(order.length);
    }
    await Promise.all(works);
    expect(order.sort()).toEqual(['a', 'b', 'c']);
    expect(seen).toEqual([1, 2, 3]);
  });
});
