import { describe, expect, it } from 'vitest';
import { jobs, MemoryStore, type OpenContext } from '../../../packages/webcrawl/internal.js';
import { countingStore } from '../../support/stores/counting-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { seeds } from '../../support/runs.js';
import { fullScanSelection } from '../../support/stores/full-scan.js';
import { selectedUrls } from '../../support/job-steps.js';
import { changeEachRow, putRows } from '../../support/stores/put-rows.js';
import { START, testCrawl } from '../../support/test-crawl.js';

/** Hosts. Some are prefixes of others, in row keys and in names. */
const HOSTS = ['a.com', 'a-b.com', 'w.a.com', 'a.co', 'x.a.com', 'a.com.uk', 'b.com', '10.0.0.1', '[::1]', 'a_b.com'];

/** Milliseconds between two batches. Some rows become due before the next batch, and some long after it. */
const STEP = 700_000;

/** The number of rows that are due later. */
async function waitingRows(crawl: OpenContext, now: number): Promise<number> {
  let count = 0;
  for await (const row of crawl.tables.pages.scan({ fields: ['dueAt'] })) if (row.dueAt! > now) count += 1;
  return count;
}

describe('generate', () => {
  it.each(seeds(4, 20).map((i) => i * 50))(
    'selects exactly what a scan of the whole table would, in random tables over time: seeds from %d',
    async (first) => {
      let waiting = 0;
      for (let seed = first; seed < first + 50; seed++) {
        const random = randomNumbers(seed + 1);
        const below = (n: number): number => Math.floor(random() * n);
        await using crawl = await testCrawl(undefined, {
          settings: {
            'generate.maxCount': below(3) === 0 ? -1 : below(4),
            'generate.minScore': below(2) - 0.5,
            'generate.maxDistance': below(2) === 0 ? -1 : 2,
            'generate.lockExpirySeconds': 1000,
            'partition.urlMode': below(2) === 0 ? 'host' : 'domain',
          },
          plugins: [{ name: 'thirds', filterUrl: (url) => seed % 2 === 0 || !url.endsWith('3') }],
        });
        const rows = Array.from({ length: below(80) }, (_, i) => ({
          url: `http${below(4) === 0 ? 's' : ''}://${HOSTS[below(HOSTS.length)]!}${below(9) === 0 ? ':81' : ''}/${i}`,
          score: below(4) - 1 + (below(2) === 0 ? 0 : random()),
          dueAt: START + below(9) * 400_000 * below(2),
          distance: below(5),
        }));
        await putRows(crawl, rows);
        for (let step = 0; step < 6; step++) {
          const now = START + step * STEP;
          crawl.setTime(now);
          const topN = below(3) === 0 ? Infinity : 1 + below(30);
          const expected = (await fullScanSelection(crawl, now, topN)).sort();
          waiting += await waitingRows(crawl, now);
          const { batchId } = await jobs.generate(crawl, topN < Infinity ? { topN } : {});
          const found = batchId === undefined ? [] : await selectedUrls(crawl, batchId);
          expect(found, `seed ${seed}, step ${step}`).toEqual(expected);
          await changeEachRow(crawl, () => {
            if (below(5) > 0) return undefined;
            return { score: below(5) / 2, ...(below(2) === 0 && { dueAt: now + (below(6) - 1) * 500_000 }) };
          });
        }
        const { counters } = await jobs.repair(crawl);
        for (const reason of ['missing_frontier', 'missing_batch', 'missing_header', 'stale_frontier']) {
          expect(counters, `seed ${seed}`).not.toHaveProperty(reason);
        }
      }
      expect(waiting).toBeGreaterThan(1000);
    },
  );

  it('reads only as many rows, hosts and entries as its batch needs, whatever else is due', async () => {
    const reads = async (urls: readonly string[]): Promise<Record<string, number>> => {
      const store = countingStore(new MemoryStore());
      await using crawl = await testCrawl(undefined, { store, settings: { 'generate.maxCount': 2 } });
      await putRows(
        crawl,
        urls.map((url) => ({ url, score: url.includes('//big.com/') ? 2 : 1 })),
      );
      for (const table of Object.keys(store.rowsRead)) store.rowsRead[table] = 0;
      const { counters } = await jobs.generate(crawl, { topN: 10 });
      expect(counters).toMatchObject({ generated: 10, capped: 1 });
      return store.rowsRead;
    };
    const hosts = (n: number): string[] => Array.from({ length: n }, (_, i) => `http://h${i}.com/`);
    const pages = (n: number): string[] => Array.from({ length: n }, (_, i) => `http://big.com/${i}`);
    const few = await reads([...hosts(50), ...pages(50)]);
    const many = await reads([...hosts(5000), ...pages(5000)]);
    expect(many['webpage']).toBe(few['webpage']);
    expect(many['frontier']).toBeLessThan(1.5 * few['frontier']!);
    expect(few['frontier']).toBeLessThan(400);
  });

  it.each([
    ['at its limit', { topN: 3 }, undefined],
    ['at a score that is too low', {}, undefined],
    ['when it is told to', { signal: AbortSignal.abort() }, undefined],
    ['when the store fails', {}, new Error('the disk is gone')],
  ])('closes every scan when it stops %s', async (_, options, failure) => {
    const store = countingStore(new MemoryStore());
    await using crawl = await testCrawl(undefined, { store, settings: { 'generate.minScore': 1 } });
    await putRows(
      crawl,
      Array.from({ length: 1500 }, (_, i) => ({ url: `http://h${i}.com/`, score: i < 500 ? 2 : 0 })),
    );
    const { getMany } = crawl.tables.pages;
    if (failure) crawl.tables.pages.getMany = () => Promise.reject(failure);
    await jobs.generate(crawl, options).catch((error: unknown) => expect(error).toBe(failure));
    crawl.tables.pages.getMany = getMany;
    expect(store.openScans).toBe(0);
  });
});
