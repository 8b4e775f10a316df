import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tryParseUrl } from '../../../packages/url/index.js';
import { hostKeyOfRow } from '../../../webtable/keys/host-key.js';
import { domainRanges, hostRange, prefixRange, rowKeyOf, urlOf } from '../../../webtable/keys/row-key.js';
import type { KeyRange } from '../../../webtable/store.js';
import { words } from '../../support/files/words.js';

const within = (key: string, { start, end }: KeyRange) => key >= start && (end === undefined || key < end);
const withoutFragment = (url: string) => new URL(url).href.replace(/#.*$/s, '');

const NASTY_HOSTS = [
  ...words`a..b ..a a.. . .. foo. -foo foo- a--b.c a_b.example.com a!b a*b.c a'b a"b`,
  ...['a(b)c', 'a~b', 'a$b', 'a&b', 'a;b', 'a=b', 'a,b', 'a+b', 'a`b', 'a{b}', '*.example.com', 'localhost', 'x'],
  ...['1.2.3.4', '1.2.3.4.', '127.1', '0x7f.1', '2130706433', '[::1]', '[2001:DB8::1]', '[::ffff:1.2.3.4]'],
  ...['1.example.com', '4.3.2.example', '1.2.3.4.com', 'com.1.2.3.4x', '3com', '1.2.3.4a', 'http', 'https.http'],
  ...['bücher.de', 'ß.de', 'xn--bcher-kva.de', 'пример.рф', '%66oo.com', 'ＦＵＬＬ.com', 'a\u00adb.com', 'EXAMPLE.Com'],
];
const NASTY_PATHS = [
  ...words`/ // //double//slash /. /.. /./..//. /%2e%2E/x /.%2e /a|b /a!b /a:b/c:d /:80/`,
  '',
  ...words`/é /%C3%A9 /%zz% /% /%00 /\x /' /~ /@ /a@b:c/`,
  ...['/a b', '/\u0000', '/\ud800', '/^`{}"<>[]'],
  ...words`? ?q /?q=http://b.com:80/x /?? /?a#b # #?x /#a/b /;x=1`,
  ...['/?a\'b"c|d^e`f{g}', '/?\ud800é', '/\t\n'],
  ...['/x'.repeat(500), '/?' + 'a=1&'.repeat(300)],
];
const SCHEMES = ['http', 'https', 'HTTP'];
const PORTS = ['', ':', ':80', ':443', ':21', ':0', ':8080', ':00081', ':65535'];

const nastyUrl = fc
  .tuple(
    fc.constantFrom(...SCHEMES),
    fc.oneof(
      fc.constantFrom(...NASTY_HOSTS),
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((ip) => `[${ip}]`),
    ),
    fc.constantFrom(...PORTS),
    fc.oneof(
      fc.constantFrom(...NASTY_PATHS),
      fc.string({ unit: fc.constantFrom(...'ab/.%2eE?#:|!~\\ ;&\u00e9') }).map((path) => `/${path}`),
    ),
  )
  .map(([scheme, host, port, path]) => `${scheme}://${host}${port}${path}`);

describe('rowKeyOf', () => {
  it.each([
    ['http://www.example.com/about/?q=1', 'com.example.www:http/about/?q=1'],
    ['https://example.com:8443', 'com.example:https:8443/'],
    ['HTTP://Example.COM:80/A#frag', 'com.example:http/A'],
    ['https://example.com:443/', 'com.example:https/'],
    ['http://bücher.de/', 'de.xn--bcher-kva:http/'],
    ['http://10.0.0.1:81/x', '10.0.0.1:http:81/x'],
    ['http://[2001:DB8::1]:8080/', '[2001:db8::1]:http:8080/'],
    ['http://www.example.org./a', '.org.example.www:http/a'],
    ['http://a..b.com/', 'com.b..a:http/'],
    ['http://./', '.:http/'],
    ['http://localhost/', 'localhost:http/'],
    ['http://a.com//b//c', 'com.a:http//b//c'],
    ['http://a.com/a:80/|!', 'com.a:http/a:80/|!'],
    ['http://a.com/x/../y', 'com.a:http/y'],
    ['http://a.com/x/%2e%2e/y', 'com.a:http/y'],
    ['http://a.com/?', 'com.a:http/?'],
    ['http://a.com?x', 'com.a:http/?x'],
    ['  http://a.com/ ', 'com.a:http/'],
  ])('%s -> %s', (url, key) => {
    expect(rowKeyOf(url)).toBe(key);
  });

  it.each([
    ...words`a.com/ /a //a.com/ http:// http://a|b/ http://a.com:-5/ http://a.com:99999/`,
    ...['', 'http:// /', 'http://a b/'],
    ...words`
      http://256.1.1.1/ http://foo.1.2.3.4/ http://x.1.2.3.4/ http://[::1/ http://a%2fb/ http://%00/
    `,
    ...words`
      file:///var/x mailto:a@b javascript:alert(1) data:text/html,x gopher://a.com/ foo:///x ws://a.com/
      blob:http://a.com/1
    `,
  ])('refuses %j', (url) => {
    expect(() => rowKeyOf(url)).toThrow(expect.objectContaining({ name: 'CrawlError', code: 'BAD_URL' }));
  });

  it.each([
    'http://user:secret@a.com/',
    'http://user@a.com/',
    'http://:secret@a.com/',
    'https://us%40er:secret@[::1]:8080/x',
  ])('refuses %s without showing the password', (url) => {
    expect(() => rowKeyOf(url)).toThrow(expect.objectContaining({ code: 'BAD_URL' }));
    expect(() => rowKeyOf(url)).toThrow(/has a user name or password/);
    expect(() => rowKeyOf(url)).not.toThrow(/secret|us%40er/);
  });

  it('shows untrusted text escaped and shortened', () => {
    expect(() => rowKeyOf(`\u001b[31m${'x'.repeat(1000)}`)).toThrow(/"\\u001b\[31mx{150,200}…"/);
  });

  it('treats empty credentials as none', () => {
    expect(rowKeyOf('http://:@a.com/')).toBe('com.a:http/');
  });
});

describe('every URL that is accepted', () => {
  const holds = (url: string) => {
    let key: string;
    try {
      key = rowKeyOf(url);
    } catch {
      return;
    }
    expect(urlOf(key)).toBe(withoutFragment(url));
    expect(rowKeyOf(urlOf(key))).toBe(key);
    expect(key).toMatch(/^[!-~]+$/);
    const { host, hostname } = new URL(url);
    expect(within(key, hostRange(hostname))).toBe(true);
    expect(key.startsWith(`${hostKeyOfRow(key)}:`)).toBe(true);
    expect(within(key, prefixRange(`${new URL(url).protocol}//${host}`))).toBe(true);
    expect(domainRanges(hostname).some((range) => within(key, range))).toBe(true);
  };

  it('can be restored from its key, whatever its host and path are', () => {
    for (const host of NASTY_HOSTS) for (const port of ['', ':8080']) holds(`http://${host}${port}/x`);
    for (const path of NASTY_PATHS) for (const port of PORTS) holds(`https://www.example.com${port}${path}`);
  });

  it('can be restored from its key if it is random', () => {
    fc.assert(fc.property(nastyUrl, holds), { seed: 1, numRuns: 2000 });
    fc.assert(fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), holds), {
      seed: 2,
      numRuns: 1000,
    });
  });

  it('has the same key in any spelling, so the fast paths do not matter', () => {
    const url = fc.string({
      unit: fc.constantFrom('/', '.', '..', '%2e', '%2E', 'a', 'A', "'", '|', '?', '%', ' ', '\t', '\\', 'é'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        url,
        fc.constantFrom('a.com', 'xn--bcher-kva.de', 'a.b-c.d', '1.2', 'a.0x4', 'xn--a'),
        (path, host) => {
          const text = `http://${host}/${path}`;
          const parsed = tryParseUrl(text);
          if (parsed) expect(rowKeyOf(text)).toBe(rowKeyOf(parsed.href));
          else expect(() => rowKeyOf(text)).toThrow();
        },
      ),
      { seed: 3, numRuns: 2000 },
    );
  });

  it('has a unique key', () => {
    const keys = new Map<string, string>();
    for (const host of NASTY_HOSTS) {
      for (const path of NASTY_PATHS) {
        const text = `http://${host}${path}`;
        if (!tryParseUrl(text)) continue;
        const [key, url] = [rowKeyOf(text), withoutFragment(text)];
        expect(keys.get(key) ?? url).toBe(url);
        keys.set(key, url);
      }
    }
  });
});

describe('urlOf and hostKeyOfRow', () => {
  it.each([
    '',
    ...words`
      : com.foo com.foo: com.foo:http com.foo:http?x=1 com.foo:http:80:90/x com.foo:http:/ :http/ :file/x
    `,
    ...words`
      com.foo:http:x/ com.foo:http:080/ com.foo:http:999999/ com.foo/nocolon [::1:http/ ::1:http/ [x]:http/
      Com.foo:http/
    `,
    ...words`com.foo:gopher/ com.foo:HTTP/ com.foo:http/#a com.foo:http/é`,
    ...['com.foo:http/a b', 'com.foo:http/\n', 'com.foo:http/\u0000'],
    ...['com.foo@x:http/', 'com fóo:http/', 'http://foo.com/', '.foo:http/\u007f'],
  ])('refuse %j', (key) => {
    const damaged: unknown = expect.objectContaining({ name: 'CrawlError', code: 'TABLE_DAMAGED' });
    expect(() => urlOf(key)).toThrow(damaged);
  });

  it('split a key into its parts', () => {
    expect(urlOf('com.example.www:https:8443/a:b/?c:d')).toBe('https://www.example.com:8443/a:b/?c:d');
    expect(hostKeyOfRow('com.example.www:https:8443/')).toBe('com.example.www');
    expect(hostKeyOfRow('[::1]:http:8080/')).toBe('[::1]');
  });
});

describe('ranges', () => {
  const urls = words`
    http://example.com/ https://example.com/ http://example.com:8080/ http://example.com/~ http://www.example.com/
    http://a.b.example.com/ http://-.example.com/ http://~.example.com/ http://!.example.com/ http://example2.com/
    http://example-x.com/ http://example_x.com/ http://examplex.com/ http://exampl.com/ http://example;x.com/
    http://www.example2.com/ http://example.com.au/ http://example.com./ http://com/ http://example!.com/
    http://1.2.3.4/ http://[::1]/
  `;

  it('of a domain include it and its sub-domains, and nothing else', () => {
    const isOf = (url: string, domain: string) => {
      const { hostname } = new URL(url);
      return hostname === domain || hostname.endsWith(`.${domain}`);
    };
    for (const domain of words`example.com com www.example.com 1.2.3.4 [::1] example;x.com example.com.`) {
      const found = urls.filter((url) => domainRanges(domain).some((range) => within(rowKeyOf(url), range)));
      expect(found, domain).toEqual(urls.filter((url) => isOf(url, domain)));
    }
  });

  it('of a domain come in key order and do not overlap', () => {
    const [below, itself] = domainRanges('example.com');
    expect([below.start, below.end, itself.start, itself.end]).toEqual([
      'com.example.',
      'com.example/',
      'com.example:',
      'com.example;',
    ]);
  });

  it('of a host include its schemes and ports, and nothing else', () => {
    const found = urls.filter((url) => within(rowKeyOf(url), hostRange('Example.com')));
    expect(found).toEqual(urls.slice(0, 4));
    expect(hostRange('bücher.de').start).toBe('de.xn--bcher-kva:');
  });

  it.each([
    '',
    ' ',
    'a b',
    'a.com/',
    'a.com/x',
    'http://a.com',
    'a.com:80',
    'u@a.com',
    'a?b',
    'a#b',
    '::1',
    '[::1',
    '[::1]:80',
    '256.1.1.1',
    'a\\b',
    'a\tb',
  ])('are rejected for the host %j', (host) => {
    expect(() => hostRange(host)).toThrow(expect.objectContaining({ code: 'BAD_URL' }));
    expect(() => domainRanges(host)).toThrow(expect.objectContaining({ code: 'BAD_URL' }));
  });

  it('of a prefix include what starts with it, and nothing else', () => {
    const pages = ['/docs', '/docs/', '/docs/a', '/docs/~', '/docs0', '/docs.html', '/doc', '/docs/?q', '/'].map(
      (path) => `http://a.com${path}`,
    );
    const others = ['https://a.com/docs/', 'http://a.com:81/docs/', 'http://b.a.com/docs/'];
    for (const prefix of [
      'http://a.com/docs/',
      'http://a.com/docs',
      'http://a.com',
      'http://a.com/docs/~',
      'http://a.com/?',
    ]) {
      const start = new URL(prefix).href;
      const found = [...pages, ...others].filter((url) => within(rowKeyOf(url), prefixRange(prefix)));
      expect(found, prefix).toEqual(pages.filter((url) => url.startsWith(start)));
    }
    expect(prefixRange('http://www.foo.com/docs/')).toEqual({
      start: 'com.foo.www:http/docs/',
      end: 'com.foo.www:http/docs0',
    });
  });
});
