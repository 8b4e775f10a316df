import { expect, test } from 'vitest';
import { jobs, rowKeyOf, rules } from '../../../packages/webcrawl/internal.js';
import { testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { crawlAsNews, crawledNews, newsWeb, SETTINGS, SITE, USEFUL } from '../../support/focus/news-web.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

test('proposes to reject sections without relevant pages, but not the only way to one', async () => {
  await using crawl = await crawledNews();
  const { proposals, domains, counters } = await rules.propose(crawl);
  expect(proposals).toMatchObject([
    {
      number: 1,
      reason: 'useless_prefix',
      domain: 'example.com',
      rows: 20,
      fetched: 20,
      rule: { kind: 'reject', scope: 'host:www.example.com', pattern: { prefix: '/tag/' } },
      evidence: { rows: 20, domainRelevant: 7 },
    },
  ]);
  expect(domains).toEqual([{ domain: 'example.com', rest: 36, rejected: 20, relevant: 7 }]);
  expect(counters).toMatchObject({ rows: 43, proposed: 1, rejected: 20, rest: 36 });
  expect((await rules.list(crawl)).rules).toHaveLength(1);
});

test('a disabled rule is never proposed again, nor a larger rule that includes it', async () => {
  await using crawl = await crawledNews();
  const { added } = await rules.propose(crawl, { apply: true });
  const [rule] = added!.added;
  expect(rule).toMatchObject({
    id: 'r2',
    origin: 'generated',
    state: 'active',
    evidence: { reason: 'useless_prefix', rows: 20 },
  });
  // While it is active, nothing more is proposed.
  expect((await rules.propose(crawl)).proposals).toEqual([]);
  expect((await rules.proposals(crawl))?.proposals).toEqual([]);
  await rules.disable(crawl, rule!.id);
  const again = await rules.propose(crawl, { apply: true });
  expect(again.proposals).toEqual([]);
  expect(again.added?.added).toEqual([]);
  // After a removal it stays as disabled; once forgotten, it may be proposed again.
  await rules.remove(crawl, rule!.id);
  expect((await rules.propose(crawl)).proposals).toEqual([]);
  await rules.remove(crawl, rule!.id, { forget: true });
  expect((await rules.propose(crawl)).proposals).toHaveLength(1);
});

test('nothing is proposed that rejects a seed or what a rule made by hand accepts, or that is rejected already', async () => {
  {
    await using crawl = await crawledNews();
    await rules.add(crawl, { kind: 'accept', pattern: { prefix: '/tag/7' } });
    expect((await rules.propose(crawl)).proposals).toEqual([]);
  }
  {
    await using crawl = await crawledNews({ seeds: [`${SITE}/`, `${SITE}/tag/9`] });
    expect((await rules.propose(crawl)).proposals).toEqual([]);
  }
  await using crawl = await crawledNews();
  await rules.add(crawl, { kind: 'reject', pattern: { regex: '/tag/' } });
  expect((await rules.propose(crawl)).proposals).toEqual([]);
});

test('without relevant rules, or with fewer relevant pages than required, no section is useless', async () => {
  await using crawl = await testCrawl(fakeWeb(newsWeb()), { settings: { ...SETTINGS, 'propose.minRelevant': 8 } });
  expect((await rules.propose(crawl)).counters).toEqual({});
  await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
  expect((await rules.propose(crawl)).proposals).toEqual([]);
  await rules.add(crawl, USEFUL);
  expect((await rules.propose(crawl)).proposals).toEqual([]);
});

test('nothing is proposed for a domain if too little would be rejected', async () => {
  await using crawl = await crawledNews({ settings: { 'propose.minShare': 0.6 } });
  const { proposals, counters } = await rules.propose(crawl);
  expect(proposals).toEqual([]);
  expect(counters).toMatchObject({ dropped_share: 1 });
});

test('if a section is the only way to a relevant page, a part of it may still be rejected', async () => {
  const web = newsWeb();
  const pages = Array.from({ length: 30 }, (_, i) => `/forum/${i < 10 ? 'list' : 'user'}/${i}`);
  pages.forEach(
    (path, i) =>
      (web[SITE + path] = links('/', ...pages.slice(2 * i + 1, 2 * i + 3), ...(i === 4 ? ['/news/lost'] : []))),
  );
  web[`${SITE}/`] = links('/forum/list/0', ...Array.from({ length: 6 }, (_, i) => `/news/${i}`));
  web[`${SITE}/news/lost`] = links('/');
  await using crawl = await crawlAsNews(web);
  const { proposals } = await rules.propose(crawl);
  const prefixes = proposals.map(({ rule }) => rule.kind !== 'www' && 'prefix' in rule.pattern && rule.pattern.prefix);
  expect(prefixes).toEqual(['/forum/user/', '/tag/']);
});

test('a proposal is applied by its number, after its conditions were checked again', async () => {
  await using crawl = await crawledNews();
  const { proposals } = await rules.propose(crawl);
  const list = (await rules.proposals(crawl))!;
  expect(list.proposals).toEqual(proposals);
  await expect(rules.applyProposals(crawl, { numbers: [2] })).rejects.toMatchObject({ code: 'UNKNOWN_PROPOSAL' });
  await expect(rules.applyProposals(crawl, { numbers: [1], list: 'other' })).rejects.toMatchObject({
    code: 'STALE_PROPOSAL',
  });
  // Other rules that were added since do not matter.
  await rules.add(crawl, { kind: 'relevant', pattern: { prefix: '/nothing/' } });
  const { added } = await rules.applyProposals(crawl, { numbers: [1], list: list.id });
  expect(added).toMatchObject([{ origin: 'generated', pattern: { prefix: '/tag/' } }]);
  await expect(rules.applyProposals(crawl, { numbers: [1] })).rejects.toMatchObject({
    code: 'STALE_PROPOSAL',
    message: expect.stringContaining('rule r3 has the same content') as string,
  });
});

test.each<[what: string, change: (crawl: TestCrawl) => Promise<unknown>, why: string]>([
  [
    'a page that it rejects is useful by now',
    (crawl) => rules.add(crawl, { kind: 'relevant', pattern: { prefix: '/tag/5' } }),
    'it would reject http://www.example.com/tag/5',
  ],
  [
    'a rule made by hand accepts such a page',
    (crawl) => rules.add(crawl, { kind: 'accept', pattern: { prefix: '/tag/5' } }),
    'protected by another rule',
  ],
  ['it leads to a useful page', (crawl) => addUseful(crawl), 'the only way to http://www.example.com/news/late'],
  ['nothing is useful any more', (crawl) => rules.remove(crawl, 'r1'), 'has 0 relevant pages'],
  [
    'another rule rejects it all',
    (crawl) => rules.add(crawl, { kind: 'reject', pattern: { regex: '/tag/' } }),
    'it would reject no other page',
  ],
])('a proposal is refused where %s', async (_, change, why) => {
  await using crawl = await crawledNews();
  await rules.propose(crawl);
  await change(crawl);
  const before = (await rules.list(crawl)).version;
  await expect(rules.applyProposals(crawl)).rejects.toMatchObject({
    code: 'STALE_PROPOSAL',
    message: expect.stringContaining(why) as string,
    hint: expect.stringContaining('webcrawl rules propose') as string,
  });
  expect((await rules.list(crawl)).version).toBe(before);
});

/** A new relevant page, linked from a page of the section. */
async function addUseful({ tables }: TestCrawl): Promise<void> {
  const url = `${SITE}/news/late`;
  await tables.pages.write([
    { key: rowKeyOf(url), set: { status: 'unfetched', dueAt: 0 } },
    { key: rowKeyOf(`${SITE}/tag/11`), set: { outlinks: [{ url, anchor: '' }] } },
  ]);
}

test('a crawl proposes after the given number of rounds, and obeys the proposals', async () => {
  const web = newsWeb();
  for (let i = 0; i < 300; i++) web[`${SITE}/tag/more/${i}`] = links(`/tag/more/${i + 1}`, `/tag/${i % 20}`);
  web[`${SITE}/tag/0`] = links('/tag/1', ...Array.from({ length: 40 }, (_, i) => `/tag/more/${i * 7}`));
  const fake = fakeWeb(web);
  const crawlOf = async (propose?: number): Promise<[number, Readonly<Record<string, number>>]> => {
    const crawl = await testCrawl(fake, { settings: SETTINGS });
    await rules.add(crawl, USEFUL);
    const before = fake.requests.length;
    const given = { seeds: [`${SITE}/`], rounds: 400, ...(propose !== undefined && { propose }) };
    const { counters } = await jobs.crawl(crawl, given);
    const all = fake.requests.slice(before);
    expect(all).toContain(`${SITE}/news/old`);
    await crawl.close();
    return [all.length, counters];
  };
  const [whole, plain] = await crawlOf();
  expect(Object.keys(plain).filter((name) => /propos/.test(name))).toEqual([]);
  const [part, counters] = await crawlOf(2);
  expect(part).toBeLessThan(whole - 100);
  expect(counters['propose_applied']).toBeGreaterThan(0);
  expect(counters['proposals']).toBeGreaterThan(0);
  const crawl = await testCrawl(fake);
  await expect(jobs.crawl(crawl, { seeds: [], propose: 0 })).rejects.toMatchObject({ code: 'USAGE' });
  await crawl.close();
});

test('without relevant rules, a calendar that fills half of a domain is shown, and never added unasked', async () => {
  const pages: Record<string, string> = { [`${SITE}/`]: links('/a', '/b', '/cal?m=1') };
  for (const path of ['/a', '/b', '/c']) pages[SITE + path] = links('/', '/c');
  for (let month = 1; month <= 80; month++) pages[`${SITE}/cal?m=${month}`] = links(`/cal?m=${month + 1}`);
  await using crawl = await testCrawl(fakeWeb(pages), { settings: SETTINGS });
  await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
  const shown = await rules.propose(crawl);
  expect(shown).toMatchObject({
    hasRelevant: false,
    proposals: [
      {
        reason: 'calendar',
        rows: 80,
        evidence: { parameter: 'm', because: 'endless numbers or dates; at least half of the pages of the domain' },
      },
    ],
  });
  const added = await rules.propose(crawl, { apply: true });
  expect(added).toMatchObject({ hasRelevant: false, proposals: [] });
  expect((await rules.list(crawl)).rules).toEqual([]);
});
