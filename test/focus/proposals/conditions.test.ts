import { expect, test } from 'vitest';
import {
  CrawlError,
  jobs,
  rowKeyOf,
  rules,
  type Candidate,
  type NewRule,
} from '../../../packages/webcrawl/internal.js';
import { crawlAsNews, crawledNews, newsWeb, SETTINGS, SITE, USEFUL } from '../../support/focus/news-web.js';
import { testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

async function prefixesOf(crawl: TestCrawl): Promise<unknown[]> {
  const { proposals } = await rules.propose(crawl);
  return proposals.map(({ rule }) => (rule.kind !== 'www' && 'prefix' in rule.pattern ? rule.pattern.prefix : rule));
}

const unfetched = (urls: readonly string[]) =>
  urls.map((url) => ({ key: rowKeyOf(url), set: { status: 'unfetched' as const, dueAt: 0 } }));

test.each<[what: string, given: readonly NewRule[], because: string | undefined]>([
  ['nothing is lost', [USEFUL], undefined],
  [
    'useful pages are refused',
    [USEFUL, { kind: 'reject', scope: 'host:example.com', pattern: { prefix: '/news/' } }],
    'dropped_relevant',
  ],
  ['useful pages are useful no more', [{ ...USEFUL, scope: 'host:www.example.com' }], 'dropped_relevant'],
  ['a seed is refused', [USEFUL, { kind: 'reject', pattern: { regex: '^http://example.com/$' } }], 'dropped_relevant'],
  [
    'the only way to a useful page is refused',
    [USEFUL, { kind: 'reject', scope: 'host:example.com', pattern: { prefix: '/archive/' } }],
    'dropped_way',
  ],
  [
    'what is not useful is refused',
    [USEFUL, { kind: 'reject', scope: 'host:example.com', pattern: { prefix: '/tag/' } }],
    undefined,
  ],
])('a www rule after which %s is checked with the rewritten URLs', async (_, given, because) => {
  await using crawl = await testCrawl(fakeWeb(newsWeb()), { settings: SETTINGS });
  await rules.add(crawl, given);
  await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
  const candidate: Candidate = {
    rule: { kind: 'www', origin: 'generated', scope: 'domain:example.com', to: 'without' },
    reason: 'www',
    evidence: {},
    rows: 1,
    isOfCopies: true,
  };
  const finder = () => ({ add: () => undefined, find: () => [candidate] });
  const { proposals, counters } = await rules.propose(crawl, { finders: [finder] });
  expect(proposals).toHaveLength(because ? 0 : 1);
  if (because) expect(counters).toMatchObject({ [because]: 1 });
});

test('if no seed leads to a relevant page, nothing is proposed that may be on the way to one', async () => {
  await using crawl = await crawledNews();
  expect(await prefixesOf(crawl)).toEqual(['/tag/']);
  await rules.add(crawl, { kind: 'reject', pattern: { regex: '^http://www.example.com/$' } }, { yes: true });
  const { proposals, counters } = await rules.propose(crawl, { apply: true });
  expect(proposals).toEqual([]);
  expect(counters['dropped_unreached']).toBeGreaterThan(0);
});

test('ways from other domains count for a domain without seeds', async () => {
  const web = { ...newsWeb(), 'http://other.example/': links(`${SITE}/`) };
  await using crawl = await crawlAsNews(web, ['http://other.example/']);
  expect(await prefixesOf(crawl)).toEqual(['/tag/']);
});

test('a domain needs enough relevant pages that can be reached', async () => {
  await using crawl = await crawledNews({ settings: { 'propose.minRelevant': 8 } });
  await crawl.tables.pages.write(unfetched([`${SITE}/news/alone-1`, `${SITE}/news/alone-2`]));
  const { proposals, counters } = await rules.propose(crawl);
  expect(proposals).toEqual([]);
  expect(counters).toMatchObject({ dropped_few: 1 });
});

test.each<[what: string, settings: Record<string, number>, urls: string[], why: string]>([
  [
    'pages of another form have come',
    {},
    Array.from({ length: 30 }, (_, i) => `${SITE}/tag/by/name-${i}`),
    'too few of the pages',
  ],
  [
    'it rejects too little by now',
    { 'propose.minShare': 0.5 },
    Array.from({ length: 10 }, (_, i) => `${SITE}/new/${i}`),
    'propose.minShare is 0.5',
  ],
])('a proposal is refused where %s', async (_, settings, urls, why) => {
  await using crawl = await crawledNews({ settings });
  expect((await rules.propose(crawl)).proposals).toHaveLength(1);
  await crawl.tables.pages.write(unfetched(urls));
  await expect(rules.applyProposals(crawl, { numbers: [1] })).rejects.toMatchObject({
    code: 'STALE_PROPOSAL',
    message: expect.stringContaining(why) as string,
  });
});

test('pages that were fetched and not parsed do not count as tried', async () => {
  await using crawl = await crawledNews();
  await crawl.tables.pages.write(
    Array.from({ length: 20 }, (_, i) => ({
      key: rowKeyOf(`${SITE}/tag/${i}`),
      set: { parseStatus: { code: 'timeout' } },
    })),
  );
  const { proposals, counters } = await rules.propose(crawl);
  expect(proposals).toEqual([]);
  expect(counters['dropped_untried']).toBeGreaterThan(0);
});

test('nothing is proposed for a domain with a row that cannot be read', async () => {
  await using crawl = await crawledNews();
  const key = rowKeyOf(`${SITE}/archive/3`);
  await crawl.tables.store.write('webpage', [{ key, put: new Map([['m:ta', Uint8Array.of(1, 2, 3)]]) }]);
  const { proposals, counters } = await rules.propose(crawl);
  expect(proposals).toEqual([]);
  expect(counters).toMatchObject({ damaged: 1 });
  expect(counters['dropped_damaged']).toBeGreaterThan(0);
});

test('of more than a thousand proposals those with the most pages are kept, and the rest is counted', async () => {
  await using crawl = await testCrawl(undefined, { settings: { 'propose.minShare': 0.9 } });
  await rules.add(crawl, { kind: 'relevant', pattern: { prefix: '/nothing/' } });
  const domains = Array.from({ length: 25 }, (_, i) => `site${i}.com`);
  const sections = Array.from({ length: 45 }, (_, i) => i);
  for (const domain of domains)
    await crawl.tables.pages.write(unfetched(sections.map((i) => `http://${domain}/s${i}/`)));
  const finder = () => ({
    add: () => undefined,
    find: ({ domain }: { domain: string }): Candidate[] =>
      sections.map((i) => ({
        rule: { kind: 'reject', origin: 'generated', scope: `domain:${domain}`, pattern: { prefix: `/s${i}/` } },
        reason: 'facet',
        evidence: {},
        rows: 100 - Number(/\d+/.exec(domain)![0]),
        isOfCopies: true,
      })),
  });
  const { proposals, domains: offered, counters } = await rules.propose(crawl, { finders: [finder] });
  // The last domain gets only the rest of the thousand, which is too little for it.
  expect(proposals).toHaveLength(22 * 45);
  expect(offered.reduce((sum, { rejected }) => sum + rejected, 0)).toBe(22 * 45);
  expect(counters).toMatchObject({ over_limit: 125, dropped_share: 10, proposed: 990, rejected: 990 });
});

test('a crawl continues if proposing fails', async () => {
  await using crawl = await testCrawl(fakeWeb(newsWeb()), { settings: SETTINGS });
  await rules.add(crawl, USEFUL);
  const put = () => Promise.reject(new CrawlError('STORE_FULL', 'no room'));
  Object.assign(crawl.tables.proposals, { put });
  const { counters } = await jobs.crawl(crawl, { seeds: [`${SITE}/`], rounds: 5, propose: 1 });
  expect(counters['propose_failed']).toBeGreaterThan(0);
  expect(counters['rounds']).toBeGreaterThan(2);
});

test('a sub-domain is no domain to propose for', async () => {
  await using crawl = await crawledNews();
  await expect(rules.propose(crawl, { domain: 'www.example.com' })).rejects.toMatchObject({ code: 'BAD_RULE' });
  expect((await rules.propose(crawl, { domain: 'example.com' })).proposals).toHaveLength(1);
});

test('a proposal is checked with rules that another process has just changed', async () => {
  await using crawl = await crawledNews();
  const before = await crawl.rules.current();
  // As another process does it, without a notice to this one.
  await crawl.tables.rules.change((_, nextId) => ({
    put: [
      {
        kind: 'reject',
        id: nextId(),
        scope: '*',
        pattern: { prefix: '/x/' },
        origin: 'hand',
        createdAt: 1,
        changedAt: 1,
        state: 'active',
      },
    ],
  }));
  const { added } = await rules.propose(crawl, { apply: true });
  expect(added?.added).toHaveLength(1);
  expect((await crawl.rules.current()).version).not.toBe(before.version);
});
