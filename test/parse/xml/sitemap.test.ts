import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sniffSitemap, textParser } from '../../../packages/parse/index.js';
import type { ParsedPage } from '../../../packages/plugin-api/index.js';
import { PARSE_SETTINGS } from '../../support/parsing/parse-page.js';
import { parseXml, xmlOutcome } from '../../support/parsing/parse-xml.js';

const urlset = (entries: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`;
const urls = (page: ParsedPage) => page.outlinks.map(({ url }) => url);

describe('a sitemap', () => {
  it('gives its links and their data', async () => {
    const page = await parseXml(
      urlset(`<url><loc> http://h.com/a?b=1&amp;c=2
        </loc><lastmod>2024-05-01</lastmod><changefreq>Weekly</changefreq><priority>0.8</priority></url>
        <url><loc><![CDATA[http://h.com/b]]></loc><lastmod>2024-05-01T10:00:00+02:00</lastmod></url>`),
    );
    expect(page).toEqual({
      kind: 'success',
      title: '',
      text: '',
      outlinks: [
        {
          url: 'http://h.com/a?b=1&c=2',
          anchor: '',
          lastModified: Date.UTC(2024, 4, 1),
          changeInterval: 604_800,
          priority: 0.8,
        },
        { url: 'http://h.com/b', anchor: '', lastModified: Date.UTC(2024, 4, 1, 8) },
      ],
      sitemap: true,
      robots: { noindex: true, nofollow: false, noarchive: false },
      metadata: {},
      charset: 'utf-8',
      charsetSource: 'xml-declaration',
    });
  });

  it('may be an index', async () => {
    const page = await parseXml(
      '<sitemapindex><sitemap><loc>http://h.com/1.xml.gz</loc><lastmod>2024</lastmod></sitemap></sitemapindex>',
    );
    expect(page.outlinks).toEqual([
      { url: 'http://h.com/1.xml.gz', anchor: '', lastModified: Date.UTC(2024, 0, 1), sitemap: true },
    ]);
  });

  it.each([
    ['a prefix', '<sm:urlset xmlns:sm="x"><sm:url><sm:loc>http://h.com/a</sm:loc></sm:url></sm:urlset>'],
    ['an undeclared prefix', '<s:urlset><s:url><s:loc>http://h.com/a</s:loc></s:url></s:urlset>'],
    ['capitals', '<URLSET><URL><LOC>http://h.com/a</LOC></URL></URLSET>'],
    ['a relative link', urlset('<url><loc>/a</loc></url>')],
    ['no end', '<urlset><url><loc>http://h.com/a</loc></url><url><loc>http://h.com/b'],
    ['a comment before', '<!-- <feed> --><urlset><url><loc>http://h.com/a</loc></url></urlset>'],
    ['a document type', '<!DOCTYPE urlset [<!ENTITY x "y">]><urlset><url><loc>http://h.com/a</loc></url></urlset>'],
    ['a second loc', urlset('<url><loc>http://h.com/a</loc><loc>http://h.com/b</loc></url>')],
    [
      'extensions',
      urlset(
        '<url><image:image><image:loc>http://h.com/i</image:loc><loc>http://h.com/j</loc></image:image><loc>http://h.com/a</loc></url>',
      ),
    ],
    ['links without an entry', urlset('<loc>http://h.com/x</loc><url><loc>http://h.com/a</loc></url>')],
    [
      'other schemes',
      urlset('<url><loc>ftp://h.com/</loc></url><url><loc/></url><url><loc>http://h.com/a</loc></url>'),
    ],
  ])('with %s', async (_, xml) => expect(urls(await parseXml(xml))).toEqual(['http://h.com/a']));

  it('names pages in other languages', async () => {
    for (const prefix of ['xhtml:', 'x:', 'html:', 'ns2:', '']) {
      const xml = urlset(
        `<url><loc>http://h.com/a</loc><${prefix}link rel="alternate" hreflang="de" href="http://h.com/de"/></url>`,
      );
      expect(urls(await parseXml(xml)), prefix).toEqual(['http://h.com/de', 'http://h.com/a']);
    }
  });

  it.each([
    ['&h;/page'],
    ['http://h.com/&h;'],
    ['http://h.com/?a=1&amp;b=&h;'],
    ['<![CDATA[http://h.com/]]>&h;'],
    ['http://h.com/&é;'],
    [`http://h.com/${'x'.repeat(70_000)}&h;`],
  ])('has no URL with an unknown entity: %.40s', async (loc) => {
    const dtd = '<!DOCTYPE urlset [<!ENTITY h "http://evil.com">]>';
    const entry = `<url><loc>${loc}</loc><x:link href="&h;/x"/></url><url><loc>http://h.com/a</loc></url>`;
    const page = await parseXml(`${dtd}<urlset>${entry}</urlset>`, { db: { maxOutlinkLength: 100_000 } });
    expect(urls(page)).toEqual(['http://h.com/a']);
  });

  it.each([
    ['http://h.com/?a=1&amp;h;', 'http://h.com/?a=1&h;'],
    ['<![CDATA[http://h.com/?a&h;]]>', 'http://h.com/?a&h;'],
    ['http://h.com/?a=1&b=2', 'http://h.com/?a=1&b=2'],
    ['http://h.com/?a=1&b=2;c', 'http://h.com/?a=1&b=2;c'],
    ['http://h.com/&#97;&#x62;&apos;', "http://h.com/ab'"],
  ])('reads %s as a URL', async (loc, url) => {
    expect(urls(await parseXml(urlset(`<url><loc>${loc}</loc></url>`)))).toEqual([url]);
  });

  it.each([
    ['lastmod', 'yesterday', '2024-13-45', '-1', '20240501'],
    ['changefreq', 'sometimes', '', '5'],
    ['priority', '1.1', '-0.1', 'high', 'Infinity', '1e-1', ''],
  ])('ignores a bad %s', async (name, ...values) => {
    for (const value of values) {
      const page = await parseXml(urlset(`<url><loc>http://h.com/</loc><${name}>${value}</${name}></url>`));
      expect(page.outlinks).toEqual([{ url: 'http://h.com/', anchor: '' }]);
    }
  });

  it('is read up to 50,000 links', async () => {
    const xml = urlset(Array.from({ length: 50_001 }, (_, i) => `<url><loc>http://h.com/${i}</loc></url>`).join(''));
    const page = await parseXml(xml);
    expect(page.outlinks).toHaveLength(50_000);
    expect(page.truncated).toBe(true);
  });

  it('leaves out URLs that are too long', async () => {
    const xml = urlset(`<url><loc>http://h.com/${'a'.repeat(5000)}</loc></url><url><loc>http://h.com/b</loc></url>`);
    expect(urls(await parseXml(xml))).toEqual(['http://h.com/b']);
  });

  it('gives no links under nofollow', async () => {
    const xml = urlset('<url><loc>http://h.com/a</loc></url>');
    expect(urls(await parseXml(xml, { headers: { 'x-robots-tag': 'nofollow' } }))).toEqual([]);
  });
});

describe('a packed sitemap', () => {
  const packed = gzipSync(urlset('<url><loc>http://h.com/a</loc></url>'));

  it('is decompressed', async () => {
    const headers = { 'content-type': 'application/gzip; charset=utf-16' };
    expect(urls(await parseXml(packed, { headers }))).toEqual(['http://h.com/a']);
  });

  it('may end early, or be padded with zeros', async () => {
    expect(urls(await parseXml(packed.subarray(0, -8)))).toEqual(['http://h.com/a']);
    expect(urls(await parseXml(Buffer.concat([packed, Buffer.alloc(100)])))).toEqual(['http://h.com/a']);
  });

  it('may be a list', async () => {
    expect(urls(await parseXml(gzipSync('http://h.com/a\nhttp://h.com/b\n')))).toEqual([
      'http://h.com/a',
      'http://h.com/b',
    ]);
  });

  it.each(['', 'some text', '\0\0\0', 'http://h.com/a\nnot a link'])(
    'of other content is rejected: %j',
    async (text) => {
      expect(await xmlOutcome(gzipSync(text))).toMatchObject({ kind: 'failed', code: 'unsupported_type' });
    },
  );

  it('is not decompressed if it has no text', async () => {
    for (const content of [Buffer.alloc(100_000_000), packed]) {
      expect(await xmlOutcome(gzipSync(content))).toMatchObject({ kind: 'failed', code: 'unsupported_type' });
    }
  });

  it('is decompressed no further than the protocol allows', async () => {
    const bomb = gzipSync(
      Buffer.concat([Buffer.from('<urlset><url><loc>http://h.com/a</loc></url>'), Buffer.alloc(60_000_000, 32)]),
    );
    expect(await parseXml(bomb)).toMatchObject({ outlinks: [{ url: 'http://h.com/a' }], truncated: true });
  });
});

describe('a text', () => {
  const parse = (text: string) =>
    textParser(PARSE_SETTINGS).parse({
      url: 'http://h.com/list.txt',
      content: Buffer.from(text),
      contentType: 'text/plain',
      headers: {},
    }) as ParsedPage;

  it('that is a list of URLs is a sitemap', () => {
    const page = parse('\ufeffhttp://h.com/a\r\n\r\n  https://H.com/b#c \nhttp://h.com/a');
    expect(urls(page)).toEqual(['http://h.com/a', 'https://h.com/b']);
    expect(page).toMatchObject({ sitemap: true, robots: { noindex: true } });
  });

  it('may have line ends of old systems', () => {
    expect(urls(parse('http://h.com/a\rhttp://h.com/b\r\rhttp://h.com/c'))).toEqual([
      'http://h.com/a',
      'http://h.com/b',
      'http://h.com/c',
    ]);
  });

  it.each(['', '\n\n', 'see\nhttp://h.com/a', 'http://h.com/a b', 'ftp://h.com/'])('%j is not a sitemap', (text) => {
    expect(parse(text)).toMatchObject({ outlinks: [], robots: { noindex: false } });
    expect(parse(text).sitemap).toBeUndefined();
  });
});

describe('a truncated sitemap', () => {
  const text = 'http://h.com/a\nhttp://h.com/b\nhttp://h.com/not-wh';
  const parseText = (content: Uint8Array, truncated: boolean) =>
    textParser(PARSE_SETTINGS).parse({
      url: 'http://h.com/list.txt',
      content,
      contentType: 'text/plain',
      headers: {},
      truncated,
    }) as ParsedPage;

  it('gives no URL that ends at the cut', () => {
    const cut = parseText(Buffer.from(text), true);
    expect(urls(cut)).toEqual(['http://h.com/a', 'http://h.com/b']);
    expect(cut.truncated).toBe(true);
    expect(urls(parseText(Buffer.from(text), false))).toHaveLength(3);
    // The cut URL does not make the list a text.
    expect(urls(parseText(Buffer.from('http://h.com/a\nht'), true))).toEqual(['http://h.com/a']);
    expect(parseText(Buffer.from('http://h.com/a\nht'), false)).not.toHaveProperty('sitemap');
    expect(parseText(Buffer.from('http://h.com/not-wh'), true)).toMatchObject({ sitemap: true, outlinks: [] });
  });

  it('gives all complete URLs, however many bytes there are', async () => {
    const packed = gzipSync(text);
    const xml = Buffer.from(urlset('<url><loc>http://h.com/a</loc></url><url><loc>http://h.com/b</loc></url>'));
    const known = new Set(['http://h.com/a', 'http://h.com/b']);
    for (const content of [packed, gzipSync(xml), xml]) {
      for (let end = 0; end < content.length; end++) {
        const outcome = await xmlOutcome(content.subarray(0, end), { truncated: true });
        if (outcome.kind === 'failed') expect(outcome.code, `${end}`).toBe('unsupported_type');
        else {
          expect(outcome.truncated).toBe(true);
          expect(
            urls(outcome).filter((url) => !known.has(url)),
            `${end} bytes`,
          ).toEqual([]);
        }
      }
    }
  });
});

describe('a file that was named as a sitemap', () => {
  const list = 'http://h.com/a\r';
  it.each([
    ['a sitemap', urlset(''), 'application/xml'],
    ['an index', '<sm:sitemapindex>', 'application/xml'],
    ['RSS', '<rss version="2.0"/>', 'application/xml'],
    ['RSS 1.0', '<rdf:RDF xmlns:rdf="x">', 'application/xml'],
    ['Atom', '<feed>', 'application/xml'],
    ['UTF-16', Buffer.from(`\ufeff${urlset('')}`, 'utf16le'), 'application/xml'],
    [
      'a long licence before it',
      `<!--${'x'.repeat(10_000)}--><!DOCTYPE urlset [<!ENTITY a "b">]><urlset>`,
      'application/xml',
    ],
    ['gzip', gzipSync(urlset('')), 'application/gzip'],
    ['a list', `\n ${list}`, 'text/plain'],
    ['a list in UTF-16', Buffer.from(`\ufeff${list}`, 'utf16le'), 'text/plain'],
    ['HTML', '<!doctype html><html>', undefined],
    ['other XML', '<svg/>', undefined],
    ['text', 'not here', undefined],
    ['a URL in HTML', 'http://h.com/<br>', undefined],
    ['nothing', '', undefined],
    ['a PDF', '%PDF-1.7', undefined],
  ])('is recognised by its content: %s', (_, content, type) => {
    expect(sniffSitemap(Buffer.from(content))).toBe(type);
  });
});
