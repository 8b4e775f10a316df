import { jobContext } from '../../../packages/jobs/context.js';
import { runOf } from '../../support/job-run.js';
import { describe, expect, it } from 'vitest';
import { createTracker } from '../../../packages/jobs/reporting/tracker.js';
import { RoundSelector } from '../../../packages/jobs/rounds/round-selector.js';
import { jobs } from '../../../packages/webcrawl/internal.js';
import { selectedUrls } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';

const names = (n: number, domain: string): string[] => Array.from({ length: n }, (_, i) => `http://n${i}.${domain}/`);

/**
 * The URLs of a round of a crawl with at most ten requests in flight. @param held number of hosts of endless.com that the fetcher already
 * has
 */
async function selected(
  seeds: readonly string[],
  held = 0,
  more: { readonly rounds?: number } = {},
): Promise<string[]> {
  await using crawl = await testCrawl(undefined);
  await jobs.inject(crawl, { seeds });
  const options = { seeds: [], threads: 10, ...more };
  const selector = new RoundSelector(runOf(crawl), options, createTracker(jobContext(crawl), 'crawl', {}));
  const batch = await selector.select(new AbortController().signal, {
    hasPages: () => false,
    hostsOf: (domain) => (domain === 'endless.com' ? held : 0),
  });
  return batch === undefined ? [] : await selectedUrls(crawl, batch);
}

const ofEndless = (urls: readonly string[]): number => urls.filter((url) => url.includes('endless.com')).length;

describe('a domain with endless sub-domains', () => {
  it('gets a share of a round, and others get theirs', async () => {
    // endless.com has the better scores.
    const honest = names(30, 'honest.org').map((url) => `${url}\tscore=0.1`);
    const urls = await selected([...names(400, 'endless.com'), ...honest]);
    expect([urls.length, ofEndless(urls)]).toEqual([80, 50]);
  });

  it('gets the rest of its share while its hosts are fetched, and nothing until half of them are done', async () => {
    expect(ofEndless(await selected(names(400, 'endless.com'), 20))).toBe(30);
    expect(ofEndless(await selected(names(400, 'endless.com'), 26))).toBe(0);
  });

  it('is still selected if all rows of its first hosts are refused by now', async () => {
    const isAllowed = { now: true };
    const filter = {
      name: 'tests',
      filterUrl: (url: string) => isAllowed.now || !url.startsWith('http://refused'),
    };
    await using crawl = await testCrawl(undefined, { plugins: [filter] });
    const refused = Array.from({ length: 120 }, (_, i) => `http://refused${i}.endless.com/\tscore=2`);
    await jobs.inject(crawl, { seeds: [...refused, 'http://good.endless.com/'] });
    isAllowed.now = false;
    const selector = new RoundSelector(
      runOf(crawl),
      { seeds: [], threads: 10 },
      createTracker(jobContext(crawl), 'crawl', {}),
    );
    const fetcher = { hasPages: () => false, hostsOf: () => 0 };
    const batch = await selector.select(new AbortController().signal, fetcher);
    expect(await selectedUrls(crawl, batch)).toEqual(['http://good.endless.com/']);
  });

  it('is not limited if rounds do not overlap', async () => {
    expect(ofEndless(await selected(names(80, 'endless.com'), 0, { rounds: 1 }))).toBe(80);
  });
});
