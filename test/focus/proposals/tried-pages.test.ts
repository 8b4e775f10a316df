import { expect, test } from 'vitest';
import { createTriedPages, formsOf } from '../../../packages/focus/proposals/rejected-pages.js';
import { jobs, rules } from '../../../packages/webcrawl/internal.js';
import { testCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

test.each([
  ['/', ['/']],
  ['/archive/2026/10/31.html', ['/w/#/#/w#']],
  ['/archive/', ['/w/']],
  ['/tag/t12/page/2/', ['/w/w#/w/#/']],
  ['/list?sort=new&by=ann&sort=old', ['/w?sort', '/w?by']],
])('%s has the forms %j', (path, forms) => {
  expect(formsOf(path)).toEqual(forms);
});

test('of each form enough pages must have been fetched, or all', () => {
  const tried = createTriedPages();
  for (let year = 0; year < 3; year++) tried.add(0, `/archive/20${year}`, true);
  for (let day = 0; day < 30; day++) tried.add(0, `/archive/2026/${day}`, day < 19);
  expect(tried.isTried(0)).toBe(false);
  tried.add(0, '/archive/2026/31', true);
  expect(tried.isTried(0)).toBe(true);
  expect(tried.isTried(1)).toBe(true);
});

test('an archive is not rejected before its days were fetched, if only these lead to old news', async () => {
  const site = 'http://www.example.com';
  const pages: Record<string, ReturnType<typeof links>> = {};
  const days = Array.from({ length: 30 }, (_, i) => `/archive/2026/${i}`);
  const news = Array.from({ length: 6 }, (_, i) => `/news/${i}`);
  pages[`${site}/`] = links('/archive/', ...news);
  for (const path of news) pages[site + path] = links('/');
  pages[`${site}/archive/`] = links(...days);
  for (const [i, path] of days.entries()) pages[site + path] = links(`/news/old-${i}`);
  await using crawl = await testCrawl(fakeWeb(pages), { settings: { 'propose.minRelevant': 3 } });
  await rules.add(crawl, { kind: 'relevant', pattern: { prefix: '/news/' } });
  await jobs.crawl(crawl, { seeds: [`${site}/`], rounds: 2 });
  const { proposals, counters } = await rules.propose(crawl);
  expect(proposals).toEqual([]);
  expect(counters).toMatchObject({ dropped_untried: 1 });
});
