import { expect, it } from 'vitest';
import { claimRows } from '../../../packages/jobs/rows/batch-rows.js';
import { jobs, openTables, rowKeyOf } from '../../../packages/webcrawl/internal.js';
import { select } from '../../support/job-steps.js';
import { runOf } from '../../support/job-run.js';
import { testCrawl } from '../../support/test-crawl.js';
import { VersionedStore } from '../../support/versions/versioned-store.js';

it('a late write fails that adds the target of a redirect to a claimed batch', async () => {
  const store = new VersionedStore(() => 0);
  await openTables(store, { slots: 1 });
  const crawl = await testCrawl(undefined, { store });
  const { batches, pages } = crawl.tables;
  await jobs.inject(crawl, { seeds: ['http://a.com/'] });
  const batchId = await select(crawl);
  await jobs.inject(crawl, { seeds: ['http://b.com/'] });
  const rowKey = rowKeyOf('http://b.com/');
  // A worker dies after it has written the index of the batch, and before it writes the row.
  const before = await pages.get(rowKey, ['status']);
  await batches.enter(batchId, [{ rowKey, queue: 'b.com' }]);
  await claimRows(runOf(crawl), batchId);
  const late = { key: rowKey, marks: { generate: batchId } };
  expect(await pages.writeUnchanged([late], [before])).toEqual(new Set([rowKey]));
});
