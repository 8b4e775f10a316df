import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseUrl } from '../../packages/url/index.js';

describe('parseUrl', () => {
  it.each([
    ['  HTTP://Example.COM:80/a/../b#c \n', 'http://example.com/b'],
    ['https://bücher.de', 'https://xn--bcher-kva.de/'],
    ['http://a.com/x #y', 'http://a.com/x%20'],
    ['http://a.com/?#', 'http://a.com/?'],
    ['http:a.com', 'http://a.com/'],
    ['http://a..b./', 'http://a..b./'],
    ['http://@a.com/', 'http://a.com/'],
    ['http://a.com/@b:c', 'http://a.com/@b:c'],
  ])('%j is %s', (text, href) => {
    expect(parseUrl(text).href).toBe(href);
  });

  it.each([
    ['', 'expected an absolute URL, such as https://example.com/, found ""'],
    ['/a', 'expected an absolute URL, such as https://example.com/, found "/a"'],
    ['http://', 'expected an absolute URL, such as https://example.com/, found "http://"'],
    ['a\u001b[2J', 'expected an absolute URL, such as https://example.com/, found "a\\u001b[2J"'],
    ['localhost:8080/a', 'expected an absolute URL, such as https://example.com/, found "localhost:8080/a"'],
    ['ftp://a.com/', 'expected an http or https URL, found one of scheme "ftp"'],
    ['javascript:alert(1)', 'expected an http or https URL, found one of scheme "javascript"'],
    ['file:///x', 'expected an http or https URL, found one of scheme "file"'],
    ['http://u:geheim@a.com:81/x', 'expected a URL without user name and password, found one with them for a.com:81'],
    ['http://:geheim@a.com/', 'expected a URL without user name and password, found one with them for a.com'],
  ])('rejects %j with the reason', (text, message) => {
    expect(() => parseUrl(text)).toThrow(expect.objectContaining({ name: 'CrawlError', code: 'BAD_URL', message }));
  });

  it('does not change its own results, and throws only CrawlError', () => {
    const text = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string(),
      fc.string().map((s) => `http://${s}`),
    );
    fc.assert(
      fc.property(text, (value) => {
        let href: string;
        try {
          ({ href } = parseUrl(value));
        } catch (error) {
          expect(error).toMatchObject({ code: 'BAD_URL' });
          return;
        }
        expect(parseUrl(href).href).toBe(href);
        expect(href).toMatch(/^https?:\/\/[^/@#]+\/[^#]*$/);
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
});
