import { expect, test } from 'vitest';
import { FINDERS } from '../../../packages/focus/candidates/finders.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { findIn, type GivenRow } from '../../support/focus/finder-rows.js';

const each = <T, U>(all: readonly T[], map: (one: T) => readonly U[]): U[] => all.flatMap(map);
const some = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const page = (url: string): GivenRow => ({ url, signature: `what is at ${url}` });

const SITES: Readonly<Record<string, GivenRow[]>> = {
  'manual pages in languages, releases and packages': each(['bookworm', 'trixie', 'sid'], (release) =>
    each(some(60), (i) =>
      each(['', '.de', '.fr', '.ja'], (language) => [
        page(`https://manpages.example.org/${release}/package-${i % 20}/command-${i}.${1 + (i % 8)}${language}.html`),
        page(`https://manpages.example.org/${release}/package-${i % 20}/command-${i}.${1 + (i % 8)}${language}.gz`),
      ]),
    ).concat(some(20).map((i) => page(`https://manpages.example.org/${release}/package-${i}/index.html`))),
  ),
  'documentation of modules in languages, with downloads': [
    ...each(['en', 'ru', 'cn', 'he', 'it', 'ja', 'tr'], (language) =>
      each(some(80), (i) => [
        page(`http://modules.example.org/${language}/docs/http/module_${'abcdefgh'[i % 8]}${i}_module.html`),
        page(`http://modules.example.org/${language}/docs/topic_${'abcdefgh'[i % 8]}.html`),
      ]),
    ),
    ...some(200).map((i) => page(`http://modules.example.org/download/server-1.${Math.floor(i / 8)}.${i % 8}.tar.gz`)),
    page('http://modules.example.org/'),
  ],
  'a manual in versions': each(['8.4', '9.6', '15', '16', '17'], (version) =>
    some(150).map((i) => page(`https://www.example.org/docs/${version}/sql-${'abcdefgh'[i % 8]}command${i}.html`)),
  ),
  'articles by day, with lists of some pages': [
    ...some(400).map((i) =>
      page(`https://www.example.org/${2015 + (i % 10)}/${1 + (i % 12)}/${1 + (i % 28)}/article-${i}`),
    ),
    ...each(['politics', 'sports', 'culture'], (topic) =>
      some(8).map((i) => page(`https://www.example.org/${topic}/?page=${i}`)),
    ),
    ...some(30).map((i) => page(`https://www.example.org/people/name-${'abcdefghijklmnopqrstuvwxyzäöü'[i]}`)),
  ],
};

test.each(Object.keys(SITES))('finds nothing to reject on %s', (name) => {
  const rows = SITES[name]!;
  // No rule says which pages are relevant.
  expect(findIn(FINDERS, rows, { hasRelevant: false })).toEqual([]);
  // All pages are relevant.
  expect(
    findIn(
      FINDERS,
      rows.map((row) => ({ ...row, relevant: true })),
    ),
  ).toEqual([]);
  // A random half of the pages is relevant.
  const random = randomNumbers(1);
  expect(
    findIn(
      FINDERS,
      rows.map((row) => ({ ...row, relevant: random() < 0.5 })),
    ),
  ).toEqual([]);
});
