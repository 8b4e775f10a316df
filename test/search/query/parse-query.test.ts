import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MAX_QUERY_LENGTH,
  parseQuery,
  type ParsedQuery,
  startOfDate,
} from '../../../packages/search/query/parse-query.js';
import { queryText } from '../../../packages/search/query/query-text.js';

const empty = { parts: [], operators: [], sites: [], notSites: [], languages: [], notLanguages: [], notices: [] };
const word = (text: string, more = {}) => ({ text, isPhrase: false, isExcluded: false, ...more });
const domain = (reversed: string) => [
  { start: `${reversed}.`, end: `${reversed}/` },
  { start: `${reversed}:`, end: `${reversed};` },
];

describe('a query', () => {
  test.each([
    ['', {}],
    ['  \u3000\t', {}],
    ['crawler  engine', { parts: [word('crawler'), word('engine')] }],
    ['"link graph" rank', { parts: [word('link graph', { isPhrase: true }), word('rank')] }],
    ['\u201clink graph\u201d', { parts: [word('link graph', { isPhrase: true })] }],
    ['\u300c検索 エンジン\u300d', { parts: [word('検索 エンジン', { isPhrase: true })] }],
    ['a"b c"d', { parts: [word('a'), word('b c', { isPhrase: true }), word('d')] }],
    [
      '-draft -"not this"',
      { parts: [word('draft', { isExcluded: true }), word('not this', { isPhrase: true, isExcluded: true })] },
    ],
    ['intitle:guide INURL:docs', { parts: [word('guide', { field: 'title' }), word('docs', { field: 'url' })] }],
    ['-intitle:"old news"', { parts: [word('old news', { isPhrase: true, isExcluded: true, field: 'title' })] }],
    ['site:example.com', { sites: domain('com.example') }],
    ['site：example.com', { sites: domain('com.example') }],
    ['site:.Example.COM/', { sites: domain('com.example') }],
    ['-site:example.com', { notSites: domain('com.example') }],
    ['site:https://example.com/docs', { sites: [{ start: 'com.example:https/docs', end: 'com.example:https/doct' }] }],
    [
      'site:example.com/docs',
      {
        sites: [
          { start: 'com.example:http/docs', end: 'com.example:http/doct' },
          { start: 'com.example:https/docs', end: 'com.example:https/doct' },
        ],
      },
    ],
    ['lang:zh lang:zh-CN lang:EN -lang:de', { languages: ['zh', 'en'], notLanguages: ['de'] }],
    ['after:2025 before:2025-07', { from: Date.UTC(2025, 0), to: Date.UTC(2025, 6) }],
    ['after:2025 after:2024', { from: Date.UTC(2025, 0) }],
    ['http://example.com/a unknown:word', { parts: [word('http://example.com/a'), word('unknown:word')] }],
    ['- -- a-b', { parts: [word('-'), word('--'), word('a-b')] }],
    ['a\u0000b\u202ec', { parts: [word('a'), word('b'), word('c')] }],
  ])('is read: %j', (query, expected) => {
    const { operators, ...read } = parseQuery(query);
    expect({ ...read, operators: [] }).toEqual({ ...empty, ...expected });
    expect(operators.length > 0).toBe(/(site|lang|after|before)[:\uff1a]/i.test(query));
  });

  test.each([
    ['site:', 'too_many_sites', ({ sites }: ParsedQuery) => sites.length / 2],
    ['-site:', 'too_many_sites', ({ notSites }: ParsedQuery) => notSites.length / 2],
    ['lang:', 'too_many_languages', ({ languages }: ParsedQuery) => languages.length],
  ])('has at most 32 %s', (name, code, count) => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const query = Array.from({ length: 505 }, (_, i) => `${name}${letters[Math.floor(i / 26)]!}${letters[i % 26]!}`);
    const parsed = parseQuery(`x ${query.join(' ')}`);
    expect(count(parsed)).toBe(32);
    expect(parsed.notices).toEqual([{ code, count: 505 - 32 }]);
  });

  test.each([
    ['site:', 'operator_without_value', 'site:'],
    ['intitle: x', 'operator_without_value', 'intitle:'],
    ['intitle:""', 'operator_without_value', 'intitle:'],
    ['site:?', 'bad_site', '?'],
    ['site:ftp://a/', 'bad_site', 'ftp://a/'],
    ['lang:中文', 'bad_language', '中文'],
    ['after:yesterday', 'bad_date', 'yesterday'],
    ['-after:2025', 'bad_date', '2025'],
    ['before:2025-02-30', 'bad_date', '2025-02-30'],
    ['one "two three', 'unclosed_quote', '"two three'],
  ])('%j has the notice %s of %j', (query, code, text) => {
    expect(parseQuery(query).notices).toEqual([{ code, text }]);
  });

  test('may have a quote that is not closed, which ends with it', () => {
    expect(parseQuery('one "two three').parts).toEqual([word('one'), word('two three', { isPhrase: true })]);
  });

  test('counts the part beyond the maximum length', () => {
    const { notices, parts } = parseQuery('a '.repeat(MAX_QUERY_LENGTH));
    expect(notices).toEqual([{ code: 'query_too_long', count: MAX_QUERY_LENGTH }]);
    expect(parts).toHaveLength(MAX_QUERY_LENGTH / 2);
  });

  test('has notices for unreadable parts, up to a limit', () => {
    const { notices } = parseQuery(Array.from({ length: 5000 }, (_, i) => `after:x${i} lang: `).join(''));
    expect(notices).toHaveLength(11);
    expect(notices.at(-1)).toEqual({ code: 'more_notices', count: 9990 });
  });

  test('may have dates', () => {
    expect(startOfDate('2024-2-29')).toBe(Date.UTC(2024, 1, 29));
    expect(startOfDate('0099')).toBe(new Date('0099-01-01T00:00:00Z').getTime());
    for (const none of ['', '24', '2025-13', '2025-00', '2023-02-29', '2025-1-1-1']) {
      expect(startOfDate(none), none).toBeUndefined();
    }
  });
});

describe('any text is a query', () => {
  const pieces = fc.constantFrom(
    ...[
      'site:',
      'inurl:',
      'intitle:',
      'lang:',
      'after:',
      'before:',
      '-',
      '"',
      '\u201c',
      '\u201d',
      '\u300c',
      ' ',
      ':',
      '*',
      '(',
    ],
    ...[
      ')',
      'AND',
      'OR',
      'NEAR',
      '\u0000',
      '\ud800',
      '南京市',
      'example.com',
      '2025',
      '2025-99-99',
      '[',
      '%',
      '../',
      '\u202e',
    ],
  );
  const query = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 40 }).map((parts) => parts.join('')),
  );

  test('that never throws, and gives clean parts', () => {
    fc.assert(
      fc.property(query, (text) => {
        const { parts, languages, sites, notices } = parseQuery(text);
        for (const part of parts) {
          expect(part.text.trim()).not.toBe('');
          expect(part.text).not.toMatch(/\p{Cc}|\p{Cs}/u);
        }
        for (const language of languages) expect(language).toMatch(/^[a-z]{2,}$/);
        for (const { start, end } of sites) expect(start < (end ?? '')).toBe(true);
        for (const notice of notices) expect(notice.text?.length ?? 0).toBeLessThanOrEqual(100);
      }),
      { seed: 11 },
    );
  });

  test('that can be typed again as it was read', () => {
    fc.assert(
      fc.property(query, (text) => {
        const { parts, operators } = parseQuery(text);
        const clean = parts.map((part) => ({
          ...part,
          text: part.text.replaceAll('"', ' ').replace(/\s+/g, ' ').trim(),
        }));
        const again = parseQuery(queryText({ parts, operators }));
        expect(again.parts).toEqual(clean.filter((part) => part.text !== ''));
        expect(again.operators.map(({ name }) => name)).toEqual(operators.map(({ name }) => name));
      }),
      { seed: 11 },
    );
  });

  test('that keeps plain words as they are, in their order', () => {
    const plain = fc.stringMatching(/^[a-z0-9一-龥]{1,8}$/);
    fc.assert(
      fc.property(fc.array(plain), fc.constantFrom(' ', '\u3000', '\n', '\t '), (words, blank) => {
        expect(parseQuery(words.join(blank))).toEqual({ ...empty, parts: words.map((each) => word(each)) });
      }),
      { seed: 11 },
    );
  });

  test('that loses no word: all letters of a query without operators are in its parts', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abc" -\u201c\u201d中') }), (text) => {
        const letters = (from: string) => from.replace(/[^abc中]/g, '');
        expect(
          letters(
            parseQuery(text)
              .parts.map((part) => part.text)
              .join(''),
          ),
        ).toBe(letters(text));
      }),
      { seed: 11 },
    );
  });

  test('that joins two queries to one with the parts of both', () => {
    const closed = fc.array(
      fc.constantFrom('a', '"b c"', '-d', 'intitle:e', 'site:example.com', 'after:2024', 'lang:', '-'),
    );
    fc.assert(
      fc.property(closed, closed, (first, second) => {
        const [one, two, both] = [first, second, [...first, ...second]].map((each) => parseQuery(each.join(' ')));
        expect(both?.parts).toEqual([...(one?.parts ?? []), ...(two?.parts ?? [])]);
        expect(both?.notices).toEqual([...(one?.notices ?? []), ...(two?.notices ?? [])]);
      }),
      { seed: 11 },
    );
  });
});
