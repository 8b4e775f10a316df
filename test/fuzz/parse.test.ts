import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlParser, sniffContentType, textParser, xmlParser } from '../../packages/parse/index.js';
import { chooseParser } from '../../packages/parse/index.js';
import type { ParseOutcome } from '../../packages/plugin-api/index.js';
import { fuzzed } from '../support/runs.js';
import { PARSE_SETTINGS } from '../support/parsing/parse-page.js';
import { plainTree, textAndLinks } from '../support/parsing/plain-tree.js';

const SETTINGS = {
  ...PARSE_SETTINGS,
  parser: { ...PARSE_SETTINGS.parser, htmlOutlinksIgnoreTags: [], htmlFormUseAction: true, textLimit: 2_000 },
  db: { maxAnchorLength: 50, maxOutlinkLength: 300 },
};
const PLUGINS = [{ parser: textParser(SETTINGS) }, { parser: xmlParser(SETTINGS) }, { parser: htmlParser(SETTINGS) }];

const words = (text: string) => fc.constantFrom(...text.split(' '));
const url = fc.oneof(
  words(
    '/a ../b #c ?d //e/f http://g https://h:99/i mailto:j javascript:k http://[ \\\\l http://u:p@m/ data:, http://n/%zz',
  ),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const value = fc.oneof(
  url,
  words(
    'nofollow robots none refresh canonical alternate de x-default og:title application/ld+json 0;url=/o 9;url=/s gbk utf-16 5 open s',
  ),
  fc.constantFrom(
    'text/html; charset=x',
    'a 1x, b 2x',
    '{"@type":"A","name":["b"]}',
    '2024-05-01',
    'Wed, 01 May 2024 10:00:00 GMT',
  ),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  url,
  value,
  fc.constantFrom(
    ' ',
    '\n',
    'text',
    '&amp;',
    '&nbsp;',
    '&#0;',
    '&#x110000;',
    '&x;',
    '<div><template shadowrootmode=open>',
    '<b><p><template shadowrootmode=CLOSED><slot>',
    '<template shadowrootmode=open>',
    '<slot name=s>',
    '<iframe srcdoc="<base href=/b/><a href=in>x</a>">',
    '<iframe srcdoc="<iframe srcdoc=&quot;<a href=k>y">',
    ']]>',
    '-->',
    '<![CDATA[',
    '<!--',
    '<?x',
    '?>',
  ),
);

/** Markup of the given elements and attributes, more or less well-formed. */
function markup(tags: string, attributes: string): fc.Arbitrary<string> {
  const attribute = fc
    .tuple(words(attributes), fc.constantFrom('="', "='", '=', ''), value, fc.constantFrom('"', "'", ''))
    .map((parts) => parts.join(''));
  const open = fc
    .tuple(words(tags), fc.array(attribute, { maxLength: 3 }), fc.constantFrom('>', '>', '/>', ''))
    .map(([tag, list, end]) => `<${tag} ${list.join(' ')}${end}`);
  const close = words(tags).map((tag) => `</${tag}>`);
  return fc.array(fc.oneof(open, close, text), { maxLength: 40 }).map((parts) => parts.join(''));
}

const html = markup(
  'a area b base body br div form frame frameset h1 head html iframe img li link math meta noscript option p plaintext pre script select slot source span style svg table td template textarea title tr x-y xmp !doctype',
  'href src srcset action rel name property content http-equiv hreflang lang alt type method charset shadowrootmode slot srcdoc',
);
const xml = fc
  .tuple(
    fc.constantFrom('', '<?xml version="1.0" encoding="latin1"?>', '<!DOCTYPE a [<!ENTITY x "y">]>'),
    words('urlset sitemapindex rss rdf:RDF feed a:feed html s:urlset other'),
    markup(
      'url sitemap loc lastmod changefreq priority channel item entry a:entry title link guid description updated pubDate dc:date content xhtml:link html script',
      'href rel xml:base xml:lang rdf:about hreflang isPermaLink type __proto__ constructor',
    ),
  )
  .map(([before, root, inside]) => `${before}<${root}>${inside}`);
const bytes = fc.oneof(
  html.map((page) => Buffer.from(page)),
  xml.map((page) => Buffer.from(page)),
  xml.map((page) => Buffer.from(page, 'utf16le')),
  xml.map((page) => gzipSync(page)),
  fc.array(url).map((list) => Buffer.from(list.join('\n'))),
  fc.uint8Array({ maxLength: 500 }),
  fc
    .tuple(html, fc.uint8Array({ maxLength: 20 }))
    .map(([page, more]) => Buffer.concat([Buffer.from(page, 'latin1'), more])),
);
const headerText = fc.oneof(
  fc.string({ unit: 'binary-ascii' }),
  value,
  fc.constantFrom('<x>; rel=canonical', 'a: noindex\nnone', 'nosniff'),
);
const headers = fc.dictionary(
  words('link x-robots-tag refresh content-type content-language x-content-type-options'),
  headerText,
);
const declared = words(
  'text/html application/xhtml+xml text/plain application/xml application/rss+xml application/gzip application/octet-stream image/png',
);

describe('any body', () => {
  it('is parsed without a throw, to a limited result with absolute links', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, headers, fc.oneof(declared, fc.constant('')), async (content, given, type) => {
        const contentType = sniffContentType(content, type, given);
        expect(contentType).toMatch(/^[^/\s;]+\/[^/\s;]+$/);
        const input = { url: 'http://h.com/d/p.html', content, contentType, headers: given };
        const plugin = chooseParser(PLUGINS, contentType);
        if (plugin) expectSound(await plugin.parser.parse(input));
      }),
      fuzzed(20_240_701, 3000),
    );
  });

  it('is parsed by any parser', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, headers, declared, async (content, given, contentType) => {
        const input = { url: 'http://h.com/d/p.html', content, contentType, headers: given };
        for (const { parser } of PLUGINS) expectSound(await parser.parse(input));
      }),
      fuzzed(20_240_702, 1000),
    );
  });
});

describe('any page', () => {
  it('has the text and links of its tree', () => {
    const parser = htmlParser({ ...PARSE_SETTINGS, db: { ...PARSE_SETTINGS.db, maxOutlinkLength: 10_000 } });
    fc.assert(
      fc.property(html, (page) => {
        const body = Buffer.from(`\ufeff${page}`);
        const outcome = parser.parse({ url: 'http://h.com/d/', content: body, contentType: 'text/html', headers: {} });
        const { text, outlinks, robots } = outcome as Extract<ParseOutcome, { kind: 'success' }>;
        const expected = textAndLinks(plainTree(body.toString().replace(/^\ufeff/, '')), 'http://h.com/d/');
        expect(text.replace(/\s+/g, '')).toBe(expected.text);
        expect(outlinks.map((link) => link.url)).toEqual(robots.nofollow ? [] : expected.links);
      }),
      fuzzed(20_240_703, 2000),
    );
  });
});

function expectSound(outcome: ParseOutcome): void {
  if (outcome.kind === 'failed') {
    expect(outcome.code).toBe('unsupported_type');
    expect(outcome.message?.length ?? 0).toBeLessThan(500);
    return;
  }
  const { outlinks, canonical, refresh, metadata, title, text: body } = outcome;
  for (const link of [...outlinks.map((outlink) => outlink.url), canonical, refresh?.url]) {
    if (link === undefined) continue;
    expect(new URL(link).href).toBe(link);
    expect(link).toMatch(/^https?:\/\/[^#]+$/);
    expect(link.length).toBeLessThanOrEqual(SETTINGS.db.maxOutlinkLength);
  }
  expect(new Set(outlinks.map((link) => link.url)).size).toBe(outlinks.length);
  for (const { anchor, lastModified = 0, changeInterval = 1, priority = 0 } of outlinks) {
    expect(anchor.length).toBeLessThanOrEqual(SETTINGS.db.maxAnchorLength);
    expect([lastModified, changeInterval, priority].every(Number.isFinite)).toBe(true);
  }
  expect(body.length).toBeLessThanOrEqual(SETTINGS.parser.textLimit);
  expect(title.length).toBeLessThanOrEqual(2_000);
  for (const line of [body, title]) expect(line).toBe(line.replace(/\s+/g, ' ').trim());
  expect(Object.keys(metadata).length).toBeLessThanOrEqual(128);
  for (const [name, said] of Object.entries(metadata)) {
    expect(name.length).toBeLessThanOrEqual(100);
    expect(said.length).toBeLessThanOrEqual(1_000);
  }
}
