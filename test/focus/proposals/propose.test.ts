import { expect, test } from 'vitest';
import { jobs, rules } from '../../../packages/webcrawl/index.js';
import { testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links, type FakePage } from '../../support/web/fake-web.js';

const SITE = 'http://www.example.com';
const SETTINGS = { 'propose.minUseful': 3 };

/** News that the front page leads to, tags that lead to each other, and an archive that alone leads to old news. */
function newsWeb(): Record<string, string | FakePage> {
  const pages: Record<string, string | FakePage> = {};
  const news = Array.from({ length: 6 }, (_, i) => `/news/${i}`);
  const tags = Array.from({ length: 20 }, (_, i) => `/tag/${i}`);
  const archive = Array.from({ length: 15 }, (_, i) => `/archive/${i}`);
  pages[`${SITE}/`] = links(...news, '/tag/0', '/archive/0');
  for (const path of news) pages[SITE + path] = links('/', '/tag/3');
  tags.forEach((path, i) => (pages[SITE + path] = links(tags[(i + 1) % 20]!, news[i % 6]!)));
  archive.forEach((path, i) => (pages[SITE + path] = links(archive[i + 1] ?? '/', ...(i === 3 ? ['/news/old'] : []))));
  pages[`${SITE}/news/old`] = links('/');
  return pages;
}

async function crawled(web = newsWeb(), seeds = [`${SITE}/`]): Promise<TestCrawl> {
  const crawl = await testCrawl(fakeWeb(web), { settings: SETTINGS });
  await rules.add(crawl, { kind: 'useful', pattern: { prefix: '/news/' } });
  await jobs.crawl(crawl, { seeds });
  return crawl;
}

test('proposes to cut what holds nothing useful, but not the only way to what is', async () => {
  await using crawl = await crawled();
  const { proposals, domains, counters } = await rules.propose(crawl);
  expect(proposals).toMatchObject([
    {
      number: 1,
      reason: 'useless_prefix',
      domain: 'example.com',
      rows: 20,
      fetched: 20,
      rule: { kind: 'reject', scope: 'host:www.example.com', pattern: { prefix: '/tag/' } },
      evidence: { rows: 20, domainUseful: 7 },
    },
  ]);
  expect(domains).toEqual([{ domain: 'example.com', rest: 36, cut: 20, useful: 7 }]);
  expect(counters).toMatchObject({ rows: 43, proposed: 1, cut: 20, rest: 36 });
  expect((await rules.list(crawl)).rules).toHaveLength(1);
});
