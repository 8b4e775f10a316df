import { afterEach, describe, expect, test } from 'vitest';
import { createDomainWorth, MAX_DOMAINS } from '../../../packages/focus/report/domain-worth.js';
import { reportRules } from '../../../packages/focus/index.js';
import { jobs, rowKeyOf, rules, urlOf, type Rule, type RuleReport } from '../../../packages/webcrawl/internal.js';
import { MemoryStore } from '../../../webtable/index.js';
import { countingStore } from '../../support/stores/counting-store.js';
import { changeRows } from '../../support/stores/put-rows.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links, randomNumbers } from '../../support/web/fake-web.js';
import { words } from '../../support/files/words.js';

let crawl: TestCrawl | undefined;
afterEach(() => crawl?.close());

const HOSTS = words`a.example.com www.example.com example.com b.example2.com example.co.uk 10.0.0.1 x.test`;
const PATHS = ['/news/', '/tag/', '/tag/keep/', '/list?sort=', '/'];
const STATUSES = ['unfetched', 'fetched', 'notmodified', 'gone', 'redir_temp'] as const;

type Row = { url: string; status: (typeof STATUSES)[number]; fetchedAt?: number; relevant?: boolean };

/** Whether a rule matches a URL, in the simplest way. */
function isOf(rule: Rule, url: string): boolean {
  const { hostname } = new URL(url);
  const [kind, name = ''] = rule.scope.split(':');
  if (kind === 'host' && hostname !== name) return false;
  if (kind === 'domain' && hostname !== name && !hostname.endsWith(`.${name}`)) return false;
  if (rule.kind === 'www') return hostname === `www.${name}`;
  const { pathname, search } = new URL(url);
  if ('regex' in rule.pattern) return new RegExp(rule.pattern.regex).test(url);
  return (pathname + search).startsWith(rule.pattern.prefix);
}

/** The report that a loop over all rows and all rules makes. */
function naive(report: RuleReport, rows: readonly Row[]) {
  const active = report.rules.map(({ rule }) => rule).filter(({ state }) => state === 'active');
  const judged = rows.map((row) => {
    const useful = active.find((rule) => rule.kind === 'relevant' && isOf(rule, row.url));
    const www = active.find((rule) => rule.kind === 'www' && isOf(rule, row.url));
    const first = active.find((rule) => ['accept', 'reject'].includes(rule.kind) && isOf(rule, row.url));
    const decider = www ?? first;
    return {
      ...row,
      useful,
      decider,
      isFetched: row.status === 'fetched' || row.status === 'notmodified',
      isCut: www !== undefined || decider?.kind === 'reject',
      isExempt: decider?.kind === 'accept' && active.some((rule) => rule.kind === 'reject' && isOf(rule, row.url)),
      domain: /example2?\.com$|example\.co\.uk$/.exec(new URL(row.url).hostname)?.[0] ?? new URL(row.url).hostname,
    };
  });
  type Each = (typeof judged)[number];
  const worth = (some: readonly Each[]) => {
    const useful = some.filter((row) => row.useful);
    const left = useful.filter((row) => !row.isFetched);
    return {
      rows: some.length,
      fetched: some.filter((row) => row.isFetched).length,
      relevant: useful.length,
      relevantFetched: useful.length - left.length,
      relevantRejected: left.filter((row) => row.isCut).length,
      relevantWaiting: left.filter((row) => !row.isCut && row.status === 'unfetched').length,
    };
  };
  const yieldOf = (some: readonly Each[]) => ({
    fetched: some.length,
    relevant: some.filter((row) => row.useful).length,
  });
  const domains = [...new Set(judged.map(({ domain }) => domain))].map((domain) => ({
    domain,
    ...worth(judged.filter((row) => row.domain === domain)),
  }));
  return {
    all: worth(judged),
    stale: judged.filter((row) => row.relevant !== (row.useful !== undefined)).length,
    domains: domains.sort((a, b) => b.fetched - a.fetched || b.rows - a.rows || (a.domain < b.domain ? -1 : 1)),
    rules: report.rules.map(({ rule }) => {
      const of = judged.filter((row) => row.useful?.id === rule.id || row.decider?.id === rule.id);
      const isActive = rule.state === 'active';
      const [kind, name = ''] = rule.scope.split(':');
      const around = judged.filter(({ url, isFetched }) => {
        const { hostname } = new URL(url);
        const isIn = kind === '*' || hostname === name || (kind === 'domain' && hostname.endsWith(`.${name}`));
        return isIn && isFetched;
      });
      const isBefore = (row: Each): boolean => row.fetchedAt! < rule.changedAt;
      return {
        rule,
        decides: worth(of),
        ...(rule.kind === 'accept' && { passed: worth(of.filter((row) => row.isExempt)) }),
        ...(isActive && {
          before: yieldOf(around.filter(isBefore)),
          since: yieldOf(around.filter((row) => !isBefore(row))),
        }),
      };
    }),
  };
}

describe('rules report', () => {
  test.each([1, 2, 3, 4, 5, 6])(
    'equals the result of a plain loop over rows and rules, for random tables (%s)',
    async (seed) => {
      const random = randomNumbers(seed);
      const below = (n: number): number => Math.floor(random() * n);
      crawl = await testCrawl(undefined);
      const given = [
        { kind: 'relevant', pattern: { prefix: '/news/' } },
        { kind: 'relevant', scope: 'domain:example.com', pattern: { regex: '[13]$' } },
        { kind: 'reject', pattern: { prefix: '/tag/' } },
        { kind: 'reject', scope: 'host:a.example.com', pattern: { regex: 'sort=' } },
        { kind: 'reject', scope: 'domain:example.co.uk', pattern: { prefix: '/news/1' } },
        { kind: 'accept', pattern: { prefix: '/tag/keep/' } },
        { kind: 'accept', scope: 'domain:example2.com', pattern: { prefix: '/' } },
        { kind: 'www', scope: 'domain:example.com', to: 'without' },
        { kind: 'reject', pattern: { prefix: '/never' }, state: 'disabled' },
      ] as const;
      for (const rule of given) {
        crawl.setTime(START + below(1000));
        if (random() < 0.85) await rules.add(crawl, rule);
      }
      if (
        !(await crawl.tables.rules.read()).rules.some(({ kind, state }) => kind === 'relevant' && state === 'active')
      ) {
        await rules.add(crawl, given[0]);
      }
      const rows = new Map<string, Row>();
      for (let i = 0; i < 600; i += 1) {
        const url = `http://${HOSTS[below(HOSTS.length)]}${PATHS[below(PATHS.length)]}${below(40)}`;
        const status = STATUSES[below(STATUSES.length)]!;
        const isRelevant = random() < 0.7 ? random() < 0.3 : undefined;
        rows.set(rowKeyOf(url), {
          url,
          status,
          ...(status !== 'unfetched' && { fetchedAt: START + below(1000) }),
          ...(isRelevant !== undefined && { relevant: isRelevant }),
        });
      }
      await changeRows(
        crawl,
        Array.from(rows, ([key, { url: _, ...set }]) => ({ key, set: { dueAt: START, score: 1, ...set } })),
      );
      const report = await rules.report(crawl);
      const expected = naive(report, [...rows.values()]);
      expect(report).toMatchObject(expected);
      expect(report.domains).toEqual(expected.domains);
      expect(report.rules.length).toBeGreaterThan(3);
    },
  );

  test('counts what rules reject of links and pages, and stores the counts with the time unless it is interrupted', async () => {
    const A = 'http://a.example';
    const web = fakeWeb({
      [`${A}/`]: links('/tag/1', '/tag/2', '/tag/keep/1', '/2020/x'),
      [`${A}/2020/x`]: links('/tag/3', '/tag/4'),
    });
    crawl = await testCrawl(web);
    await rules.add(crawl, [
      { kind: 'reject', pattern: { prefix: '/tag/' } },
      { kind: 'accept', pattern: { prefix: '/tag/keep/' } },
      { kind: 'relevant', pattern: { prefix: '/2020/' } },
    ]);
    await jobs.crawl(crawl, { seeds: [`${A}/`], rounds: 3 });
    expect(await rules.report(crawl, { signal: AbortSignal.abort() })).toMatchObject({ interrupted: true });
    expect((await rules.history(crawl)).size).toBe(0);
    const report = await rules.report(crawl);
    expect((await rules.list(crawl)).rules.map(({ id, counts }) => [id, counts])).toEqual(
      report.rules.map(({ rule, counts }) => [rule.id, { at: START, ...counts }]),
    );
    expect(report.rules.find(({ rule }) => rule.id === 'r1')).toMatchObject({
      counts: { refused: 0, relevant: 0, links: 4 },
    });
    expect(report.rules.find(({ rule }) => rule.id === 'r2')).toMatchObject({ passed: { rows: 1 } });
    expect(report).toMatchObject({ stale: 0, hasRelevant: true, all: { fetched: 2, relevant: 1, relevantFetched: 1 } });
    expect((await rules.history(crawl)).get('r3')).toEqual([{ at: START, refused: 0, relevant: 1, links: 0 }]);
  });

  test('reads each row once, writes nothing, and stops on an abort', async () => {
    const store = new MemoryStore();
    crawl = await testCrawl(undefined, { store });
    await jobs.inject(crawl, { seeds: Array.from({ length: 2500 }, (_, i) => `http://a.example/${i}`) });
    await rules.add(crawl, { kind: 'relevant', pattern: { prefix: '/1' } });
    const counting = countingStore(store);
    let now = START;
    const other = await testCrawl(undefined, {
      store: { ...counting, write: () => Promise.reject(new Error('expected no write')) },
      clock: () => (now += 1000),
    });
    expect((await reportRules(other)).all).toMatchObject({ rows: 2500, relevant: 1111, relevantWaiting: 1111 });
    expect(counting.rowsRead['webpage']).toBe(2500);
    const stop = new AbortController();
    const onProgress = (): void => stop.abort();
    const stopped = await reportRules(other, { signal: stop.signal, onProgress });
    expect(stopped.interrupted).toBe(true);
    expect(stopped.all.rows).toBeLessThan(2500);
  });

  test('states what is known of the pages of a table without rules', async () => {
    crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: ['http://a.example/'] });
    expect(await rules.report(crawl)).toMatchObject({
      hasRelevant: false,
      rules: [],
      stale: 0,
      all: { rows: 1, relevant: 0 },
      domains: [{ domain: 'a.example', rows: 1 }],
    });
  });

  test('keeps the domains with the most fetched pages, however many there are', () => {
    const worth = createDomainWorth();
    const total = 3 * MAX_DOMAINS + 7;
    const keys = Array.from({ length: total }, (_, i) => rowKeyOf(`http://d${i}.com/`)).sort();
    const fetchedOf = (key: string): number => (Number(/d(\d+)/.exec(key)![1]) * 7919) % total;
    const row = { isRelevant: false, isRejected: false, status: 'fetched' } as const;
    for (const key of keys) {
      const host = new URL(urlOf(key)).hostname;
      for (let i = 0; i < Math.ceil(fetchedOf(key) / 50); i += 1) worth.add(key, host, { ...row, isFetched: true });
      worth.add(key, host, { ...row, isFetched: false });
    }
    const { domains, others, number } = worth.end();
    expect(number).toBe(total);
    expect(domains).toHaveLength(MAX_DOMAINS);
    const all = keys.map((key) => Math.ceil(fetchedOf(key) / 50)).sort((a, b) => b - a);
    expect(domains.map(({ fetched }) => fetched)).toEqual(all.slice(0, MAX_DOMAINS));
    expect(others.fetched).toBe(all.slice(MAX_DOMAINS).reduce((sum, n) => sum + n, 0));
  });
});
