import { jobContext } from '../../../packages/jobs/context.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jobs, openTables } from '../../../packages/webcrawl/internal.js';
import { applyRules } from '../../../packages/focus/index.js';
import { inSlots, slotsOf } from '../../../packages/jobs/shards/job-slots.js';
import { turns } from '../../support/events.js';
import { start } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';
import { TimedStore } from '../../support/stores/timed-store.js';
import { fakeWeb, type FakeWeb } from '../../support/web/fake-web.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** Advances time until a promise has settled. */
async function toItsEnd<T>(promise: Promise<T>): Promise<T> {
  let isOver = false;
  const mark = (): void => void (isOver = true);
  promise.then(mark, mark);
  while (!isOver) {
    await turns();
    if (!isOver) vi.advanceTimersByTime(500);
  }
  return promise;
}

const TASK = { job: 'parse', batchId: '1-1' };

/** A store that can block renewals of leases. */
class GatedStore extends TimedStore {
  gate: Promise<void> | undefined;

  override async compareAndSet(...args: Parameters<TimedStore['compareAndSet']>): Promise<boolean[]> {
    if (args[1].some(({ change }) => change.key.startsWith('holder-'))) await this.gate;
    return super.compareAndSet(...args);
  }
}

/** Two workers on one shared table. */
async function workers() {
  const store = new GatedStore(() => 0);
  await openTables(store, { slots: 4 });
  const worker = async () => {
    const crawl = await testCrawl(fakeWeb({ 'http://a.com/1': 'x', 'http://b.com/1': 'y' }), { store });
    return { ...crawl, tables: await openTables(store) };
  };
  return { store, a: await worker(), b: await worker() };
}

it('generate with a shard makes a batch of the slots of the shard, and divides the number of pages', async () => {
  const urls = Array.from({ length: 40 }, (_, i) => `http://h${i % 20}.com/${i}`);
  const crawl = await testCrawl(fakeWeb(Object.fromEntries(urls.map((url) => [url, 'x']))));
  await jobs.inject(crawl, { seeds: urls });
  const { batches, slots } = crawl.tables;
  const sizes: number[] = [];
  for (const index of [0, 1, 2]) {
    const { batchId = '' } = await jobs.generate(crawl, { topN: 8, shard: { index, count: 3 } });
    const batch = await batches.get(batchId);
    sizes.push(batch.size);
    expect(batch).toMatchObject({ state: 'open', slots: slots.all.filter((_, i) => i % 3 === index) });
    for await (const entries of batches.entries(batchId))
      for (const { slot } of entries) expect(batch.slots).toContain(slot);
  }
  expect(sizes).toEqual([3, 3, 2]);
});

it('several shards are refused with queues by IP address', async () => {
  const crawl = await testCrawl(undefined, { settings: { 'partition.urlMode': 'ip' } });
  const generated = jobs.generate(crawl, { shard: { index: 0, count: 2 } });
  await expect(generated).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('partition.urlMode ip') as string,
  });
});

describe('a job of a shard', () => {
  it('holds the slots of its shard, and no other worker has them meanwhile', async () => {
    const { a, b } = await workers();
    const ofShard = (index: number, count: number) => ({ slots: slotsOf(a, { shard: { index, count } }) });
    const done = await toItsEnd(
      inSlots(a, TASK, ofShard(1, 2), async (jobSlots) => {
        expect([[...jobSlots.slots], jobSlots.isWhole]).toEqual([['01', '03'], false]);
        expect(await inSlots(b, TASK, ofShard(0, 2), async () => 'done')).toBe('done');
        const same = inSlots(b, TASK, ofShard(1, 4), async () => 'done');
        same.catch(() => undefined);
        await expect(toItsEnd(same)).rejects.toMatchObject({ code: 'LEASE_HELD' });
        return 'done';
      }),
    );
    expect(done).toBe('done');
    expect(await toItsEnd(inSlots(b, TASK, {}, async () => 'done'))).toBe('done');
    await expect(jobs.generate(a, { shard: { index: 1, count: 5 } })).rejects.toMatchObject({
      code: 'USAGE',
      message: 'expected at most 4 shards, as many as the table has slots, found 5',
    });
  });

  it('ends with LEASE_LOST if another worker considered it dead', async () => {
    const { a, store } = await workers();
    const run = inSlots(a, TASK, {}, async (jobSlots, signal) => {
      const [holder] = await a.tables.leases.holders();
      await store.write('meta', [{ key: `holder-${holder!.id}`, clear: true }]);
      await toItsEnd(new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })));
      expect([jobSlots.leases.isHeld(), signal.aborted]).toEqual([false, true]);
    });
    await expect(run).rejects.toMatchObject({ code: 'LEASE_LOST', exitCode: 75 });
  });

  it.each(['repair', 'compact', 'rules apply', 'remove'] as const)(
    'waits for %s, which works on all slots',
    async (job) => {
      const { a, b } = await workers();
      const held = await a.tables.leases.take(['02'], { job: 'fetch', wait: 0 });
      const run = {
        repair: () => jobs.repair(b),
        compact: () => jobs.compact(b),
        'rules apply': () => applyRules(jobContext(b)),
        remove: () => jobs.remove(b, { host: 'a.com' }),
      };
      const running = run[job]();
      running.catch(() => undefined);
      await expect(toItsEnd(running)).rejects.toMatchObject({ code: 'LEASE_HELD' });
      await held.release();
      expect((await toItsEnd(run[job]())).job).toBe(job);
    },
  );

  it('requests nothing while it has lost its leases, and continues when it has them again', async () => {
    const { a, store } = await workers();
    const batch = await toItsEnd(start(a, 'http://a.com/1', 'http://b.com/1'));
    const web = a.plugins.find(({ name }) => name === 'fake-web') as FakeWeb;
    // From the first request on, renewals are blocked.
    let goOn = (): void => {};
    web.onRequest = () => {
      web.onRequest = () => {};
      store.gate = new Promise((resolve) => (goOn = resolve));
      vi.advanceTimersByTime(25_000);
    };
    const fetching = jobs.fetch(a, { batch, threads: 1 });
    fetching.catch(() => undefined);
    for (let i = 0; i < 50; i++) {
      await turns();
      vi.advanceTimersByTime(100);
    }
    expect(web.requests).toHaveLength(1);
    goOn();
    expect((await toItsEnd(fetching)).counters).toMatchObject({ success: 2 });
    expect(web.requests).toHaveLength(2);
  });
});
