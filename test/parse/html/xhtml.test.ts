import { describe, expect, it } from 'vitest';
import { htmlDocument, htmlParser } from '../../../packages/parse/index.js';
import type { ParsedPage } from '../../../packages/plugin-api/index.js';
import { PARSE_SETTINGS } from '../../support/parsing/parse-page.js';
import { parseXml, xmlOutcome } from '../../support/parsing/parse-xml.js';

const parse = (html: string, contentType = 'application/xhtml+xml') =>
  htmlParser(PARSE_SETTINGS).parse({
    url: 'http://h.com/',
    content: Buffer.from(html),
    contentType,
    headers: {},
  }) as ParsedPage;

describe('XHTML', () => {
  it.each(['script', 'style', 'title', 'textarea', 'iframe', 'noframes', 'xmp', 'noscript', 'a', 'div', 'select'])(
    'continues after <%s/>',
    (tag) => {
      const page = parse(`<html><head></head><body>a <${tag} /> b <a href="/x">c</a></body></html>`);
      expect(page.text).toBe('a b c');
      expect(page.outlinks).toEqual([{ url: 'http://h.com/x', anchor: 'c' }]);
    },
  );

  it('continues after self-closing elements in the head', () => {
    const page = parse('<html><head><title/><script src="s.js"/><style/></head><body><p/>text</body></html>');
    expect(page).toMatchObject({ title: '', text: 'text' });
  });

  it('has text in CDATA sections', () => {
    expect(parse('<p>a <![CDATA[b < c & <i>d</i>]]> e</p><p><![CDATA[f</p>').text).toContain('a b < c & <i>d</i> e');
    expect(parse('<script>//<![CDATA[\nx<y\n//]]></script>z').text).toBe('z');
  });

  it('knows named characters, and may be malformed', () => {
    expect(parse('<p>a&nbsp;b &copy; <b><i>c</b></i><br>d').text).toBe('a b © c d');
  });

  it('is read as HTML if its type is HTML', () => {
    expect(parse('<title/>a', 'text/html')).toMatchObject({ title: 'a' });
  });
});

describe('XML', () => {
  it('may be XHTML', async () => {
    const page = await parseXml(
      '<?xml version="1.0"?><!-- x --><html xmlns="http://www.w3.org/1999/xhtml"><title/><a href="/x">y</a></html>',
    );
    expect(page).toMatchObject({ text: 'y', outlinks: [{ url: 'http://h.com/x', anchor: 'y' }] });
  });

  it('that is XHTML has a tree, with any XML type', () => {
    const tree = (source: string, contentType: string) =>
      htmlDocument({ content: Buffer.from(source), contentType, charset: 'utf-8' }, PARSE_SETTINGS);
    for (const type of ['application/xhtml+xml', 'text/xml', 'application/xml', 'application/vnd.wap.xhtml+xml']) {
      expect(tree('<html xmlns="http://www.w3.org/1999/xhtml"><title/></html>', type), type).toBeDefined();
    }
    expect(tree('<rss/>', 'text/xml')).toBeUndefined();
    expect(tree('<html/>', 'text/plain')).toBeUndefined();
  });

  it.each([
    '<svg/>',
    '<?xml version="1.0"?><catalog><url><loc>http://h.com/</loc></url></catalog>',
    'x',
    '',
    '<!-- x',
    '<',
  ])('of other kinds is not read: %s', async (xml) =>
    expect(await xmlOutcome(xml)).toMatchObject({ kind: 'failed', code: 'unsupported_type' }),
  );

  it.each([
    [
      'the declaration',
      Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><rss><channel><title>\xe9</title>', 'latin1'),
      {},
      'é',
    ],
    ['a byte order mark', Buffer.from('\ufeff<rss><channel><title>é</title>', 'utf16le'), {}, 'é'],
    [
      'the header',
      Buffer.from('<rss><channel><title>\xe9</title>', 'latin1'),
      { 'content-type': 'text/xml; charset=latin1' },
      'é',
    ],
    ['nothing', Buffer.from('<rss><channel><title>é</title><meta charset="gbk"/>'), {}, 'é'],
    [
      'UTF-16 without a mark',
      Buffer.from('<?xml version="1.0" encoding="utf-16"?><rss><channel><title>é</title>', 'utf16le'),
      {},
      'é',
    ],
  ])('is decoded by %s', async (_, content, headers, title) => {
    expect((await parseXml(content, { headers })).title).toBe(title);
  });
});
