import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { jobs, type RowChange } from '../../packages/webcrawl/internal.js';
import { turns } from '../support/events.js';
import { round } from '../support/job-steps.js';
import { testCrawl } from '../support/test-crawl.js';
import { TimedStore } from '../support/stores/timed-store.js';
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

/** Counts the changes of rows of pages. */
class CountingStore extends TimedStore {
  changes = 0;

  override async write(table: Parameters<TimedStore['write']>[0], changes: readonly RowChange[]): Promise<void> {
    if (table === 'webpage') this.changes += changes.length;
    return super.write(table, changes);
  }
}

/** A page with three stored bodies on a shared table, and a compaction to one. */
async function threeVersions() {
  const store = new CountingStore(() => 0);
  let n = 0;
  const web = fakeWeb({ [A]: { html: 'x' } });
  const crawl = await testCrawl(web, { store, settings: { 'db.keepVersions': 3 } });
  await jobs.inject(crawl, { seeds: [A] });
  for (; n < 3; n++) {
    Object.assign(web, { pages: undefined });
    await toItsEnd(round(crawl));
    crawl.setTime(crawl.clock() + 4 * MONTH);
  }
  return { store, compacting: await testCrawl(web, { store, settings: { 'db.keepVersions': 1 } }) };
}

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
