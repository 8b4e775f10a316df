import { describe, expect, test } from 'vitest';
import { duplicateSections } from '../../../packages/focus/candidates/duplicate-sections.js';
import { cutBy, findIn, patternsOf, type GivenRow } from '../../support/focus/finder-rows.js';

const SITE = 'http://www.example.com';
const find = (rows: readonly GivenRow[]) => findIn([duplicateSections], rows, { hasRelevant: false });
/** Pages in folders, each with its own content. */
const section = (prefix: string, { count = 60, site = SITE, end = '', relevant = false } = {}): GivenRow[] =>
  Array.from({ length: count }, (_, i) => ({
    url: `${site}${prefix}${'abc'[i % 3]}/page-${i}${end}`,
    signature: `document ${i}`,
    relevant,
  }));

describe('duplicate sections', () => {
  test('print versions of relevant pages are rejected', () => {
    const rows = [...section('/', { relevant: true }), ...section('/print/'), { url: `${SITE}/print/x` }];
    const found = find(rows);
    expect(patternsOf(found)).toEqual([{ prefix: '/print/' }]);
    expect(found).toMatchObject([
      {
        reason: 'duplicate_section',
        rows: 61,
        evidence: { section: '/print/', sameAs: '/', compared: 60, alike: 60, documents: 60 },
      },
    ]);
    expect(cutBy(found, rows)).toHaveLength(61);
  });

  test('of two sections the larger one stays, or else the one with the shorter name; a section that must be kept always stays', () => {
    const both = (first: GivenRow[], second: GivenRow[]) => patternsOf(find([...first, ...second]));
    expect(both(section('/docs/'), section('/mirror/', { count: 62 }))).toEqual([{ prefix: '/docs/' }]);
    expect(both(section('/docs/'), section('/mirror/'))).toEqual([{ prefix: '/mirror/' }]);
    expect(both(section('/docs/'), section('/mirror/', { relevant: true }))).toEqual([{ prefix: '/docs/' }]);
    expect(both(section('/docs/', { relevant: true }), section('/mirror/', { relevant: true }))).toEqual([]);
  });

  test('of three sections one stays', () => {
    const rows = [...section('/one/'), ...section('/three/'), ...section('/mirrors/two/')];
    const found = find(rows);
    expect(cutBy(found, rows)).toHaveLength(120);
    expect(cutBy(found, section('/one/'))).toEqual([]);
  });

  test('a segment at the end or in any other place is rejected wherever it is', () => {
    for (const end of ['/amp', '/amp/']) {
      const rows = [...section('/', { relevant: true }), ...section('/', { end })];
      const found = find(rows);
      expect(patternsOf(found)).toEqual([{ regex: '^https?://[^/]+/(?:[^?]*/)?amp(?:[/?]|$)' }]);
      expect(cutBy(found, rows)).toHaveLength(60);
      expect(cutBy(found, [{ url: `${SITE}/a/ramp` }, { url: `${SITE}/a/?x=/amp` }, { url: `${SITE}/amps/` }])).toEqual(
        [],
      );
      expect(find([...rows, { url: `${SITE}/x/amp/y`, relevant: true }])).toEqual([]);
    }
  });

  test('mirrors on another host are rejected; hosts that differ only by www are not', () => {
    const mirror = 'http://m.example.com';
    const found = find([...section('/', { relevant: true }), ...section('/', { site: mirror })]);
    expect(found).toMatchObject([
      { rule: { scope: 'host:m.example.com', pattern: { prefix: '/' } }, evidence: { sameAs: 'www.example.com/' } },
    ]);
    expect(find([...section('/', { relevant: true }), ...section('/', { site: 'http://example.com' })])).toEqual([]);
  });

  test('sections that share only some pages, few pages, or one empty page stay', () => {
    const translated = section('/fr/').map((row, i) =>
      i % 10 === 0 ? { ...row, signature: `en français ${i}` } : row,
    );
    expect(find([...section('/en/'), ...translated])).toEqual([]);
    expect(find([...section('/a/', { count: 15 }), ...section('/b/', { count: 15 })])).toEqual([]);
    const empty = [...section('/a/'), ...section('/b/')].map((row) => ({ ...row, signature: 'empty' }));
    expect(find(empty)).toEqual([]);
    const few = [...section('/a/'), ...section('/b/')].map((row, i) => ({ ...row, signature: `few ${i % 20}` }));
    expect(find(few)).toEqual([]);
  });

  test('duplicates found by dedup count', () => {
    const rows = [
      ...section('/', { relevant: true }),
      ...section('/print/').map((row) => ({
        ...row,
        signature: `printed ${row.signature}`,
        duplicateOf: row.url.replace('/print/', '/'),
      })),
    ];
    expect(patternsOf(find(rows))).toEqual([{ prefix: '/print/' }]);
  });
});
