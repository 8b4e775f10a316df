import { expect, it } from 'vitest';
import { isAnyDue } from '../../../packages/jobs/index.js';
import { jobs } from '../../../packages/webcrawl/internal.js';
import { START, testCrawl } from '../../support/test-crawl.js';
import { fakeWeb } from '../../support/web/fake-web.js';

const SETTINGS = { 'fetcher.minBackoffSeconds': 600, 'fetcher.maxBackoffWaitSeconds': 0 };

it('no page is due while each page whose time has come is on a host with a back-off', async () => {
  const pages = Object.fromEntries([1, 2, 3].map((i) => [`http://ill.example/${i}`, { status: 503 }]));
  await using crawl = await testCrawl(fakeWeb(pages), { settings: SETTINGS });
  expect(await isAnyDue(crawl)).toBe(false);
  await jobs.crawl(crawl, { seeds: Object.keys(pages) });
  expect(await crawl.tables.frontier.countDue(crawl.clock())).toBeGreaterThan(0);
  expect(await isAnyDue(crawl)).toBe(false);
  await jobs.inject(crawl, { seeds: ['http://well.example/'] });
  expect(await isAnyDue(crawl)).toBe(true);
  await jobs.crawl(crawl, { seeds: [] });
  expect(await isAnyDue(crawl)).toBe(false);
  crawl.setTime(START + 3_600_000);
  expect(await isAnyDue(crawl)).toBe(true);
});

it('a page below the lowest score is not due; another is due once its time has come', async () => {
  const web = fakeWeb({ 'http://a.example/': '' });
  await using crawl = await testCrawl(web, { settings: { 'generate.minScore': 5 } });
  await jobs.inject(crawl, { seeds: ['http://a.example/'] });
  expect(await isAnyDue(crawl)).toBe(false);
  await using lower = await testCrawl(web);
  await jobs.crawl(lower, { seeds: ['http://a.example/'] });
  expect(await isAnyDue(lower)).toBe(false);
  lower.setTime(START + 31 * 86_400_000);
  expect(await isAnyDue(lower)).toBe(true);
});
