import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jobs, openTables, type Report } from '../../../packages/webcrawl/index.js';
import { withLeases } from '../../../packages/jobs/index.js';
import { turns } from '../../support/events.js';
import { start } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';
import { VersionedStore } from '../../support/versioned-store.js';
import { fakeWeb, type FakeWeb } from '../../support/web/fake-web.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** Lets time go on until a promise has settled. */
async function toItsEnd<T>(promise: Promise<T>): Promise<T> {
  let isOver = false;
  const mark = (): void => void (isOver = true);
  promise.then(mark, mark);
  for (let i = 0; !isOver && i < 1000; i++) {
    await turns();
    if (!isOver) vi.advanceTimersByTime(500);
  }
  if (!isOver) throw new Error('expected it to be settled by now');
  return promise;
}

const done: Report = { job: 'parse', seconds: 0, counters: {} };
const TASK = { job: 'parse', batchId: '1-1' };

/** Can be told to make no renewal. */
class GatedStore extends VersionedStore {
  gate: Promise<void> | undefined;

  override async writeUnchanged(...args: Parameters<VersionedStore['writeUnchanged']>): Promise<boolean[]> {
    if (args[1].some(({ change }) => change.key.startsWith('holder-'))) await this.gate;
    return super.writeUnchanged(...args);
  }
}

/** Two workers on one table that many share. */
async function workers() {
  const store = new GatedStore(() => 0);
  await openTables(store, { slots: 4 });
  const worker = async () => {
    const crawl = await testCrawl(fakeWeb({ 'http://a.com/1': 'x', 'http://b.com/1': 'y' }), { store });
    return { ...crawl, tables: await openTables(store) };
  };
  return { store, a: await worker(), b: await worker() };
}

describe('a job of a shard', () => {
  it('holds the slots of its shard, and no other worker has them meanwhile', async () => {
    const { a, b } = await workers();
    const report = await toItsEnd(
      withLeases(a, { shard: { index: 1, count: 2 } }, TASK, async ({ leases }) => {
        expect([...leases.slots]).toEqual(['01', '03']);
        const others = await withLeases(b, { shard: { index: 0, count: 2 } }, TASK, async () => done);
        expect(others).toBe(done);
        const same = withLeases(b, { shard: { index: 1, count: 4 } }, TASK, async () => done);
        same.catch(() => undefined);
        await expect(toItsEnd(same)).rejects.toMatchObject({ code: 'LEASE_HELD' });
        return done;
      }),
    );
    expect(report).toBe(done);
    expect(await toItsEnd(withLeases(b, {}, TASK, async () => done))).toBe(done);
    await expect(withLeases(a, { shard: { index: 1, count: 5 } }, TASK, async () => done)).rejects.toMatchObject({
      code: 'USAGE',
      message: 'expected at most 4 shards, as many as the table has slots, found 5',
    });
  });

  it('ends with LEASE_LOST when another worker took it for dead, unless all was done', async () => {
    const { a, store } = await workers();
    const run = (interrupted: boolean) =>
      withLeases(a, {}, TASK, async ({ leases }, { signal }: { signal?: AbortSignal }) => {
        const [holder] = await a.tables.leases.holders();
        await store.write('meta', [{ key: `holder-${holder!.id}`, clear: true }]);
        await toItsEnd(new Promise((resolve) => signal!.addEventListener('abort', resolve, { once: true })));
        expect([leases.isHeld(), signal!.aborted]).toEqual([false, true]);
        return { ...done, ...(interrupted && { interrupted }) };
      });
    await expect(run(true)).rejects.toMatchObject({ code: 'LEASE_LOST', exitCode: 75 });
    expect(await run(false)).toEqual(done);
  });

  it('that is stopped while it waits reports so', async () => {
    const { a, b } = await workers();
    const held = await a.tables.leases.take(['00'], { job: 'fetch', wait: 0 });
    const controller = new AbortController();
    const waiting = withLeases(b, { signal: controller.signal }, TASK, async () => done);
    await turns();
    vi.advanceTimersByTime(5000);
    controller.abort();
    expect(await toItsEnd(waiting)).toEqual({ ...TASK, seconds: 0, counters: {}, interrupted: true });
    await held.release();
  });

  it('asks no host while its leases are not held, and goes on when they are again', async () => {
    const { a, store } = await workers();
    const batch = await toItsEnd(start(a, 'http://a.com/1', 'http://b.com/1'));
    const web = a.plugins.find(({ name }) => name === 'fake-web') as FakeWeb;
    // From the first request on no renewal gets through.
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
