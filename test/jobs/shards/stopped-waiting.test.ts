import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  jobs,
  openTables,
  rules,
  type OpenContext,
  type JobOptions,
  type Report,
} from '../../../packages/webcrawl/internal.js';
import { turns } from '../../support/events.js';
import { testCrawl } from '../../support/test-crawl.js';
import { TimedStore } from '../../support/stores/timed-store.js';
import { fakeWeb } from '../../support/web/fake-web.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const SEEDS = ['http://a.com/'];
const RUNS: Record<string, (crawl: OpenContext, options: JobOptions) => Promise<Report>> = {
  generate: (crawl, options) => jobs.generate(crawl, options),
  fetch: (crawl, options) => jobs.fetch(crawl, { ...options, batch: 'all' }),
  parse: (crawl, options) => jobs.parse(crawl, { ...options, batch: 'all' }),
  updatedb: (crawl, options) => jobs.updatedb(crawl, { ...options, batch: 'all' }),
  crawl: (crawl, options) => jobs.crawl(crawl, { ...options, seeds: SEEDS }),
  repair: (crawl, options) => jobs.repair(crawl, options),
  compact: (crawl, options) => jobs.compact(crawl, options),
  remove: (crawl, options) => jobs.remove(crawl, { ...options, host: 'a.com' }),
  'rules apply': (crawl, options) => rules.apply(crawl, options),
};

it.each(Object.keys(RUNS))('%s reports that it was stopped while others held the table', async (job) => {
  const store = new TimedStore(() => 0);
  await openTables(store, { slots: 2 });
  const other = await testCrawl(undefined, { store });
  await other.tables.batches.change('1700000000-1', () => ({ state: 'open', size: 0 }));
  const held = await other.tables.leases.take(['01'], { job: 'fetch', wait: 0 });
  const crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'x' }), { store });
  const controller = new AbortController();
  let isOver = false;
  const report = RUNS[job]!(crawl, { signal: controller.signal }).finally(() => (isOver = true));
  report.catch(() => undefined);
  for (let i = 0; i < 10; i++) {
    await turns();
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(isOver).toBe(false);
  controller.abort();
  expect(await report).toMatchObject({ job, interrupted: true });
  // Also if it was stopped before it began.
  expect(await RUNS[job]!(crawl, { signal: controller.signal })).toMatchObject({ job, interrupted: true });
  await held.release();
});
