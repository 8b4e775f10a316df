import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basicUrlNormalizer } from '../../packages/plugins/index.js';
import { words } from '../support/files/words.js';

const normalize = (url: string) => basicUrlNormalizer().normalizeUrl!(url, 'outlink');

describe('basicUrlNormalizer', () => {
  it.each([
    ['what is fine stays', 'http://a.com/b/c.html?d=e&f', 'http://a.com/b/c.html?d=e&f'],
    ['escaped unreserved characters', 'http://a.com/%7Eu%73er/%2D%2e%5f?%61=%30', 'http://a.com/~user/-._?a=0'],
    ['digits of escapes', 'http://a.com/%c3%a9%2f?%3d', 'http://a.com/%C3%A9%2F?%3D'],
    ['reserved characters stay escaped', 'http://a.com/%2F%3F%23%26%3D%25%20', 'http://a.com/%2F%3F%23%26%3D%25%20'],
    ['reserved characters stay bare', "http://a.com/!$&'()*+,;=:@/", "http://a.com/!$&'()*+,;=:@/"],
    ['illegal in a path', 'http://a.com/a|b^c[d]', 'http://a.com/a%7Cb%5Ec%5Bd%5D'],
    ['illegal in a query', 'http://a.com/?a[]=|^`{}\\', 'http://a.com/?a%5B%5D=%7C%5E%60%7B%7D%5C'],
    ['a percent sign that escapes nothing', 'http://a.com/100%/%zz?%1', 'http://a.com/100%25/%25zz?%251'],
    ['what would become an escape', 'http://a.com/%%34%31', 'http://a.com/%2541'],
    ['escaped escapes are not undone twice', 'http://a.com/%2541%252e', 'http://a.com/%2541%252e'],
    ['non-ASCII', 'http://a.com/é?ü', 'http://a.com/%C3%A9?%C3%BC'],
    ['dot segments', 'http://a.com/a/./b/../../../c/.', 'http://a.com/c/'],
    ['escaped dot segments', 'http://a.com/a/%2E/b/.%2e/%2E%2e/c', 'http://a.com/c'],
    ['dots that are no segments', 'http://a.com/.a/..b/c../...', 'http://a.com/.a/..b/c../...'],
    ['the fragment', 'http://a.com/a#b%41', 'http://a.com/a'],
    ['an empty query', 'http://a.com/a?', 'http://a.com/a?'],
    ['a dot after the host', 'http://A.com.:8080/', 'http://a.com:8080/'],
    ['only one dot after the host', 'http://a.com../', 'http://a.com../'],
    ['a host of dots', 'http://./', 'http://./'],
    ['scheme, host and port', 'HTTPS://BÜCHER.de:443', 'https://xn--bcher-kva.de/'],
    ['IPv6', 'http://[::FFFF:1.2.3.4]:80/%7e', 'http://[::ffff:102:304]/~'],
    ['slashes stay', 'http://a.com//b//', 'http://a.com//b//'],
    ['NUL stays escaped', 'http://a.com/%00\u0000/', 'http://a.com/%00%00/'],
  ])('%s', (_what, url, expected) => {
    expect(normalize(url)).toBe(expected);
  });

  it('changes nothing when applied twice, and leaves nothing that the URL parser would change again', () => {
    const piece = fc.constantFrom(...words`/ . % %2e %2E %41 %7 4 a A | [ ] ^ ' ? # \ é & =`, ' ', '\ud800');
    const host = fc.constantFrom(...words`a.com a.com. a.com.. 1.2.3.4. [::1]:81 BÜ.de a:80 xn--bcher-kva.de.`);
    fc.assert(
      fc.property(host, fc.array(piece, { maxLength: 20 }), (name, pieces) => {
        const once = normalize(`http://${name}/${pieces.join('')}`);
        expect(normalize(once)).toBe(once);
        expect(new URL(once).href).toBe(once);
        expect(once).toMatch(/^http:\/\/[^/]+\/(?:%[0-9A-F]{2}|[\w\-.~!$&'()*+,;=:@/?])*$/);
      }),
      { seed: 1, numRuns: 3000 },
    );
  });

  it('gives the same result for a URL whether it was parsed before or not', () => {
    const url = fc.webUrl({ withQueryParameters: true, withFragments: true });
    fc.assert(
      fc.property(url, (text) => void expect(normalize(text)).toBe(normalize(new URL(text).href))),
      { seed: 2, numRuns: 500 },
    );
  });

  it('rejects URLs that the table cannot hold', () => {
    for (const url of ['', 'nonsense', 'ftp://a.com/%41', 'http://u:p@a.com/']) {
      expect(() => normalize(url)).toThrow(expect.objectContaining({ code: 'BAD_URL' }));
    }
  });
});
