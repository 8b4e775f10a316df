import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainUrl } from '../../packages/url/index.js';
import { fuzzed } from '../support/runs.js';

describe('isPlainUrl', () => {
  it.each([
    'http://a.com/',
    'https://www.example.com/a/b.html?x=1&y=2',
    'http://127.0.0.1:8080/a',
    'http://a.com:59999/~a/(b)//c:d@e?/?',
    'http://a--b.c-/',
  ])('accepts %s', (url) => {
    expect(isPlainUrl(url)).toBe(true);
    expect(new URL(url).href).toBe(url);
  });

  it.each([
    'http://a.com',
    'HTTP://a.com/',
    'http://A.com/',
    'http://a.com:80/',
    'https://a.com:443/',
    'http://a.com:080/',
    'http://a.com:/',
    'http://a.com:65536/',
    'http://a.com/../b',
    'http://a.com/b/.',
    'http://a.com/%7e',
    'http://a.com/a b',
    "http://a.com/?'",
    'http://a.com/#b',
    'http://xn--a/',
    'http://0x7f.1/',
    'http://1.2.3/',
    'http://256.1.1.1/',
    'http://01.1.1.1/',
    'http://a.1/',
    'http://a.com./',
    'http://u@a.com/',
    'http://a.com/\n',
    'http://é.com/',
    'ftp://a.com/',
  ])('leaves %j to the parser', (url) => {
    expect(isPlainUrl(url)).toBe(false);
  });

  it('only accepts URLs that the parser does not change', () => {
    const part = fc.constantFrom(
      ...'a b1 - _ . .. / // 0 01 1.2.3.4 255 256 80 443 8080 : ? & = ~ ! % %2e @ ; , # xn-- x'.split(' '),
    );
    const rest = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    const host = fc.oneof(
      fc.ipV4(),
      fc.domain(),
      fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')),
    );
    const port = fc.oneof(
      fc.constant(''),
      fc.integer({ min: 0, max: 70_000 }).map((number) => `:${number}`),
    );
    const url = fc.tuple(fc.constantFrom('http', 'https'), host, port, rest);
    fc.assert(
      fc.property(url, ([scheme, name, number, path]) => {
        const text = `${scheme}://${name}${number}/${path}`;
        if (isPlainUrl(text)) expect(new URL(text).href).toBe(text);
      }),
      fuzzed(20_240_801, 5000),
    );
  });

  it('takes linear time', () => {
    for (const piece of ['a.', '-', '1.', 'a-', '0']) isPlainUrl(`http://${piece.repeat(1_000_000)}`);
  }, 5000);
});
