import { expect, it } from 'vitest';
import { jobs, openTables } from '../../../packages/webcrawl/internal.js';
import { testCrawl } from '../../support/test-crawl.js';
import { VersionedStore } from '../../support/versions/versioned-store.js';

it('generate releases the rows of an unfinished batch in its own slots, and the last shard closes the batch', async () => {
  const store = new VersionedStore(() => 0);
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
