import { expect, test } from 'vitest';
import { jobs, rules } from '../../../packages/webcrawl/internal.js';
import { testCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

const FORMS = ['http://example.com', 'http://www.example.com'];

/** A site that answers the same with and without www, and links in either form; each page links to the next ones. */
function twinWeb(count: number): { web: ReturnType<typeof fakeWeb>; paths: string[] } {
  const paths = Array.from({ length: count }, (_, i) => (i === 0 ? '/' : i % 2 === 0 ? `/news/${i}` : `/about/${i}`));
  const pages: Record<string, string> = {};
  paths.forEach((path, i) => {
    const next = [1, 2, 3].map((step) => paths[i + step]).filter((each) => each !== undefined);
    const html = links(...next.map((each, k) => FORMS[k % 2]! + each), paths[0]!);
    for (const form of FORMS) pages[form + path] = html;
  });
  return { web: fakeWeb(pages), paths };
}

const pathOf = (url: string): string => url.replace(/^http:\/\/[^/]+/, '');

test('if a domain answers alike with and without www, the rule has each document fetched once, and loses none', async () => {
  const { web, paths } = twinWeb(120);
  await using crawl = await testCrawl(web);
  await rules.add(crawl, { kind: 'relevant', pattern: { prefix: '/news/' } });
  const limits = { seeds: [`${FORMS[0]}/`], stay: 'domain' } as const;
  await jobs.crawl(crawl, { ...limits, maxPages: 90 });
  const before = new Set(web.requests.map(pathOf));
  expect(web.requests.length).toBeGreaterThan(before.size + 20);

  const { proposals } = await rules.propose(crawl, { apply: true });
  const www = proposals.find(({ reason }) => reason === 'www');
  expect(www).toMatchObject({ rule: { kind: 'www', scope: 'domain:example.com' } });
  expect(www!.evidence).toMatchObject({ alikeShare: 1 });

  web.requests.length = 0;
  await jobs.crawl(crawl, limits);
  // From now on each document is requested at most once, and all new ones are requested.
  const after = web.requests.map(pathOf);
  expect(after).toHaveLength(new Set(after).size);
  expect(new Set(web.requests.map((url) => new URL(url).host)).size).toBe(1);
  expect(new Set([...before, ...after])).toEqual(new Set(paths));

  // With the rule from the beginning, each document is requested once.
  const { web: again } = twinWeb(120);
  await using fresh = await testCrawl(again);
  await rules.add(fresh, www!.rule);
  await jobs.crawl(fresh, limits);
  expect(again.requests.map(pathOf).sort()).toEqual([...paths].sort());
});

test('a www rule that was added and not applied, as after a kill in between, is applied by the next crawl', async () => {
  const { web, paths } = twinWeb(120);
  await using crawl = await testCrawl(web);
  await rules.add(crawl, { kind: 'relevant', pattern: { prefix: '/news/' } });
  const limits = { seeds: [`${FORMS[0]}/`], stay: 'domain' } as const;
  await jobs.crawl(crawl, { ...limits, maxPages: 60 });
  const before = web.requests.map(pathOf);
  await rules.add(crawl, { kind: 'www', scope: 'domain:example.com', to: 'with' });
  const { counters } = await jobs.crawl(crawl, { ...limits, seeds: [] });
  expect(counters['apply_moved']).toBeGreaterThan(0);
  expect(new Set([...before, ...web.requests.map(pathOf)])).toEqual(new Set(paths));
  // Once is enough.
  const again = await jobs.crawl(crawl, { ...limits, seeds: [] });
  expect(Object.keys(again.counters).filter((name) => name.startsWith('apply_'))).toEqual([]);
});

test('pages that contain links in the form of the other host are equal by title and text, and the rule is found', async () => {
  const pages: Record<string, string> = {};
  for (const [i, form] of FORMS.entries()) {
    for (let n = 0; n < 12; n++) {
      // No two of them have the same bytes.
      const next = `<a href="/news/${n + 1}">next</a> <a href="${FORMS[1 - i]!}/news/${n + 1}">also</a>`;
      pages[`${form}/news/${n}`] = `<title>News ${n}</title><p>What happened on day ${n}.</p>${next}`;
    }
  }
  const propose = async (changed: Record<string, string>): Promise<unknown[]> => {
    await using crawl = await testCrawl(fakeWeb({ ...pages, ...changed }));
    await jobs.crawl(crawl, { seeds: FORMS.map((form) => `${form}/news/0`), stay: 'domain' });
    const { proposals } = await rules.propose(crawl);
    return proposals.filter(({ reason }) => reason === 'www').map(({ evidence }) => evidence);
  };
  expect(await propose({})).toMatchObject([{ alike: 12, alikeShare: 1, documents: 12 }]);
  const other = (n: number): Record<string, string> => ({
    [`${FORMS[0]}/news/${n}`]: `<title>News ${n}</title><p>Something else.</p><a href="/news/${n + 1}">next</a>`,
  });
  expect(await propose(other(3))).toEqual([]);
  // One page under all URLs, each answer with another invisible number, proves nothing.
  const logins = Object.keys(pages).map((url) => [url, pages[url]!.replace(/<title>.*<\/p>/, '<p>Please log in.</p>')]);
  expect(await propose(Object.fromEntries(logins) as Record<string, string>)).toEqual([]);
});
