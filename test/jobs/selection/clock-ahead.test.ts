import { describe, expect, it } from 'vitest';
import { createClockWatch, isAnyDue } from '../../../packages/jobs/index.js';
import { MemoryStore, explain, jobs, rowKeyOf, type Plugin } from '../../../packages/webcrawl/internal.js';
import { rowOf } from '../../support/job-steps.js';
import { fakeWeb, links, type FakeWeb } from '../../support/web/fake-web.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';

const DAY = 86_400_000;
const YEAR = 365 * DAY;
const HOME = 'http://a.com/';

const site = (): FakeWeb => fakeWeb({ [HOME]: links('/x', '/y'), [`${HOME}x`]: 'x', [`${HOME}y`]: 'y' });

/** A table that was crawled with a clock that was ahead, and whose clock is right now. */
async function crawledAhead(web: FakeWeb, by = YEAR, rounds?: number): Promise<TestCrawl> {
  const crawl = await testCrawl(web);
  crawl.setTime(START + by);
  await jobs.crawl(crawl, { seeds: [HOME], ...(rounds !== undefined && { rounds }) });
  crawl.setTime(START);
  web.requests.length = 0;
  return crawl;
}

describe('after a run with a clock that was a year ahead', () => {
  it('pages are due at once, are fetched once, and then have the times of a right clock', async () => {
    const web = site();
    await using crawl = await crawledAhead(web);
    expect((await explain(crawl, HOME)).next).toMatchObject({ kind: 'due', at: START });
    const { counters } = await jobs.crawl(crawl, { seeds: [HOME] });
    expect(web.requests).toHaveLength(3);
    expect(counters).toMatchObject({ fetched: 3 });
    const { fetchedAt, dueAt = 0 } = await rowOf(crawl, HOME, 'fetchedAt', 'dueAt');
    expect([fetchedAt, dueAt]).toEqual([START, START + 30 * DAY]);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
    await jobs.crawl(crawl, { seeds: [HOME] });
    expect(web.requests).toHaveLength(3);
  });

  it('pages that were found and not fetched are due too, because they are in queues already', async () => {
    const web = site();
    await using crawl = await crawledAhead(web, YEAR, 1);
    expect((await jobs.generate(crawl)).counters).toEqual({ due_too_late: 1, generated: 3 });
  });

  it('repair makes pages due, counts them, and then finds nothing more to do', async () => {
    await using crawl = await crawledAhead(site());
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3, wrong_time: 3 });
    expect(await rowOf(crawl, HOME, 'fetchedAt', 'dueAt')).toMatchObject({ fetchedAt: START, dueAt: START });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 3 });
  });

  it('the next fetch of a batch that was fetched then is planned from now', async () => {
    const web = site();
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: [HOME] });
    const { batchId: batch = '' } = await jobs.generate(crawl);
    crawl.setTime(START + YEAR);
    await jobs.fetch(crawl, { batch, parse: true });
    crawl.setTime(START);
    await jobs.updatedb(crawl, { batch });
    expect((await rowOf(crawl, HOME, 'dueAt')).dueAt).toBe(START + 30 * DAY);
  });
});

it('after ten days ahead, a refetch fetches the pages, although their fetch times are later than its start', async () => {
  const web = site();
  await using crawl = await crawledAhead(web, 10 * DAY);
  await jobs.crawl(crawl, { seeds: [HOME] });
  expect(web.requests).toEqual([]);
  expect((await jobs.crawl(crawl, { seeds: [HOME], refetch: true })).counters).toMatchObject({ made_due: 3 });
  expect(web.requests).toHaveLength(3);
});

describe('after a clock was set back by a day', () => {
  const HOURLY = { 'db.fetchIntervalDefault': 3600 };
  const countsOf = () => {
    const counts: Record<string, number> = {};
    return { counts, count: (name: string, n = 1) => void (counts[name] = (counts[name] ?? 0) + n) };
  };

  it.each([HOURLY, {}])('pages that are due later than their interval allows become due: %j', async (settings) => {
    await using crawl = await testCrawl(site(), { settings });
    crawl.setTime(START + DAY);
    await jobs.crawl(crawl, { seeds: [HOME] });
    crawl.setTime(START);
    const { counts, count } = countsOf();
    expect(await isAnyDue(crawl, count)).toBe(false);
    expect(await isAnyDue(crawl, count, true)).toBe(true);
    expect(counts).toEqual({ due_too_late: 3 });
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 3 });
  });

  it('pages with a right time stay as they are, also those that are retried after a day', async () => {
    const web = fakeWeb({ [HOME]: links('/x'), [`${HOME}x`]: { status: 500 } });
    await using crawl = await testCrawl(web, { settings: HOURLY });
    await jobs.crawl(crawl, { seeds: [HOME] });
    const before = await rowOf(crawl, `${HOME}x`, 'dueAt', 'retries');
    expect(before).toMatchObject({ dueAt: START + DAY, retries: 1 });
    const { counts, count } = countsOf();
    expect(await isAnyDue(crawl, count, true)).toBe(false);
    expect([counts, await rowOf(crawl, `${HOME}x`, 'dueAt', 'retries')]).toEqual([{}, before]);
  });
});

describe('a clock watch', () => {
  it('notices once that a clock was set back by more than an hour', () => {
    let now = START;
    const watch = createClockWatch(() => now);
    const after = (change: number) => ((now += change), watch.wasSetBack());
    expect([DAY, -DAY, 0, -1_800_000, -1_800_000, -DAY, DAY].map(after)).toEqual([
      false,
      true,
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  it('remembers until it is read', () => {
    let now = START;
    const watch = createClockWatch(() => now);
    for (const at of [START + DAY, START, START + DAY]) {
      now = at;
      watch.look();
    }
    expect([watch.wasSetBack(), watch.wasSetBack()]).toEqual([true, false]);
  });
});

it('repair finds pages with a fetch time in the future', async () => {
  await using crawl = await crawledAhead(site(), 10 * DAY);
  expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3, wrong_time: 3 });
});

it('a clock that is far behind changes nothing', async () => {
  const web = site();
  await using crawl = await testCrawl(web);
  await jobs.crawl(crawl, { seeds: [HOME] });
  web.requests.length = 0;
  crawl.setTime(DAY);
  await jobs.crawl(crawl, { seeds: [HOME] });
  expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
  expect(web.requests).toEqual([]);
});

it('no schedule of a plugin exceeds the longest interval, so no page is due again and again', async () => {
  const web = site();
  const never: Plugin = {
    name: 'never-again',
    schedule: {
      initialize: (now) => ({ dueAt: now, fetchInterval: 1, retries: 0, modifiedAt: 0 }),
      afterFetch: (before, at) => ({ ...before, dueAt: at + 100 * YEAR }),
      afterRetry: (before, at) => ({ ...before, dueAt: at + 100 * YEAR }),
      afterGone: (before, at) => ({ ...before, dueAt: at + 100 * YEAR }),
    },
  };
  await using crawl = await testCrawl(web, { plugins: [never] });
  await jobs.crawl(crawl, { seeds: [HOME] });
  expect((await rowOf(crawl, HOME, 'dueAt')).dueAt).toBe(START + 90 * DAY);
  await jobs.crawl(crawl, { seeds: [HOME] });
  expect(web.requests).toHaveLength(3);
});

it('generate reads nothing for rows whose due time is valid', async () => {
  const store = new MemoryStore();
  await using crawl = await testCrawl(site(), { store });
  const seeds = Array.from({ length: 300 }, (_, i) => `http://b${i}.com/`);
  await jobs.inject(crawl, { seeds });
  const keys = seeds.map((url) => rowKeyOf(url));
  await crawl.tables.changeRows(keys, [], START, (rows) =>
    rows.map((row) => row && { key: row.key, set: { dueAt: START + 30 * DAY } }),
  );
  await jobs.generate(crawl);
  let read = 0;
  const { scan } = store;
  store.scan = async function* (...args) {
    for await (const row of scan.apply(this, args)) {
      read += 1;
      yield row;
    }
  };
  await jobs.generate(crawl);
  expect(read).toBeLessThan(50);
});
