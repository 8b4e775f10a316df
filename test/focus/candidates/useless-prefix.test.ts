import { expect, test } from 'vitest';
import { uselessPrefixes } from '../../../packages/focus/candidates/useless-prefix.js';
import { articles, findIn, patternsOf, type GivenRow } from '../../support/focus/finder-rows.js';

const SITE = 'http://www.example.com';
const find = (...rows: readonly (readonly GivenRow[])[]) => findIn([uselessPrefixes], rows.flat());
const pages = (prefix: string, count: number): GivenRow[] =>
  Array.from({ length: count }, (_, i) => ({ url: `${prefix}${i}`, signature: `${prefix} ${i}` }));

test('of very many sections those with the most rows are found', () => {
  const sections = Array.from({ length: 450 }, (_, i) => pages(`${SITE}/s${(i * 7) % 450}/`, 45 + ((i * 7) % 450)));
  const found = find(articles(SITE), ...sections);
  expect(found.map(({ rows }) => rows)).toEqual(Array.from({ length: 100 }, (_, i) => 494 - i));
});

test('nested sections are one candidate, the outermost without relevant pages', () => {
  const found = find(articles(SITE), pages(`${SITE}/tag/a/`, 50), pages(`${SITE}/tag/b/`, 50), pages(`${SITE}/x/`, 60));
  expect(patternsOf(found)).toEqual([{ prefix: '/tag/' }, { prefix: '/x/' }]);
  const kept = [{ url: `${SITE}/tag/c/story`, relevant: true }];
  expect(patternsOf(find(articles(SITE), pages(`${SITE}/tag/a/`, 50), pages(`${SITE}/tag/b/`, 51), kept))).toEqual([
    { prefix: '/tag/b/' },
    { prefix: '/tag/a/' },
  ]);
});

test('sections are found as deep as the statistics by prefix go', () => {
  const folder = (depth: number): string => `${SITE}/${'a/'.repeat(depth)}`;
  const at = (depth: number) =>
    find(articles(SITE), [{ url: `${folder(depth)}story`, relevant: true }], pages(`${folder(depth)}b/`, 60));
  expect(patternsOf(at(15))).toEqual([{ prefix: `/${'a/'.repeat(15)}b/` }]);
  expect(at(16)).toEqual([]);
  expect(patternsOf(find(articles(SITE), pages(folder(900), 60)))).toEqual([{ prefix: '/a/' }]);
});

test('a host with several ports or schemes may have one that is useless; for other hosts a prefix covers all of them', () => {
  const found = find(
    articles('http://a.example.com'),
    pages('http://a.example.com:8080/tag/', 60),
    pages('https://a.example.com/tag/', 61),
    pages('http://b.example.com/tag/', 62),
    pages('http://c.example.com/tag/', 63),
    [{ url: 'http://c.example.com/', relevant: true }],
  );
  expect(
    found.map(({ rule }) => [rule.scope, rule.kind !== 'www' && 'prefix' in rule.pattern && rule.pattern.prefix]),
  ).toEqual([
    ['host:c.example.com', '/tag/'],
    ['host:b.example.com', '/'],
    ['host:a.example.com', 'https://a.example.com/'],
    ['host:a.example.com', 'http://a.example.com:8080/'],
  ]);
});
