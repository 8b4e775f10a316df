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
    ['', '"" is not an absolute URL, such as https://example.com/'],
    ['/a', '"/a" is not an absolute URL, such as https://example.com/'],
    ['http://', '"http://" is not an absolute URL, such as https://example.com/'],
    ['a\u001b[2J', '"a\\u001b[2J" is not an absolute URL, such as https://example.com/'],
    ['localhost:8080/a', '"localhost:8080/a" is not an absolute URL, such as https://example.com/'],
    ['ftp://a.com/', 'only http and https URLs can be crawled, not ftp:'],
    ['javascript:alert(1)', 'only http and https URLs can be crawled, not javascript:'],
    ['file:///x', 'only http and https URLs can be crawled, not file:'],
    ['http://u:geheim@a.com:81/x', 'the URL for a.com:81 has a user name or password'],
    ['http://:geheim@a.com/', 'the URL for a.com has a user name or password'],
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
