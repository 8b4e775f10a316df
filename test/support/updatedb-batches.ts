import { MemoryStore, jobs } from '../../packages/webcrawl/internal.js';
import { fakeWeb, links, randomNumbers, type FakeWeb } from './web/fake-web.js';
import { round, start } from './job-steps.js';
import { testCrawl } from './test-crawl.js';

export const DAY = 86_400_000;

export const MONTH = 30 * DAY;

export const A = 'http://a.com/';

export const INTERVAL = 2_592_000;

/** Injects the pages of a web that are seeds and runs one round. */
export async function firstRound(web: FakeWeb, seeds: string[], settings: Record<string, unknown> = {}) {
  const crawl = await testCrawl(web, { settings });
  await jobs.inject(crawl, { seeds });
  return { crawl, ...(await round(crawl)) };
}

/** A store with a fetched and parsed batch: `pages` pages with `fan` links each, to each other and to other pages. */
export async function bigBatch(pages: number, fan: number): Promise<{ store: MemoryStore; batch: string }> {
  const random = randomNumbers(7);
  const url = (i: number): string => `http://h${i % 7}.com/${i}`;
  const web: Record<string, string> = {};
  for (let i = 0; i < pages; i++) {
    web[url(i)] = links(...Array.from({ length: fan }, () => url(Math.floor(random() * pages * 1.5))));
  }
  const store = new MemoryStore();
  const crawl = await testCrawl(fakeWeb(web), { store });
  const batch = await start(crawl, ...Object.keys(web));
  await jobs.fetch(crawl, { batch, parse: true });
  return { store, batch };
}
