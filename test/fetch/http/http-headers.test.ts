import { describe, expect, it } from 'vitest';
import {
  allValues,
  firstValue,
  httpDate,
  isChallenge,
  isHeaderValue,
  joinedHeaders,
  redirectTarget,
  retryAfterSeconds,
} from '../../../packages/fetch/http/http-headers.js';

const NOW = Date.UTC(2025, 0, 1, 12, 0, 0);
const bytes = (...parts: (string | number)[]): string =>
  parts.map((part) => (typeof part === 'number' ? String.fromCharCode(part) : part)).join('');

describe('headers', () => {
  const headers = { a: '1', b: ['1', '2'] };
  it('returns one value, all values, or a record of all headers', () => {
    expect([firstValue(headers, 'b'), allValues(headers, 'b'), firstValue(headers, 'c')]).toEqual([
      '1',
      '1, 2',
      undefined,
    ]);
    expect(joinedHeaders(headers)).toEqual({ a: '1', b: '1, 2' });
    expect(joinedHeaders({ 'x-robots-tag': ['a: none', 'noindex'] })).toEqual({ 'x-robots-tag': 'a: none\nnoindex' });
  });

  it.each([
    ['text/html', 'text/html'],
    [['text/plain', 'text/html; charset=x'], 'text/html; charset=x'],
    [['text/html', 'text/html'], 'text/html'],
    [['text/html; charset=x', 'text/html'], 'text/html; charset=x'],
    [['text/html; charset=x', 'text/html; charset=y'], 'text/html; charset=y'],
    [['text/html; charset=x', 'text/plain'], 'text/plain'],
    [['text/html; charset=x', 'text/plain', 'text/html'], 'text/html'],
    [['text/html; charset=x', 'nonsense', 'Text/HTML;a=b'], 'Text/HTML;a=b; charset=x'],
    [['text/html', '*/*'], 'text/html'],
    [['text/html', ''], 'text/html'],
    ['text/plain; charset=x, text/html', 'text/html'],
    ['text/html;a="x,text/plain"', 'text/html;a="x,text/plain"'],
    ['text/html;a="x\\",text/plain"', 'text/html;a="x\\",text/plain"'],
    ['text/html;a="x,text/plain', 'text/html;a="x,text/plain'],
    [['nonsense', 'more'], 'nonsense, more'],
    ['nonsense', 'nonsense'],
  ])('content type of %j', (value, expected) => {
    expect(joinedHeaders({ 'content-type': value })).toEqual({ 'content-type': expected });
  });

  it('finds the content type in linear time', () => {
    const commas = ','.repeat(500_000);
    expect(joinedHeaders({ 'content-type': commas })).toEqual({ 'content-type': commas });
    const quotes = `,${'"\\"'.repeat(200_000)}`;
    expect(joinedHeaders({ 'content-type': quotes })).toEqual({ 'content-type': quotes });
  });

  it('ignores names of the prototype', () => {
    expect(firstValue({}, 'constructor')).toBeUndefined();
    const hostile = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    const joined = joinedHeaders(hostile);
    expect(Object.getPrototypeOf(joined)).toBe(Object.prototype);
    expect(Object.keys(joined)).toEqual(['__proto__']);
  });

  it.each([
    ['text/html', true],
    ['"é" \xff', true],
    ['a\r\nb: c', false],
    ['a\0', false],
    ['Ω', false],
  ])('knows which values a header can have: %j', (text, expected) => {
    expect(isHeaderValue(text)).toBe(expected);
  });
});

it.each([
  ['120', 120],
  [' 0 ', 0],
  ['Wed, 01 Jan 2025 12:01:00 GMT', 60],
  ['Wed, 01 Jan 2025 11:00:00 GMT', 0],
  ['Wednesday, 01-Jan-25 12:00:30 GMT', 30],
  ['99999999999999999999', 31_536_000],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 31_536_000],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['Wed, nonsense', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j', (header, expected) => {
  expect(retryAfterSeconds({ 'retry-after': header }, NOW)).toBe(expected);
});

it.each([
  ['Wed, 01 Jan 2025 12:00:10 GMT', 'Wed, 01 Jan 2025 12:00:00 GMT', 10],
  // The clock of the server is ahead, behind, or in another time zone.
  ['Wed, 01 Jan 2025 12:10:10 GMT', 'Wed, 01 Jan 2025 12:10:00 GMT', 10],
  ['Wed, 01 Jan 2025 11:00:10 GMT', 'Wed, 01 Jan 2025 11:00:00 GMT', 10],
  ['Thu, 02 Jan 2025 02:00:10 GMT', 'Thu, 02 Jan 2025 02:00:00 GMT', 10],
  ['Wed, 01 Jan 2025 11:59:59 GMT', 'Wed, 01 Jan 2025 12:00:00 GMT', 0],
  // The clock of the server is not set, or there is no date: our clock counts.
  ['Wed, 01 Jan 2025 12:00:10 GMT', 'Thu, 01 Jan 1970 00:00:07 GMT', 10],
  ['Wed, 01 Jan 2025 12:00:10 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 10],
  ['Wed, 01 Jan 2025 12:00:10 GMT', '1735732000', 10],
  ['Wed, 01 Jan 2025 12:00:10 GMT', '', 10],
  // Seconds need no clock.
  ['7', 'Wed, 01 Jan 2025 11:00:00 GMT', 7],
])('Retry-After %j in an answer of %j', (header, date, expected) => {
  expect(retryAfterSeconds({ 'retry-after': header, date }, NOW)).toBe(expected);
  expect(retryAfterSeconds({ 'retry-after': [header, '99'], date: [` ${date} `, 'x'] }, NOW)).toBe(expected);
});

it.each([
  ['/x', 'http://a.org/x'],
  ['x?y#z', 'http://a.org/b/x?y'],
  ['?q=1', 'http://a.org/b/c?q=1'],
  ['//other.org', 'http://other.org/'],
  ['HTTPS://Other.ORG:443/../x', 'https://other.org/x'],
  [' /x\t', 'http://a.org/x'],
  ['#top', 'http://a.org/b/c'],
  [bytes('/caf', 0xc3, 0xa9), 'http://a.org/caf%C3%A9'],
  [bytes('/citt', 0xc3, 0xa0), 'http://a.org/citt%C3%A0'],
  [bytes('/caf', 0xe9, '?', 0xe9), 'http://a.org/caf%E9?%E9'],
  [bytes('http://b', 0xc3, 0xbc, 'cher.example/'), 'http://xn--bcher-kva.example/'],
  [bytes('http://b', 0xfc, 'cher.example/'), null],
  ['http://[bad', null],
  ['http://', null],
  ['ftp://a.org/', null],
  ['javascript:alert(1)', null],
  ['http://user:secret@a.org/', null],
  ['', null],
  [undefined, null],
])('Location %j', (location, expected) => {
  expect(redirectTarget(location, new URL('http://a.org/b/c'))).toBe(expected);
});

it.each([
  [NOW, 'Wed, 01 Jan 2025 12:00:00 GMT'],
  [0, undefined],
  [-1, undefined],
  [NaN, undefined],
  [1e20, undefined],
  [undefined, undefined],
])('If-Modified-Since of %j', (time, expected) => {
  expect(httpDate(time)).toBe(expected);
});

it.each([
  [{ 'cf-mitigated': 'challenge' }, true],
  [{ 'x-amzn-waf-action': 'captcha' }, true],
  [{ 'x-dd-b': '1' }, true],
  [{ 'x-vercel-mitigated': 'challenge' }, true],
  [{ 'x-datadome': 'protected' }, false],
  [{}, false],
])('a response with the headers %j is a challenge: %s', (headers, expected) => {
  expect(isChallenge(headers)).toBe(expected);
});
