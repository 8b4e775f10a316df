import { expect, it } from 'vitest';
import { claimRows } from '../../../packages/jobs/rows/batch-rows.js';
import { jobs, openTables, rowKeyOf } from '../../../packages/webcrawl/internal.js';
import { expireLeases, holdSlots } from '../../support/hold-slots.js';
import { rowOf, select } from '../../support/job-steps.js';
import { runOf } from '../../support/job-run.js';
import { testCrawl } from '../../support/test-crawl.js';
import { TimedRows, TimedStore } from '../../support/stores/timed-store.js';

it.each([
  ['known', ['http://b.com/']],
  ['unknown', []],
] as const)('a late change adds no %s target of a redirect to a claimed batch', async (_, seeds) => {
  const rows = new TimedRows();
  const open = () => testCrawl(undefined, { store: new TimedStore(() => 0, {}, rows) });
  await openTables(new TimedStore(() => 0, {}, rows), { slots: 1 });
  const dead = await open();
  await jobs.inject(dead, { seeds: ['http://a.com/'] });
  const batchId = await select(dead);
  await jobs.inject(dead, { seeds });
  const rowKey = rowKeyOf('http://b.com/');
  // A worker dies after it has written the index of the batch, and its change of the row is late.
  await holdSlots(dead.tables);
  await dead.tables.batches.enter(batchId, [{ rowKey, queue: 'b.com' }]);
  const late = { key: rowKey, marks: { generate: batchId } };
  const [before] = await dead.tables.pages.getMany([rowKey], ['status']);

  const next = await open();
  await expireLeases(next.tables);
  await holdSlots(next.tables);
  await claimRows(runOf(next), batchId);
  await dead.tables.pages.writeAsRead([late], [before]);
  expect((await rowOf(next, 'http://b.com/', 'marks')).marks?.generate).toBeUndefined();
});
