import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, type Crawl, type Store } from '../../packages/webcrawl/index.js';
import { FailingStore, PlannedFailure } from '../support/failing-store.js';
import { fakeWeb, links, randomWeb, type FakePage } from '../support/fake-web.js';
import { allRows, testCrawl } from '../support/test-crawl.js';

const SETTINGS = { 'db.updateMaxLinksInMemory': 1000, 'db.updateMaxInlinks': 3, 'fetcher.maxRedirects': 2 };

/** Every job in rounds, with the parse in the fetch or by itself. A batch that was left open comes first. */
async function run(crawl: Crawl, seeds: readonly string[], parseInFetch: boolean): Promise<void> {
  await jobs.inject(crawl, { seeds });
  for (let round = 0; round < 50; round++) {
    await jobs.fetch(crawl, { batch: 'all', resume: true, parse: parseInFetch });
    if (!parseInFetch) await jobs.parse(crawl, { batch: 'all' });
    await jobs.updatedb(crawl, { batch: 'all' });
    if ((await jobs.generate(crawl, { topN: 15 })).batchId === undefined) return;
  }
  throw new Error('the crawl does not end');
}

const comparable = (rows: unknown): unknown =>
  JSON.parse(
    JSON.stringify(rows, (key, value: unknown) => {
      // A batch that had to be selected again has another id, and sums come in another order.
      if (key === 'marks') return Object.keys(value as object).sort();
      return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toFixed(9)) : value;
    }),
  );

async function rowsAfter(store: Store, web: Record<string, FakePage>): Promise<unknown> {
  await using crawl = await testCrawl(fakeWeb(web), { store, settings: SETTINGS });
  return comparable(await allRows(crawl));
}

describe('a crawl that fails between two row writes and is run again', () => {
  for (const [name, parseInFetch, repairs] of [
    ['with parse as a job of its own', false, false],
    ['with parse in fetch, repaired before it goes on', true, true],
  ] as const) {
    it(`ends in the same rows wherever it failed, ${name}`, async () => {
      const { pages, seeds } = randomWeb(21, 45, 3);
      // A page that links and redirects to itself and a hub that all link to: the places where counting twice shows.
      pages[seeds[0]!] = { html: links('/', '/self', ...Object.keys(pages).slice(0, 8)) };
      pages['http://h0.example.com/self'] = { location: '/self2' };
      pages['http://h0.example.com/self2'] = { location: '/self' };

      const counting = new FailingStore(new MemoryStore());
      await using undisturbed = await testCrawl(fakeWeb(pages), { store: counting, settings: SETTINGS });
      await run(undisturbed, seeds, parseInFetch);
      const expected = comparable(await allRows(undisturbed));
      expect(counting.writes).toBeGreaterThan(500);

      // Each third point, and another third with the other variant, keeps the test quick.
      for (let failAt = repairs ? 2 : 1; failAt <= counting.writes; failAt += 3) {
        const store = new MemoryStore();
        const failing = new FailingStore(store, failAt);
        const first = testCrawl(fakeWeb(pages), { store: failing, settings: SETTINGS });
        await expect(
          first.then((crawl) => run(crawl, seeds, parseInFetch)),
          `write ${failAt}`,
        ).rejects.toThrow(PlannedFailure);

        await using second = await testCrawl(fakeWeb(pages), { store, settings: SETTINGS });
        if (repairs) {
          const { counters } = await jobs.repair(second);
          const missing = Object.keys(counters).filter((reason) => reason.startsWith('missing'));
          expect(missing, `write ${failAt}`).toEqual([]);
        }
        await run(second, seeds, parseInFetch);
        expect(await rowsAfter(store, pages), `write ${failAt}`).toEqual(expected);
      }
    });
  }
});
