import { jobContext } from '../../packages/jobs/context.js';
import { expect, test } from 'vitest';
import { createTracker } from '../../packages/jobs/index.js';
import { createRun } from '../../packages/index/indexer.js';
import { reconcile } from '../../packages/index/reconcile.js';
import { rowKeyOf } from '../../packages/webcrawl/internal.js';
import { memoryWriter } from '../support/index/memory-writer.js';
import { testCrawl } from '../support/test-crawl.js';
import { fakeWeb } from '../support/web/fake-web.js';

const keyOf = (name: string): string => rowKeyOf(`http://a.example/${name}`);
const page = (name: string) => ({
  key: keyOf(name),
  set: { status: 'fetched', parseStatus: { code: 'success' }, title: name, text: `text of ${name}` } as const,
});

test('a page that is added during the comparison stays in the index, and one without a row leaves it', async () => {
  await using crawl = await testCrawl(fakeWeb({}));
  const { pages } = crawl.tables;
  const writer = memoryWriter();
  const run = createRun(crawl, writer, createTracker(jobContext(crawl), 'index', {}));
  const names = Array.from({ length: 1500 }, (_, i) => `p${String(i).padStart(4, '0')}`);
  // The comparison reads 500 rows and 1000 entries at a time: with 30 rows without an entry, the third step reads its entries later.
  const fetched = names.slice(30);
  await pages.write(names.slice(0, 30).map((name) => ({ key: keyOf(name), set: { status: 'unfetched' } as const })));
  await pages.write(fetched.map(page));
  expect(await reconcile(run)).toEqual({ missing: 1470, superfluous: 0, stale: 0 });
  for (const name of ['p0020', 'p1300x', 'z'])
    writer.documents.set(keyOf(name), { ...writer.documents.get(keyOf('p0100'))!, key: keyOf(name) });

  let rows = 0;
  const lag = await reconcile(run, async () => {
    rows += 25;
    if (rows !== 1025) return;
    for (const name of ['p1200new', 'p1499new']) {
      await pages.write([page(name)]);
      const row = (await pages.get(keyOf(name), ['status', 'parseStatus', 'title', 'text']))!;
      const [built] = await run.judge.judge([row]);
      if (!built || !('document' in built)) throw new Error('expected a document');
      await writer.apply([{ type: 'put', document: built.document }]);
    }
  });
  expect(lag).toEqual({ missing: 0, superfluous: 3, stale: 0 });
  expect([...writer.documents.keys()].sort()).toEqual([...fetched, 'p1200new', 'p1499new'].map(keyOf).sort());
});
