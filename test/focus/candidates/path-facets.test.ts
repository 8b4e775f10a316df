import { expect, test } from 'vitest';
import { pathFacets } from '../../../packages/focus/candidates/path-facets.js';
import { articles, cutBy, findIn, patternsOf, type GivenRow } from '../../support/focus/finder-rows.js';

const SITE = 'http://shop.example.com';
const find = (rows: readonly GivenRow[]) => findIn([pathFacets], [...rows, ...articles(SITE)]);
const FILTERS = ['red', 'big', 'new', 'cheap', 'soft', 'round', 'warm', 'light', 'loud', 'old'];
const pages = (prefix: string, end = ''): GivenRow[] =>
  FILTERS.flatMap((one) => [
    { url: `${SITE}${prefix}${one}${end}`, signature: one },
    ...FILTERS.filter((other) => other !== one).map((other) => ({
      url: `${SITE}${prefix}${one}/${other}${end}`,
      signature: `${one} ${other}`,
    })),
  ]);

test('filters in the path, in any order, are rejected where two are combined', () => {
  for (const end of ['', '/']) {
    const rows = pages('/tag/', end);
    const found = find(rows);
    expect(patternsOf(found)).toEqual([{ regex: '^https?://[^/]+/tag/[^/?]+/[^/?]' }]);
    expect(found).toMatchObject([
      {
        reason: 'facet',
        rows: 90,
        evidence: { section: '/tag/…/…', permuted: 90, compared: 90, permutedShare: 1, relevant: 0 },
      },
    ]);
    expect(cutBy(found, rows)).toHaveLength(90);
    expect(
      cutBy(found, [{ url: `${SITE}/tag/red/?x/y` }, { url: `${SITE}/tag//red/x` }, { url: `${SITE}/x/tag/a/b` }]),
    ).toEqual([]);
  }
});

test('filters stay if a page must be kept or segments have fixed places', () => {
  expect(find([...pages('/tag/'), { url: `${SITE}/tag/a/b/c`, relevant: true }])).toEqual([]);
  expect(find(pages('/tag/').filter(({ url }) => /\/(red|big)$/.test(url)))).toEqual([]);
  const days = Array.from({ length: 144 }, (_, i) => `${SITE}/on/${1 + (i % 12)}/${1 + Math.floor(i / 12)}`);
  expect(find(days.map((url) => ({ url, signature: url })))).toEqual([]);
  const slashes = FILTERS.flatMap((one) =>
    FILTERS.flatMap((other) => ['', '/'].map((end) => `${SITE}/in/${one}-1/${other}-2${end}`)),
  );
  expect(find(slashes.map((url) => ({ url, signature: url })))).toEqual([]);
});
