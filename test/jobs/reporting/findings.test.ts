import { describe, expect, it } from 'vitest';
import { jobs } from '../../../packages/webcrawl/internal.js';
import { createFindings } from '../../../packages/jobs/reporting/findings.js';
import { testCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

const report = (findings: ReturnType<typeof createFindings>) => {
  const counters: Record<string, number> = {};
  const found = findings.report((name, n = 1) => void (counters[name] = n));
  return { ...found, counters };
};

describe('the section that holds most pages of a run', () => {
  const fetchAll = (count: number, urlOf: (i: number) => string, findings = createFindings()) => {
    for (let i = 0; i < count; i++) findings.fetched(urlOf(i), false);
    return findings;
  };

  it('is reported from four fifths of 200 pages on, by the first segment of the path', () => {
    const calendar = (i: number): string => `http://a.example/cal${i % 2 ? `?m=${i}` : `/day?d=${i}`}`;
    const findings = fetchAll(160, calendar);
    fetchAll(39, (i) => `http://a.example/p${i}`, findings);
    expect(report(findings)).toEqual({ counters: {} });
    findings.fetched('http://a.example/', false);
    expect(findings.largeSection()).toEqual({ prefix: 'http://a.example/cal', pages: 160, of: 200 });
    findings.fetched('http://a.example/', false);
    expect(findings.largeSection()).toBeUndefined();
  });

  it('is not reported if a seed is in it, because it was asked for', () => {
    const findings = fetchAll(300, (i) => `http://a.example/docs/${i}`);
    expect(findings.largeSection()).toBeDefined();
    findings.fetched('http://a.example/docs/', true);
    expect(findings.largeSection()).toBeUndefined();
  });

  it('is not reported if it has a seed that an earlier run has fetched', async () => {
    const pages = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`http://a.example/docs/${i}`, '']));
    const seed = 'http://a.example/docs/';
    await using crawl = await testCrawl(fakeWeb({ ...pages, [seed]: links(...Object.keys(pages)) }));
    await jobs.crawl(crawl, { seeds: [seed], rounds: 1 });
    const { counters, largeSection } = await jobs.crawl(crawl, { seeds: [seed] });
    expect([counters.fetched, largeSection]).toEqual([250, undefined]);
  });

  it('is found among any number of others', () => {
    const findings = fetchAll(20_000, (i) =>
      i % 10 === 0 ? `http://a.example/other${i}/x` : `http://a.example/cal/${i}`,
    );
    const { prefix, pages } = findings.largeSection()!;
    expect(prefix).toBe('http://a.example/cal');
    // It counts at least this number.
    expect(pages).toBeLessThanOrEqual(18_000);
    expect(pages).toBeGreaterThan(17_500);
  });
});

describe('session ids', () => {
  const id = (i: number): string => `a1b2${String(i).padStart(8, '0')}c3d4`;
  const SITE = 'http://a.example';

  /** What is found after a seed and this number of pages. */
  const foundAfter = (count: number, urlOf: (i: number) => string) => {
    const findings = createFindings();
    findings.fetched(`${SITE}/`, true);
    for (let i = 0; i < count; i++) findings.fetched(urlOf(i), false);
    return findings.largeSection();
  };

  it('are named with the number of pages without them', () => {
    expect(foundAfter(299, (i) => `${SITE}/doc${i % 6}?page=2&sid=${id(i)}`)).toEqual({
      prefix: SITE,
      pages: 299,
      of: 300,
      sessionIds: { parameters: ['sid'], addresses: 6 },
    });
  });

  it('are found in several parameters, and in the path', () => {
    const parts = [`?sid=${id(0)}`, `?utm_source=x&utm_medium=${id(0)}`, `;s=${id(0)}?a=1`];
    const found = foundAfter(299, (i) => `${SITE}/doc${i % 5}${parts[i % 3]!.replace(id(0), id(i))}`);
    expect(found?.sessionIds).toEqual({ parameters: ['sid', 'utm_medium', 's'], addresses: 15 });
  });

  it.each<[string, (i: number) => string]>([
    ['values that are numbers', (i) => `/doc${i % 6}?page=${i}`],
    ['values that are words', (i) => `/doc${i % 6}?q=word${i}`],
    ['ids of things, which occur at few addresses', (i) => `/${i % 2 ? 'item' : 'review'}?id=${id(i)}`],
    ['a page for each id', (i) => `/doc${i}?sid=${id(i)}`],
    ['pages of which too few have an id', (i) => `/doc${i % 6}${i % 3 ? `?sid=${id(i)}` : `/${i}`}`],
  ])('are not %s', (_, pathOf) => {
    expect(foundAfter(299, (i) => SITE + pathOf(i))?.sessionIds).toBeUndefined();
  });

  it('are not reported for more addresses than are remembered', () => {
    expect(foundAfter(15_000, (i) => `${SITE}/doc${i}?sid=${id(i)}`)).toBeUndefined();
    expect(foundAfter(150_000, (i) => `${SITE}/doc${i % 11_000}?sid=${id(i)}`)).toBeUndefined();
  });
});

it('names the ten origins with the most pages, and counts all', () => {
  const findings = createFindings();
  for (let i = 0; i < 12; i++) {
    for (let n = 0; n <= i; n++) findings.noAnswer(`http://a.example:${8000 + i}/${n}`, 'connect_failed');
  }
  const { failedOrigins, counters } = report(findings);
  expect(counters).toEqual({ origins_failed: 12 });
  expect(failedOrigins).toHaveLength(10);
  expect(failedOrigins![0]).toEqual({ origin: 'http://a.example:8011', code: 'connect_failed', pages: 12 });
});
