import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { INDEX_COLUMNS } from '../../../webtable/schema.js';
import type { WorkerRow } from '../../../webtable/index.js';
import { openContext, openTables, status, type OpenContext } from '../../../packages/webcrawl/internal.js';
import { statusText } from '../../../bin/commands/inspect/status.js';
import { until } from '../../support/events.js';
import { dumpStore } from '../../support/stores/copy-store.js';
import { TimedStore } from '../../support/stores/timed-store.js';
import { PassOnStore } from '../../support/stores/pass-on-store.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** One of several openers of the table: closing it does not close the store for the others. */
class Opened extends PassOnStore {
  readonly compareAndSet: TimedStore['compareAndSet'];

  constructor(store: TimedStore) {
    super(store);
    this.compareAndSet = store.compareAndSet.bind(store);
  }

  override async close(): Promise<void> {}
}

describe('workers of one table', () => {
  let now = 1_700_000_000_000;

  /** Begins a crawl, and waits for its first report if there is one. @returns a function that ends it */
  async function crawling(crawl: OpenContext, done: number, inFlight: number): Promise<() => Promise<void>> {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const job = crawl.running.run('crawl', {}, async (watch) => {
      const progress = { job: 'crawl', round: 2, done, total: 50, counters: { fetched: done }, errors: {} };
      watch(
        () => progress,
        () => ({ inFlight, threads: 10, waiting: 2, setAside: 0, pages: [], hosts: [] }),
      );
      await ended;
      return { job: 'crawl', seconds: 1, counters: {} };
    });
    await until(() => crawl.running.progress().length > 0);
    vi.advanceTimersByTime(5000);
    if (crawl.tables.workers) {
      const isOwn = ({ owner, work }: WorkerRow): boolean =>
        owner === crawl.tables.owner && (work as { jobs: readonly unknown[] }).jobs.length > 0;
      await until(async () => (await crawl.tables.workers!.list()).some(isOwn));
    }
    return async () => {
      end();
      await job;
    };
  }

  it('add up in the status of each, and dead ones are named', async () => {
    const store = new TimedStore(() => 0);
    await openTables(store, { slots: 4 });
    const open = () => openContext({ table: new Opened(store), clock: () => now });
    const [a, b, c] = [await open(), await open(), await open()];
    const endA = await crawling(a, 10, 3);
    const endB = await crawling(b, 20, 4);
    const seen = await status(c);
    expect(seen.jobs).toMatchObject([
      { job: 'crawl', done: 30, total: 100, fetching: { inFlight: 7, threads: 20, waiting: 4 } },
    ]);
    expect(seen.jobs[0]).not.toHaveProperty('round');
    expect(seen.totals.crawl).toMatchObject({ done: 30, counters: { fetched: 30 } });
    expect(seen.workers).toMatchObject([{ state: 'working' }, { state: 'working' }]);
    expect((await status(a)).jobs).toMatchObject([{ done: 30 }]);

    // A report that cannot be read is left out.
    const unreadable = new Map([[INDEX_COLUMNS.workerReport, Buffer.from('{')]]);
    await store.write('meta', [{ key: 'worker-damaged', put: unreadable }]);
    expect((await status(c)).workers).toHaveLength(2);

    // One ends, and one stops reporting.
    await endA();
    await a.close();
    now += 60_000;
    const later = await status(c);
    expect(later.jobs).toEqual([]);
    expect(later.totals.crawl).toMatchObject({ done: 30 });
    expect(later.workers?.map(({ state }) => state).sort()).toEqual(['ended', 'silent']);
    expect(statusText(later)).toMatch(/process \d+ +no sign of life for 1 min.*its last step was crawl, 20 done/);

    // A new worker removes old reports.
    now += 3_600_000;
    expect((await status(c)).workers).toEqual([]);
    const before = (await c.tables.workers!.list()).length;
    for (let i = 0; i < 20; i++) {
      const d = await open();
      await (
        await crawling(d, 1, 1)
      )();
      await d.close();
    }
    expect(before).toBe(2);
    expect((await c.tables.workers!.list()).filter(({ at }) => at < now)).toEqual([]);
    await endB();
    await Promise.all([b.close(), c.close()]);
  });

  it('are not stored if no other process can read them', async () => {
    await using crawl = await openContext({ table: 'memory:' });
    const before = await dumpStore(crawl.tables.store);
    await (
      await crawling(crawl, 1, 1)
    )();
    expect(await dumpStore(crawl.tables.store)).toEqual(before);
    expect((await status(crawl)).workers).toBeUndefined();
  });
});
