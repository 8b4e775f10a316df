import { afterEach, describe, expect, it } from 'vitest';
import {
  checkParse,
  checkRobots,
  checkUrl,
  fetchDocument,
  openCheckContext,
  rulesNow,
  type CrawlContext,
  type OpenCheckContext,
  type PageContent,
  type Plugin,
} from '../../packages/webcrawl/internal.js';
import { fakeWeb } from '../support/web/fake-web.js';
import { serveWeb } from '../support/web/serve-web.js';
import { protocol } from '../support/web/stub-protocol.js';

const open: OpenCheckContext[] = [];
async function checks(settings: Record<string, unknown> = {}, ...plugins: Plugin[]): Promise<OpenCheckContext> {
  const context = await openCheckContext({ settings, plugins });
  open.push(context);
  return context;
}
afterEach(async () => {
  for (const context of open.splice(0)) await context.close();
});

describe('checkUrl', () => {
  it('states what happens to a URL, and by which rule', async () => {
    const rules = await rulesNow(await checks());
    expect(checkUrl(rules, ' HTTP://WWW.Example.com/a/../b#x')).toEqual({
      url: ' HTTP://WWW.Example.com/a/../b#x',
      normalized: 'http://www.example.com/b',
      accepted: true,
      key: 'com.example.www:http/b',
      host: 'www.example.com',
      domain: 'example.com',
    });
    expect(checkUrl(rules, 'https://[::1]:8443/x.jpg')).toMatchObject({
      normalized: 'https://[::1]:8443/x.jpg',
      accepted: false,
      rejectedBy: 'urlfilter-regex',
      rule: expect.stringMatching(/^line \d+: -/) as string,
      key: '[::1]:https:8443/x.jpg',
      host: '[::1]',
      domain: '[::1]',
    });
  });

  it.each(['', 'foo', 'ftp://h/', 'http://u:secret@h/', 'http://', '\u0000'])(
    '%j is rejected: the table cannot hold such a URL',
    async (url) => {
      const found = checkUrl(await rulesNow(await checks()), url);
      expect(found).toMatchObject({ url, accepted: false, rejectedBy: 'url' });
      expect(Object.keys(found).sort()).toEqual(['accepted', 'rejectedBy', 'rule', 'url']);
      expect(found.rule).not.toContain('secret');
    },
  );

  it('a plugin that throws makes it reject', async () => {
    const filterUrl = () => {
      throw new Error('broken');
    };
    expect(checkUrl(await rulesNow(await checks({}, { name: 'x', filterUrl })), 'http://h/')).toMatchObject({
      accepted: false,
      rejectedBy: 'x',
      rule: 'broken',
    });
  });
});

describe('checkRobots', () => {
  const robots = `User-agent: *
Disallow: /
Sitemap: https://a/1.xml

User-agent: good
Disallow: /private # keep out
Allow: /private/open
Crawl-delay: 2.5
Sitemap: /2.xml`;

  it('returns the line, the delay and the sitemaps of all groups', () => {
    const checker = checkRobots(robots, ['Good/1.0', 'other']);
    expect(checker.sitemaps).toEqual(['https://a/1.xml', '/2.xml']);
    const line = { number: 6, text: 'Disallow: /private' };
    expect(checker.check('https://h/private?x')).toEqual({
      url: 'https://h/private?x',
      allowed: false,
      line,
      crawlDelay: 2.5,
    });
    expect(checker.check('/private/open')).toMatchObject({ allowed: true, line: { number: 7 } });
    expect(checker.check('/')).toEqual({ url: '/', allowed: true, crawlDelay: 2.5 });
    expect(checkRobots(robots, ['other']).check('/x')).toEqual({
      url: '/x',
      allowed: false,
      line: { number: 2, text: 'Disallow: /' },
    });
    expect(checkRobots(robots, ['other']).check('/robots.txt').allowed).toBe(true);
  });

  it('text that is no URL is not allowed, with the reason', () => {
    const checker = checkRobots('', ['x']);
    for (const url of ['', 'x', '//h/', 'ftp://h/']) {
      expect(checker.check(url)).toMatchObject({
        url,
        allowed: false,
        error: expect.stringMatching(/is not an absolute URL|only http and https/) as string,
      });
    }
    expect(checker.check('/a b%').allowed).toBe(true);
    expect(checkRobots(new Uint8Array([0xff, 0, 0x0d]), ['x']).check('/')).toEqual({ url: '/', allowed: true });
  });
});

describe('checkParse', () => {
  const page = (html: string, more: Partial<PageContent> = {}): PageContent => ({
    url: 'http://h/dir/',
    content: Buffer.from(html),
    contentType: 'text/html',
    headers: {},
    truncated: false,
    ...more,
  });

  it('returns all that was found', async () => {
    const html = `<html lang="de"><title>T</title><link rel=canonical href=/c><meta name=robots content="noindex, noarchive">
      <meta name=description content=D><meta http-equiv=refresh content="1; url=next"><a href=x#f>X</a>`;
    expect(await checkParse(await checks(), page(html))).toEqual({
      kind: 'success',
      url: 'http://h/dir/',
      contentType: 'text/html',
      charset: 'utf-8',
      charsetSource: 'valid-utf-8',
      language: 'de',
      title: 'T',
      text: 'T X',
      outlinks: [{ url: 'http://h/dir/x', anchor: 'X', accepted: true }],
      robots: { noindex: true, nofollow: false, noarchive: true },
      canonical: 'http://h/c',
      refresh: { url: 'http://h/dir/next', delay: 1 },
      metadata: { robots: 'noindex, noarchive', description: 'D' },
    });
  });

  it('states for each link why it would not be stored', async () => {
    const context = await checks({
      'db.maxOutlinksPerPage': 2,
      'db.maxOutlinkLength': 60,
      'db.ignoreExternalLinks': true,
    });
    const hrefs = ['/1', 'http://other/', '/x.jpg', `/${'l'.repeat(70)}`, '/2', '/3', '/1?', '/a'];
    const html = hrefs.map((href) => `<a href="${href}">a</a>`).join('');
    const found = await checkParse(context, page(html));
    if (found.kind !== 'success') throw new Error(found.code);
    const verdicts = Object.fromEntries(found.outlinks.map((link) => [link.url, link.rejectedBy ?? 'kept']));
    expect(verdicts).toMatchObject({
      'http://h/1': 'kept',
      'http://other/': 'db.ignoreExternalLinks',
      'http://h/x.jpg': 'urlfilter-regex',
      'http://h/2': 'kept',
      'http://h/3': 'db.maxOutlinksPerPage',
      'http://h/a': 'db.maxOutlinksPerPage',
    });
    expect(found.outlinks.every(({ accepted, rejectedBy }) => accepted === (rejectedBy === undefined))).toBe(true);
  });

  it('applies the limit of sitemaps to a sitemap, and detects types like the crawl', async () => {
    const context = await checks({ 'db.maxOutlinksPerPage': 1, 'db.maxOutlinksPerSitemap': 2 });
    const urls = [1, 2, 3].map((i) => `<url><loc>http://h/${i}</loc></url>`).join('');
    const sitemap = page(`<urlset>${urls}</urlset>`, { contentType: 'application/xml' });
    const found = await checkParse(context, sitemap);
    if (found.kind !== 'success') throw new Error(found.code);
    expect(found.outlinks.map((link) => link.rejectedBy ?? 'kept')).toEqual([
      'kept',
      'kept',
      'db.maxOutlinksPerSitemap',
    ]);
    const nosniff = page('<title>t', { contentType: 'text/plain', headers: { 'x-content-type-options': 'nosniff' } });
    expect(await checkParse(context, nosniff)).toMatchObject({ contentType: 'text/plain' });
  });

  it('a page that cannot be parsed is a result', async () => {
    const context = await checks({ 'parser.skipTruncated': true });
    const image = await checkParse(context, page('GIF89a', { contentType: 'image/gif' }));
    expect(image).toEqual({
      kind: 'failed',
      url: 'http://h/dir/',
      contentType: 'image/gif',
      code: 'unsupported_type',
      message: 'image/gif',
    });
    expect(await checkParse(context, page('', { truncated: true }))).toMatchObject({ code: 'truncated' });
    const parse = () => {
      throw new Error('oh');
    };
    const broken = await checks({}, { name: 'b', parser: { contentTypes: ['text/html'], parse } });
    expect(await checkParse(broken, page(''))).toMatchObject({ code: 'plugin_error_b', message: 'oh' });
  });

  it('a missing type is detected, and a stated charset counts', async () => {
    const context = await checks();
    expect(await checkParse(context, page('<html><p>x', { contentType: '' }))).toMatchObject({
      contentType: 'text/html',
    });
    const headers = { 'content-type': 'text/html; charset=iso-8859-2' };
    expect(await checkParse(context, page('x', { headers }))).toMatchObject({ charset: 'iso-8859-2' });
  });
});

describe('fetchDocument', () => {
  const AT_ONCE = { 'fetcher.serverDelay': 0 };
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length: length + 1 }, (_, i) => [
        `http://h/${i}`,
        i === length ? { html: 'end' } : { location: `/${i + 1}` },
      ]),
    );

  it('follows five redirects and no more', async () => {
    const found = await fetchDocument(await (await checks(AT_ONCE, fakeWeb(chain(5)))).requesting(), 'http://h/0#x');
    expect(found).toMatchObject({ kind: 'content', page: { url: 'http://h/5', truncated: false } });
    await expect(
      fetchDocument(await (await checks(AT_ONCE, fakeWeb(chain(6)))).requesting(), 'http://h/0'),
    ).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('more than 5 redirects') as string,
    });
  });

  it('distinguishes absent from failed', async () => {
    const context = await checks(AT_ONCE, fakeWeb({ 'http://f/': { status: 503 }, 'http://n/': { status: 302 } }));
    expect(await fetchDocument(await context.requesting(), 'http://h/x')).toEqual({
      kind: 'absent',
      url: 'http://h/x',
      http: 404,
    });
    for (const url of ['http://f/', 'http://n/']) {
      await expect(fetchDocument(await context.requesting(), url)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    }
    await expect(fetchDocument(await context.requesting(), 'mailto:x')).rejects.toMatchObject({ code: 'BAD_URL' });
    const none: CrawlContext = { ...(await context.requesting()), plugins: [] };
    await expect(fetchDocument(none, 'http://h/')).rejects.toMatchObject({
      message: expect.stringContaining('unsupported_scheme') as string,
    });
  });

  it('sends no request to a host in back-off, and says so', async () => {
    const web = protocol(() => ({ kind: 'retry', code: 'throttled', http: 503, retryAfter: 3600 }));
    const context = await checks({}, web.plugin);
    await expect(fetchDocument(await context.requesting(), 'http://f/')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(fetchDocument(await context.requesting(), 'http://f/a')).rejects.toMatchObject({
      message: 'http://f/a cannot be read: the host is in back-off',
    });
    expect(web.requests.map(({ url }) => url)).toEqual(['http://f/']);
  });

  it('keeps the delay between two requests to a host', async () => {
    const context = await checks({ 'fetcher.serverDelay': 0.2 }, fakeWeb({ 'http://h/a': 'a', 'http://h/b': 'b' }));
    await fetchDocument(await context.requesting(), 'http://h/a');
    const ended = performance.now();
    await fetchDocument(await context.requesting(), 'http://h/b');
    expect(performance.now() - ended).toBeGreaterThan(195);
  });

  it('sends a request to a real server by the http protocol', async () => {
    const web = await serveWeb({ '/r': { location: '/p' }, '/p': { html: '<title>P</title>' } });
    try {
      const found = await fetchDocument(await (await checks(AT_ONCE)).requesting(), `${web.origin}/r`, {
        contentLimit: 9,
      });
      if (found.kind !== 'content') throw new Error(found.kind);
      expect(Buffer.from(found.page.content).toString()).toBe('<title>P<');
      expect(found.page).toMatchObject({ url: `${web.origin}/p`, contentType: 'text/html', truncated: true });
    } finally {
      await web.close();
    }
  });
});
