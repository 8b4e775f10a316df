import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prefixUrlFilter } from '../../packages/plugins/index.js';

const verdict = (text: string, url: string) => prefixUrlFilter(text).filterUrl!(url, 'outlink');

describe('prefixUrlFilter', () => {
  const text = '# comment\nhttp://a.com/docs/\nhttps://a.com/\nhttp://a.com/docs/deep/\nhttp://b';

  it.each([
    ['http://a.com/docs/', true],
    ['http://a.com/docs/deep/x', true],
    ['http://a.com/docs/zebra', true],
    ['https://a.com/?q', true],
    ['http://b.com/', true],
    ['http://bbb.net/', true],
    ['http://a.com/docs', 'no prefix matches'],
    ['http://a.com/', 'no prefix matches'],
    ['https://a.co/', 'no prefix matches'],
    ['http://c.com/', 'no prefix matches'],
  ])('%s -> %s', (url, expected) => {
    expect(verdict(text, url)).toBe(expected);
  });

  it('rejects everything if it has no lines', () => {
    expect(verdict('# none', 'http://a.com/')).toBe('no prefix matches');
  });

  it('accepts a scheme, or a part of it, as a prefix', () => {
    expect(verdict('https', 'https://a.com/')).toBe(true);
    expect(verdict('https', 'http://a.com/')).toBe('no prefix matches');
    expect(verdict('h', 'http://a.com/')).toBe(true);
  });

  it('gives the same result as a comparison with every line', () => {
    const tail = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 4 });
    fc.assert(
      fc.property(fc.array(tail), tail, (tails, own) => {
        const prefixes = tails.map((each) => `http://x/${each}`);
        const url = `http://x/${own}`;
        expect(verdict(prefixes.join('\n'), url) === true).toBe(prefixes.some((prefix) => url.startsWith(prefix)));
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  it('lists every line with which no normalised URL starts', () => {
    expect(() => prefixUrlFilter('www.a.com\nhttp://A.com/\nhttp://a.com/A\nhttp://a.com/é\nhttp://a b/')).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: [
          'prefix URL filter: line 1: a prefix starts with http:// or https://, found "www.a.com"',
          'line 2: a host is lower case, found "http://A.com/"',
          'line 4: a prefix is printable ASCII, as URLs are once they are normalised, found "http://a.com/é"',
          'line 5: a prefix is printable ASCII, as URLs are once they are normalised, found "http://a b/"',
        ].join('; '),
      }),
    );
  });
});
