import { expect, test } from 'vitest';
import { rowKeyOf } from '../../../webtable/index.js';
import { hitSites } from '../../../packages/search/results/hit-sites.js';

test.each([
  ['none', [], []],
  ['one page', ['https://a.example/docs/x'], []],
  [
    'hosts, each with the hosts below it',
    ['https://example.com/', 'https://blog.example.com/x', 'http://blog.example.com/y', 'https://a.test:8443/'],
    [
      ['example.com', 3],
      ['blog.example.com', 2],
      ['a.test:8443', 1],
    ],
  ],
  [
    'the folders in which paths of one host first differ',
    [
      'https://a.test/',
      'https://a.test/v1/',
      'https://a.test/v1/lib/x',
      'https://a.test/v1/lib/y',
      'https://a.test/v1/how%20to/z/',
    ],
    [
      ['a.test/v1/lib', 2],
      ['a.test/v1/how%20to', 1],
    ],
  ],
  [
    'folders with those whose names begin alike, as site: finds them',
    ['https://a.test/doc/x', 'https://a.test/docs/y'],
    [
      ['a.test/doc', 2],
      ['a.test/docs', 1],
    ],
  ],
])('the sites of hits are %s', (_, urls, expected) => {
  expect(hitSites(urls.map(rowKeyOf)).map(({ site, hits }) => [site, hits])).toEqual(expected);
});

test('at most 30 sites are listed', () => {
  const keys = Array.from({ length: 100 }, (_, i) => rowKeyOf(`https://host${i}.test/`));
  expect(hitSites(keys)).toHaveLength(30);
});
