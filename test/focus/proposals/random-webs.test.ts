import { describe, expect, test } from 'vitest';
import { jobs, rules, urlOf, type StoredProposal } from '../../../packages/webcrawl/internal.js';
import { knownRows } from '../../support/focus/known-rows.js';
import { runs } from '../../support/runs.js';
import { testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { USEFUL, reachable, sectionedWeb, type Look, type SectionedWeb } from '../../support/web/sectioned-web.js';

const WEBS = runs(40, 200);
const GROUP = WEBS / 4;
/** The webs from this seed on show every kind of proposal. */
const FIRST = runs(21, 1);
const MIN_SHARE = 0.1;
const SETTINGS = { 'propose.minRelevant': 5, 'propose.minShare': MIN_SHARE };
/** The least number of webs, of 200 completely known ones, for which each kind of proposal is made. */
const OFFERED: Readonly<Record<string, number>> = {
  useless_prefix: 100,
  'useless_prefix of a port or scheme': 20,
  facet: 50,
  session: 40,
  calendar: 60,
  'calendar of a parameter': 12,
  www: 40,
};

const isUseful = (url: string): boolean => url.includes(USEFUL);
const usefulOf = (urls: Iterable<string>): string[] => [...urls].filter(isUseful).sort();

async function open(web: SectionedWeb): Promise<TestCrawl> {
  const crawl = await testCrawl(fakeWeb(web.pages), { settings: SETTINGS });
  await rules.add(crawl, { kind: 'relevant', pattern: { regex: USEFUL } });
  return crawl;
}

/** What proposals reject and rewrite, computed from their meaning and not with their code, for all pages. */
function lookOf(proposals: readonly StoredProposal[]): Required<Look> {
  const tests = proposals.flatMap(({ rule }) => {
    if (rule.kind !== 'reject') return [];
    const name = rule.scope.slice(rule.scope.indexOf(':') + 1);
    const isOf = (host: string): boolean =>
      rule.scope.startsWith('host:') ? host === name : `.${host}`.endsWith(`.${name}`);
    if ('regex' in rule.pattern) {
      const regex = new RegExp(rule.pattern.regex);
      return [(url: string, { hostname }: URL): boolean => isOf(hostname) && regex.test(url)];
    }
    const { prefix } = rule.pattern;
    return [
      (url: string, { hostname, pathname, search }: URL): boolean =>
        isOf(hostname) && (prefix.startsWith('/') ? pathname + search : url).startsWith(prefix),
    ];
  });
  const hosts = new Map(
    proposals.flatMap(({ rule }) => {
      if (rule.kind !== 'www') return [];
      const domain = rule.scope.slice('domain:'.length);
      const forms = [domain, `www.${domain}`] as const;
      return [rule.to === 'with' ? forms : ([forms[1], forms[0]] as const)];
    }),
  );
  return {
    isCut(url) {
      const parts = new URL(url);
      return tests.some((cuts) => cuts(url, parts));
    },
    written: (url) => url.replace(/(?<=:\/\/)[^/:]+/, (host) => hosts.get(host) ?? host),
  };
}

interface KnownPage {
  readonly targets: readonly string[];
  readonly isSeed: boolean;
  readonly isFetched: boolean;
  readonly isGone: boolean;
}

/** The rows of a table, by URL. */
async function knownIn(crawl: TestCrawl): Promise<Map<string, KnownPage>> {
  const rows = new Map<string, KnownPage>();
  for await (const row of crawl.pages({ fields: ['status', 'outlinks', 'redirectTarget', 'marks'] })) {
    const { key, status, outlinks = [], redirectTarget, marks } = row;
    rows.set(urlOf(key), {
      targets: [...outlinks.map(({ url }) => url), ...(redirectTarget === undefined ? [] : [redirectTarget])],
      isSeed: marks?.inject !== undefined,
      isFetched: status !== 'unfetched',
      isGone: status === 'gone',
    });
  }
  return rows;
}

/** The pages that rows lead to, starting from seeds. A page that was fetched in one form only has the same links in the other. */
function reachedIn(rows: ReadonlyMap<string, KnownPage>, { isCut = () => false, written = (url) => url }: Look = {}) {
  const pages = new Map<string, Pick<KnownPage, 'targets' | 'isSeed'>>();
  for (const [url, page] of rows) {
    const own = written(url);
    const known = rows.get(own);
    if (known?.isGone || page.isGone) continue;
    const { targets = [], isSeed = false } = pages.get(own) ?? {};
    pages.set(own, {
      targets: known?.isFetched ? known.targets : [...targets, ...page.targets],
      isSeed: isSeed || page.isSeed,
    });
  }
  const found = new Set([...pages].filter(([url, { isSeed }]) => isSeed && !isCut(url)).map(([url]) => url));
  for (const url of found) {
    for (const target of pages.get(url)!.targets.map(written))
      if (pages.has(target) && !isCut(target)) found.add(target);
  }
  return found;
}

/** The relevant pages that could be reached before and cannot any more. */
function lost(before: Iterable<string>, after: ReadonlySet<string>, { written }: Required<Look>): string[] {
  return usefulOf(before).filter((url) => !after.has(written(url)));
}

/** The share of rejected rows among the rows of a domain that are not relevant. */
function cutShare(rows: ReadonlyMap<string, KnownPage>, domain: string, { isCut }: Required<Look>): number {
  const rest = [...rows].filter(
    ([url, { isGone }]) => !isGone && !isUseful(url) && `.${new URL(url).hostname}`.endsWith(`.${domain}`),
  );
  return rest.filter(([url]) => isCut(url)).length / rest.length;
}

/** The kinds of proposals in a list. */
function kindsOf(proposals: readonly StoredProposal[]): Set<string> {
  const kinds = new Set<string>();
  for (const { rule, reason, evidence } of proposals) {
    kinds.add(reason);
    if (rule.kind === 'www') continue;
    if (reason === 'useless_prefix' && 'prefix' in rule.pattern && !rule.pattern.prefix.startsWith('/'))
      kinds.add('useless_prefix of a port or scheme');
    const { parameter } = evidence as Readonly<Record<string, unknown>>;
    if (reason === 'calendar' && parameter !== undefined) kinds.add('calendar of a parameter');
  }
  return kinds;
}

const offered = new Map<string, number>();
const shares: number[] = [];
const sums = { proposed: 0, unknown: 0, lost: 0 };

describe.each(Array.from({ length: WEBS / GROUP }, (_, i) => i * GROUP + FIRST))('webs from %i on', (first) => {
  const seeds = Array.from({ length: GROUP }, (_, i) => first + i);

  test('known completely: no proposal rejects a relevant page or the only way to one', async () => {
    for (const seed of seeds) {
      const web = sectionedWeb(seed);
      const hint = `web ${seed}`;
      await using crawl = await open(web);
      await crawl.tables.pages.write(knownRows(web));
      const { proposals } = await rules.propose(crawl);
      sums.proposed += proposals.length;
      for (const kind of kindsOf(proposals)) offered.set(kind, (offered.get(kind) ?? 0) + 1);
      const look = lookOf(proposals);
      const rows = await knownIn(crawl);
      expect(usefulOf(rows.keys()).filter(look.isCut), hint).toEqual([]);
      expect(lost(reachedIn(rows), reachedIn(rows, look), look), hint).toEqual([]);
      const there = (urls: Set<string>): Set<string> => new Set([...urls].filter((url) => web.pages[url]));
      expect(lost(there(reachable(web)), there(reachable(web, look)), look), hint).toEqual([]);
      for (const domain of new Set(proposals.filter(({ rule }) => rule.kind === 'reject').map((each) => each.domain))) {
        const share = cutShare(rows, domain, look);
        expect(share, hint).toBeGreaterThanOrEqual(MIN_SHARE);
        shares.push(share);
      }
    }
  });

  test('known in part: no proposal loses a known relevant page, also after the crawl has continued with it', async () => {
    for (const seed of seeds) {
      const web = sectionedWeb(seed);
      const hint = `web ${seed}`;
      await using crawl = await open(web);
      await crawl.tables.pages.write(knownRows(web, (Object.keys(web.pages).length * (3 + (seed % 5))) / 10, seed));
      const rows = await knownIn(crawl);
      const { proposals } = await rules.propose(crawl, { apply: true });
      const look = lookOf(proposals);
      expect(usefulOf(rows.keys()).filter(look.isCut), hint).toEqual([]);
      const known = reachedIn(rows);
      expect(lost(known, reachedIn(rows, look), look), hint).toEqual([]);
      const ruleSet = await crawl.rules.current();
      for (const url of web.useful) expect(ruleSet.decides(url)?.kind, `${hint}: ${url}`).not.toBe('reject');
      const left = reachable(web, { ...look, isCut: (url) => ruleSet.decides(url)?.kind === 'reject' });
      const unknown = [...reachable(web)].filter((url) => isUseful(url) && web.pages[url] && !known.has(url));
      sums.unknown += unknown.length;
      sums.lost += lost(unknown, left, look).length;
    }
  });
});

test.each([1, 2, 3, 4].slice(0, runs(2, 4)))('the rows of web %i are those of a crawl', async (seed) => {
  const web = sectionedWeb(seed);
  await using crawled = await open(web);
  await jobs.crawl(crawled, { seeds: web.seeds, stay: 'any' });
  await using made = await open(web);
  await made.tables.pages.write(knownRows(web));
  const [real, rows] = await Promise.all([crawled, made].map(knownIn));
  const sorted = (known: ReadonlyMap<string, KnownPage>) =>
    [...known].map(([url, page]) => [url, { ...page, targets: [...page.targets].sort() }]);
  expect(sorted(rows!)).toEqual(sorted(real!));
  const proposals = await Promise.all([crawled, made].map(async (crawl) => (await rules.propose(crawl)).proposals));
  expect(proposals[1]).toEqual(proposals[0]);
});

test('every kind of proposal is made, and a good share of the other pages is rejected', () => {
  shares.sort((a, b) => a - b);
  const median = shares[Math.floor(shares.length / 2)] ?? 0;
  console.log(
    `${sums.proposed} proposals for ${shares.length} domains of ${WEBS} webs; median of the rest that is rejected: ${(100 * median).toFixed(1)} %; ` +
      `of ${sums.unknown} useful pages that were not known when rules were proposed ${sums.lost} have no way left; ` +
      `webs with each kind: ${[...offered].map(([kind, webs]) => `${kind} ${webs}`).join(', ')}`,
  );
  const tooFew = Object.entries(OFFERED).filter(([kind, least]) => (offered.get(kind) ?? 0) < (least * WEBS) / 200);
  expect(tooFew).toEqual([]);
  expect(median).toBeGreaterThan(0.2);
});
