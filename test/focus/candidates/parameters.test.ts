import { describe, expect, test } from 'vitest';
import { uselessParameters } from '../../../packages/focus/candidates/parameters.js';
import { looksLikeId } from '../../../packages/url/index.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { articles, cutBy, findIn, patternsOf, type GivenRow } from '../../support/focus/finder-rows.js';

const SITE = 'http://shop.example.com';
const find = (rows: readonly GivenRow[], options?: Parameters<typeof findIn>[2]) =>
  findIn([uselessParameters], rows, options);
const cut = (name: string) => ({ regex: `^[^?]*\\?(?:.*[&;])?${name}(?:[=&;]|$)` });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Lists in several orders; a page in another order is the same document if `isSame`, or another one. */
const sorted = (lists: number, orders: readonly string[], isSame: boolean): GivenRow[] =>
  numbers(lists).flatMap((i) => [
    { url: `${SITE}/list/${'abcdefghij'[i % 10]}${i}`, signature: `list ${i}` },
    ...orders.map((order) => ({
      url: `${SITE}/list/${'abcdefghij'[i % 10]}${i}?sort=${order}`,
      signature: isSame ? `list ${i}` : `list ${i} ${order}`,
    })),
  ]);

describe('facets', () => {
  test('that show the same documents are rejected, whatever is relevant', () => {
    const rows = sorted(30, ['up', 'down'], true);
    for (const hasRelevant of [true, false]) {
      const found = find(rows, { hasRelevant });
      expect(found).toMatchObject([
        {
          reason: 'facet',
          rows: 60,
          isOfCopies: true,
          rule: { kind: 'reject', scope: 'host:shop.example.com', origin: 'generated' },
          evidence: { parameter: 'sort', rows: 60, compared: 60, alike: 60, knownWithout: 1, values: 2, paths: 30 },
        },
      ]);
      expect(patternsOf(found)).toEqual([cut('sort')]);
      expect(found[0]!.evidence['examples']).toHaveLength(3);
      expect(cutBy(found, rows)).toHaveLength(60);
    }
  });

  test('that show the same documents stay if many of them are known only with the parameter', () => {
    const rows = sorted(30, ['up', 'down'], true);
    const alone = rows.filter(({ url }) => url.includes('?') || !/[abc]\d*$/.test(url));
    expect(find(alone, { hasRelevant: false })).toEqual([]);
  });

  test('that show other documents are rejected if none of them is relevant and enough other pages are', () => {
    const rows = sorted(20, ['up', 'down', 'new', 'old'], false);
    expect(find(rows)).toEqual([]);
    expect(find([...rows, ...articles(SITE, 29)])).toEqual([]);
    const found = find([...rows, ...articles(SITE)]);
    expect(patternsOf(found)).toEqual([cut('sort')]);
    expect(found[0]!.evidence).toMatchObject({ relevant: 0, domainRelevant: 40, alike: 0, compared: 80 });
    expect(find([...rows, ...articles(SITE)], { hasRelevant: false })).toEqual([]);
  });

  test('with a page that must be kept are not rejected', () => {
    const rows = [...sorted(20, ['up', 'down', 'new', 'old'], true), ...articles(SITE)];
    expect(find(rows)).toHaveLength(1);
    expect(find([...rows, { url: `${SITE}/zz?a=b;sort=1`, relevant: true }])).toEqual([]);
    expect(find([...rows, { url: `${SITE}/?sort`, isKept: true }])).toEqual([]);
    expect(find([...rows, { url: `${SITE}/?sort%5B%5D=1&xsort=2&a=?sort=3`, relevant: true }])).toHaveLength(1);
  });

  test('are not decided on before enough pages were fetched', () => {
    const rows = sorted(20, ['up', 'down', 'new', 'old'], false).map(({ url, ...row }, i) =>
      i < 15 ? { url, ...row } : { url },
    );
    expect(find([...rows, ...articles(SITE)])).toEqual([]);
  });

  test('in brackets are one parameter', () => {
    const rows = numbers(80).map((i) => ({ url: `${SITE}/list?f%5B${i % 7}%5D=v${i}`, signature: `${i}` }));
    const found = find([...rows, ...articles(SITE)]);
    expect(found).toMatchObject([{ evidence: { parameter: 'f[…]' }, rows: 80 }]);
    expect(cutBy(found, rows)).toHaveLength(80);
    expect(cutBy(found, [{ url: `${SITE}/list?f=1` }, { url: `${SITE}/list?off%5B0%5D=1` }])).toEqual([]);
  });

  test('are rejected for near copies if dedup found them', () => {
    const rows = sorted(30, ['up', 'down'], false).map((row) => ({
      ...row,
      ...(row.url.includes('?') && { duplicateOf: row.url.slice(0, row.url.indexOf('?')) }),
    }));
    expect(find(rows, { hasRelevant: false })).toMatchObject([{ evidence: { compared: 60, alike: 60 } }]);
  });
});

describe('session ids', () => {
  const random = randomNumbers(7);
  const id = (): string =>
    Array.from({ length: 26 }, () => '0123456789abcdefghijklmnopqrstuvwxyz'[Math.floor(random() * 36)]).join('');
  /** Every page with the ids of several visits. */
  const visited = (pages: number, visits: number, spell: (page: number, session: string) => string): GivenRow[] => {
    const sessions = numbers(visits).map(id);
    return numbers(pages).flatMap((page) =>
      sessions.map((each) => ({ url: SITE + spell(page, each), signature: `page ${page}` })),
    );
  };
  const bare = (pages: number): GivenRow[] =>
    numbers(pages).map((i) => ({ url: `${SITE}/p${i}.html`, signature: `page ${i}` }));

  test('are recognised by their values, and by equal pages under different values', () => {
    expect(['a1b2c3d4e5f6', '8c0ad6d2b1f94e5f', '550e8400-e29b-41d4-a716-446655440000'].map(looksLikeId)).toEqual([
      true,
      true,
      true,
    ]);
    const others = [
      '',
      'abcdefghijklmno',
      '20261122201532',
      'top-10-things-of-2026',
      'price-asc',
      'a1b2',
      `a1b2c3d4e5/../x`,
    ];
    expect(others.map(looksLikeId)).toEqual(others.map(() => false));
    const rows = [...visited(30, 4, (page, session) => `/p${page}.html?visit=${session}`), ...bare(30)];
    const found = find(rows, { hasRelevant: false });
    expect(found).toMatchObject([
      {
        reason: 'session',
        rows: 120,
        evidence: { valuesLikeIds: 1, urlsWithoutId: 30, knownWithout: 1, onlyWithId: 0 },
      },
    ]);
    expect(cutBy(found, rows)).toHaveLength(120);
  });

  test('are found in the path too', () => {
    const rows = [
      ...visited(30, 3, (page, session) => `/p${page}.html;key=${session}?x=1`),
      ...bare(30),
      ...articles(SITE),
    ];
    const found = find(rows);
    expect(found).toMatchObject([{ reason: 'session', evidence: { parameter: ';key', onlyWithId: 90, relevant: 0 } }]);
    expect(cutBy(found, rows)).toHaveLength(90);
  });

  test('are not rejected if pages are only reached with an id, unless none of them is relevant; their number is stated', () => {
    const rows = visited(30, 4, (page, session) => `/p${page}.html?visit=${session}`);
    expect(find(rows, { hasRelevant: false })).toEqual([]);
    expect(find([...rows, ...bare(15)], { hasRelevant: false })).toEqual([]);
    expect(find([...rows, ...bare(15), ...articles(SITE)])).toMatchObject([
      { reason: 'session', isOfCopies: false, evidence: { knownWithout: 0.5, onlyWithId: 60 } },
    ]);
    expect(find([...rows, { url: `${SITE}/q?visit=1`, relevant: true }, ...articles(SITE)])).toEqual([]);
  });

  test('are not confused with ids of things', () => {
    const rows = numbers(200).map((i) => ({ url: `${SITE}/item?thing=${id()}`, signature: `thing ${i}` }));
    expect(find([...rows, { url: `${SITE}/item`, signature: 'none' }], { hasRelevant: false })).toEqual([]);
    expect(find([...rows, ...articles(SITE)]).map(({ reason }) => reason)).toEqual(['facet']);
  });
});

describe('numbers in parameters', () => {
  test('without end are rejected if no page is relevant', () => {
    const rows = numbers(100).map((i) => ({
      url: `${SITE}/all?page=${i}&x`,
      ...(i < 25 && { signature: `page ${i}` }),
    }));
    const found = find([...rows, ...articles(SITE)]);
    expect(found.map(({ reason }) => reason)).toEqual(['calendar', 'facet']);
    expect(patternsOf(found)[0]).toEqual(cut('page'));
    expect(
      find([...rows, ...articles(SITE), { url: `${SITE}/all?page=7`, relevant: true }]).map(({ reason }) => reason),
    ).toEqual(['facet']);
  });

  test('include dates', () => {
    const rows = numbers(100).map((i) => ({
      url: `${SITE}/cal?day=20${10 + (i % 30)}-0${1 + (i % 9)}-1${i % 10}`,
      signature: `${i}`,
    }));
    expect(find([...rows, ...articles(SITE)])).toMatchObject([{ reason: 'calendar', evidence: { parameter: 'day' } }]);
  });
});
