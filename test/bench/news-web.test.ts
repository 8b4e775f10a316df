import { expect, test } from 'vitest';
import { crawlKnowing } from '../../bench/lib/all-knowing.js';
import { countsOf } from '../../bench/lib/news-links.js';
import { reachableArticles } from '../../bench/lib/news-reach.js';
import { newsWeb } from '../../bench/lib/news-web.js';
import { domainOf } from '../../packages/url/index.js';

const web = newsWeb(0.005);

test('every article can be reached from the seeds', () => {
  const articles = web.sites.reduce((sum, site) => sum + site.articles, 0);
  expect(reachableArticles(web).size).toBe(articles);
});

test('all hosts of a site are in one domain, twins too', () => {
  for (const { domain, host, twin = domain, forumHost } of web.sites) {
    expect([domain, host, twin, forumHost].map(domainOf)).toEqual([domain, domain, domain, domain]);
  }
});

test('a page is the same at every request, and unknown paths are gone', () => {
  const [seed = ''] = web.seeds;
  expect(newsWeb(0.005).answerOf(seed)).toEqual(web.answerOf(seed));
  expect(newsWeb(0.005, 2).answerOf(seed)).not.toEqual(web.answerOf(seed));
  for (const path of ['2026/13/45/', 'nothing/', 'tag/t99999999/']) expect(web.fetch(seed + path).kind).toBe('gone');
});

test('at full size there are 500,000 URLs, a tenth of them articles', () => {
  const whole = newsWeb(1);
  const counts = whole.sites.map((site) => countsOf(site, whole.sites));
  const total = counts.reduce((sum, each) => sum + Object.values(each).reduce((a, b) => a + b, 0), 0);
  expect(whole.sites).toHaveLength(40);
  expect(Math.round(total / 10_000)).toBe(50);
  expect(whole.sites.reduce((sum, site) => sum + site.articles, 0) / total).toBeCloseTo(0.096, 2);
});

test('the all-knowing crawler fetches only seeds in the first round, and never more than the budget', () => {
  const rounds = crawlKnowing(web, 6, 20);
  expect(rounds[0]).toEqual({ fetched: web.seeds.length, useful: 0 });
  for (const { fetched, useful } of rounds) {
    expect(fetched).toBeLessThanOrEqual(20);
    expect(useful).toBeLessThanOrEqual(fetched);
  }
});
