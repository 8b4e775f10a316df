import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { jobs, openTables } from '../../../packages/webcrawl/internal.js';
import { testCrawl } from '../../support/test-crawl.js';
import { VersionedStore } from '../../support/versions/versioned-store.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { settle } from '../../support/job-steps.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const COUNT = 2;
const BATCH = '1700000000-1';
const URLS = Array.from({ length: 12 }, (_, i) => `http://h${i % 6}.com/${i}`);

/** A batch on a shared table, and a function that fetches a shard of it. */
async function openBatch() {
  const store = new VersionedStore(() => 0);
  await openTables(store, { slots: 4 });
  const web = fakeWeb(Object.fromEntries(URLS.map((url) => [url, 'x'])));
  const crawl = await testCrawl(web, { store });
  await jobs.inject(crawl, { seeds: URLS });
  for (const index of [0, 1]) await jobs.generate(crawl, { batch: BATCH, shard: { index, count: COUNT } });
  const fetchShard = async (index: number, minutes: number) => {
    const limited = await testCrawl(web, { store, settings: { 'fetcher.timelimitMins': minutes } });
    const options = { batch: BATCH, parse: true, threads: 1, shard: { index, count: COUNT } };
    return (await settle(jobs.fetch(limited, options))).counters;
  };
  return { crawl, web, fetchShard };
}

it.each([0, 1])('a time limit of %i minutes ends the step of the batch, and the rest stays due', async (minutes) => {
  const { crawl, web, fetchShard } = await openBatch();
  // The first answer of each shard takes longer than the time limit.
  let left = 0;
  web.onRequest = () => {
    if (left-- === 0) vi.advanceTimersByTime(61_000);
  };
  for (const index of [0, 1]) {
    left = 1;
    expect(await fetchShard(index, minutes)).toMatchObject({ time_limit: 1 });
  }
  expect(await crawl.tables.batches.isDone(BATCH, 'fetch')).toBe(true);
  web.onRequest = () => {};
  let notFetched = 0;
  for (const index of [0, 1, 0]) {
    const { counters } = await jobs.updatedb(crawl, { batch: BATCH, shard: { index, count: COUNT } });
    notFetched += counters.not_fetched ?? 0;
  }
  expect(notFetched).toBeGreaterThan(0);
  const { counters } = await jobs.generate(crawl);
  expect(counters.generated).toBe(notFetched);
});

it.each([0, 1])('the same fetch continues after a time limit of %i minutes has passed', async (minutes) => {
  const { crawl, web, fetchShard } = await openBatch();
  let fetched = 0;
  web.onRequest = () => void vi.advanceTimersByTime(61_000);
  for (const index of [0, 1]) fetched += (await fetchShard(index, minutes)).fetched ?? 0;
  web.onRequest = () => {};
  expect(fetched).toBeLessThan(URLS.length);
  for (const index of [0, 1]) fetched += (await fetchShard(index, -1)).fetched ?? 0;
  expect(fetched).toBe(URLS.length);
  expect(await crawl.tables.batches.isDone(BATCH, 'fetch')).toBe(true);
  for (const index of [0, 1]) expect(await fetchShard(index, -1)).not.toHaveProperty('fetched');
});
