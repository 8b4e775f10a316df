import { describe, expect, test } from 'vitest';
import { jobs, rules, urlOf, type StoredProposal } from '../../../packages/webcrawl/index.js';
import { testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { USEFUL, reachable, sectionedWeb, type SectionedWeb } from '../../support/web/sectioned-web.js';

const WEBS = 200;
const SETTINGS = { 'propose.minUseful': 2, 'propose.minShare': 0 };
const isUseful = (url: string): boolean => url.includes(USEFUL);

async function open({ pages }: SectionedWeb): Promise<TestCrawl> {
  const crawl = await testCrawl(fakeWeb(pages), { settings: SETTINGS });
  await rules.add(crawl, { kind: 'useful', pattern: { regex: USEFUL } });
  return crawl;
}

/** What a proposal cuts, read as it is described and not as it is built. */
function cuts({ rule }: Pick<StoredProposal, 'rule'>, url: string): boolean {
  if (rule.kind !== 'reject' || isUseful(url)) return false;
  const { hostname, pathname, search } = new URL(url);
  const name = rule.scope.slice(rule.scope.indexOf(':') + 1);
  const isOf = rule.scope.startsWith('host:') ? hostname === name : `.${hostname}`.endsWith(`.${name}`);
  if (!isOf) return false;
  if ('regex' in rule.pattern) return new RegExp(rule.pattern.regex).test(url);
  const { prefix } = rule.pattern;
  return (prefix.startsWith('/') ? pathname + search : url).startsWith(prefix);
}

/** What rows lead to, from those that were injected on, without those that are cut. */
async function known(crawl: TestCrawl, isCut: (url: string) => boolean = () => false): Promise<Set<string>> {
  const rows = new Map<string, { readonly targets: readonly string[]; readonly isSeed: boolean }>();
  for await (const row of crawl.pages({ fields: ['status', 'outlinks', 'redirectTarget', 'marks'] })) {
    const { key, status, outlinks = [], redirectTarget, marks } = row;
    if (status === 'gone') continue;
    const targets = [...outlinks.map(({ url }) => url), ...(redirectTarget === undefined ? [] : [redirectTarget])];
    rows.set(urlOf(key), { targets, isSeed: marks?.inject !== undefined });
  }
  const found = new Set([...rows].filter(([url, { isSeed }]) => isSeed && !isCut(url)).map(([url]) => url));
  for (const url of found) {
    for (const target of rows.get(url)?.targets ?? []) if (rows.has(target) && !isCut(target)) found.add(target);
  }
  return found;
}

/** The useful pages of a web that can be reached without those that are cut. */
const usefulIn = (web: SectionedWeb, isCut?: (url: string) => boolean): string[] =>
  usefulOf(reachable(web, isCut)).filter((url) => web.pages[url] !== undefined);

const usefulOf = (urls: Iterable<string>): string[] => [...urls].filter(isUseful).sort();

const shares: number[] = [];
const sums = { proposed: 0, unknown: 0, lost: 0 };
const GROUP = 20;

describe.each(Array.from({ length: WEBS / GROUP }, (_, i) => i * GROUP + 1))('webs from %i on', (first) => {
  const seeds = Array.from({ length: GROUP }, (_, i) => first + i);

  test('known as a whole: no proposal cuts a useful page or the only way to one', async () => {
    for (const seed of seeds) {
      const web = sectionedWeb(seed);
      const hint = `web ${seed}`;
      await using crawl = await open(web);
      await jobs.crawl(crawl, { seeds: web.seeds, stay: 'any' });
      const { proposals, domains } = await rules.propose(crawl);
      sums.proposed += proposals.length;
      const isCut = (url: string): boolean => proposals.some((proposal) => cuts(proposal, url));
      expect(usefulOf(await known(crawl, isCut)), hint).toEqual(usefulOf(await known(crawl)));
      expect(usefulIn(web, isCut), hint).toEqual(usefulIn(web));
      for (const { cut, rest } of domains) shares.push(cut / rest);
    }
  }, 1_800_000);

  test('known in part: none of what is known, also after the crawl has gone on with them', async () => {
    for (const seed of seeds) {
      const web = sectionedWeb(seed);
      const hint = `web ${seed}`;
      await using crawl = await open(web);
      const rounds = 3 + (seed % 4);
      await jobs.crawl(crawl, { seeds: web.seeds, stay: 'any', rounds, topN: 30 });
      const before = await known(crawl);
      const { proposals } = await rules.propose(crawl, { apply: true });
      const isCut = (url: string): boolean => proposals.some((proposal) => cuts(proposal, url));
      expect(usefulOf(await known(crawl, isCut)), hint).toEqual(usefulOf(before));
      await jobs.crawl(crawl, { seeds: [], stay: 'any' });
      const ruleSet = await crawl.rules.current();
      for (const url of web.useful) expect(ruleSet.decides(url)?.kind, `${hint}: ${url}`).not.toBe('reject');
      const left = new Set(usefulIn(web, isCut));
      for (const url of usefulIn(web)) {
        if (before.has(url)) expect(left.has(url), `${hint}: ${url}`).toBe(true);
        else sums.unknown += 1;
        if (!left.has(url)) sums.lost += 1;
      }
    }
  }, 1_800_000);
});

test('cuts a good share of what is not useful', () => {
  shares.sort((a, b) => a - b);
  const median = shares[Math.floor(shares.length / 2)] ?? 0;
  console.log(
    `${sums.proposed} proposals for ${shares.length} domains of ${WEBS} webs; median of the rest that is cut: ${(100 * median).toFixed(1)} %; ` +
      `of ${sums.unknown} useful pages that were not known when rules were proposed ${sums.lost} have no way left`,
  );
  expect(shares.length).toBeGreaterThan(WEBS / 2);
  expect(median).toBeGreaterThan(0.2);
});
