import { expect, it } from 'vitest';
import { jobs, openTables } from '../../../packages/webcrawl/internal.js';
import type { RowChange, TableName } from '../../../webtable/index.js';
import { expireLeases } from '../../support/hold-slots.js';
import { rowOf } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';
import { TimedRows, TimedStore } from '../../support/stores/timed-store.js';
import { Killed } from '../../support/worker-store.js';

it('generate releases the rows of an unfinished batch in its own slots, and the last shard closes the batch', async () => {
  const store = new TimedStore(() => 0);
  const { batches } = await openTables(store, { slots: 4 });
  const crawl = await testCrawl(undefined, { store });
  const urls = Array.from({ length: 12 }, (_, i) => `http://h${i}.com/`);
  await jobs.inject(crawl, { seeds: urls });
  const { batchId = '' } = await jobs.generate(crawl);
  // As a generate leaves it that was killed before it knew the number of its rows.
  await batches.change(batchId, () => ({ state: 'generating', size: 0 }));

  const first = await jobs.generate(crawl, { shard: { index: 0, count: 2 } });
  expect(first.counters.released_unfinished).toBe(first.counters.generated);
  expect(await batches.get(batchId)).toMatchObject({ state: 'generating', slots: ['01', '03'] });
  expect((await batches.get(first.batchId!)).slots).toEqual(['00', '02']);
  const second = await jobs.generate(crawl, { shard: { index: 1, count: 2 } });
  expect(second.counters.released_unfinished! + first.counters.released_unfinished!).toBe(urls.length);
  expect(await batches.find(batchId)).toMatchObject({ state: 'closed' });
});

/** The store of a process whose first write of rows arrives late, after `meanwhile`. Then the process is killed. */
class LateStore extends TimedStore {
  meanwhile = async (): Promise<void> => {};

  override async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    if (table !== 'webpage') return super.write(table, changes);
    await this.meanwhile();
    await super.write(table, changes);
    throw new Killed('the process was killed');
  }
}

it('the late write of an abandoned generate gives no row to a closed batch', async () => {
  const rows = new TimedRows();
  const { batches, ...tables } = await openTables(new TimedStore(() => 0, {}, rows), { slots: 1 });
  const other = await testCrawl(undefined, { store: new TimedStore(() => 0, {}, rows) });
  const [first, second] = ['http://a.com/\tscore=2', 'http://b.com/'] as const;
  await jobs.inject(other, { seeds: [first, second] });
  const late = new LateStore(() => 0, {}, rows);
  const crawl = await testCrawl(undefined, { store: late });
  late.meanwhile = async () => {
    await expireLeases(tables);
    expect((await jobs.generate(other, { topN: 1 })).counters.generated).toBe(1);
  };
  await expect(jobs.generate(crawl)).rejects.toBeInstanceOf(Killed);
  crawl.tables.leases.stop();
  expect(await batches.list()).toMatchObject([{ state: 'open', size: 1 }]);
  expect((await rowOf(other, second, 'marks')).marks).toEqual({ inject: 'y' });
  expect((await jobs.generate(other)).counters.generated).toBe(1);
});
