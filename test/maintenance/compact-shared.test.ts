import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { jobs, openTables, rowKeyOf, type RowChange } from '../../packages/webcrawl/internal.js';
import { turns } from '../support/events.js';
import { round, rowOf } from '../support/job-steps.js';
import { testCrawl } from '../support/test-crawl.js';
import { VersionedStore } from '../support/versions/versioned-store.js';
import { fakeWeb } from '../support/web/fake-web.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const A = 'http://a.com/';
const MONTH = 31 * 24 * 3600 * 1000;

async function toItsEnd<T>(promise: Promise<T>): Promise<T> {
  let isOver = false;
  const mark = (): void => void (isOver = true);
  promise.then(mark, mark);
  for (let i = 0; !isOver && i < 2000; i++) {
    await turns();
    if (!isOver) await vi.advanceTimersByTimeAsync(500);
  }
  if (!isOver) throw new Error('expected it to be settled by now');
  return promise;
}

/** Calls a function before rows of pages are changed. */
class WatchedStore extends VersionedStore {
  beforeChange: (() => Promise<void>) | undefined;
  changes = 0;

  override async writeUnchanged(...args: Parameters<VersionedStore['writeUnchanged']>): Promise<boolean[]> {
    if (args[0] === 'webpage') {
      this.changes += args[1].length;
      const before = this.beforeChange;
      this.beforeChange = undefined;
      await before?.();
    }
    return super.writeUnchanged(...args);
  }

  override async write(table: Parameters<VersionedStore['write']>[0], changes: readonly RowChange[]): Promise<void> {
    if (table === 'webpage') this.changes += changes.length;
    return super.write(table, changes);
  }
}

/** A page with three stored bodies on a shared table, and a compaction to one. */
async function threeVersions() {
  const store = new WatchedStore(() => 0);
  let n = 0;
  const web = fakeWeb({ [A]: { html: 'x' } });
  const crawl = await testCrawl(web, { store, settings: { 'db.keepVersions': 3 } });
  await jobs.inject(crawl, { seeds: [A] });
  for (; n < 3; n++) {
    Object.assign(web, { pages: undefined });
    await toItsEnd(round(crawl));
    crawl.setTime(crawl.clock() + 4 * MONTH);
  }
  const other = await openTables(store);
  return { store, crawl, other, compacting: await testCrawl(web, { store, settings: { 'db.keepVersions': 1 } }) };
}

it('compact leaves a row alone that another process changes meanwhile, and then frees nothing', async () => {
  const { store, other, crawl, compacting } = await threeVersions();
  const { contentVersions } = await rowOf(crawl, A, 'contentVersions');
  expect(contentVersions).toHaveLength(2);
  const key = rowKeyOf(A);
  store.beforeChange = () => other.pages.write([{ key, set: { contentVersions: [contentVersions![1]!] } }]);
  await toItsEnd(jobs.compact(compacting));
  expect((await rowOf(crawl, A, 'contentVersions')).contentVersions).toEqual([contentVersions![1]!]);
  await toItsEnd(jobs.compact(compacting));
  expect(await rowOf(crawl, A, 'contentVersions')).toEqual({});
});

it('compact changes no row if another worker has taken its leases', async () => {
  const { store, compacting } = await threeVersions();
  store.changes = 0;
  const scan = store.scan.bind(store);
  vi.spyOn(store, 'scan').mockImplementation(async function* (table, options) {
    if (table === 'webpage') {
      const [holder] = await compacting.tables.leases.holders();
      if (holder) await store.write('meta', [{ key: `holder-${holder.id}`, clear: true }]);
      for (let i = 0; i < 100; i++) {
        await turns();
        vi.advanceTimersByTime(500);
      }
    }
    yield* scan(table, options);
  });
  const compacted = jobs.compact(compacting);
  compacted.catch(() => undefined);
  await expect(toItsEnd(compacted)).rejects.toMatchObject({ code: 'LEASE_LOST', exitCode: 75 });
  expect(store.changes).toBe(0);
});
