import { describe, expect, it } from 'vitest';
import { parseXml } from '../../support/parsing/parse-xml.js';

const rss = (inside: string) => `<?xml version="1.0"?><rss version="2.0"><channel>${inside}</channel></rss>`;
const atom = (inside: string, attributes = '') =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}>${inside}</feed>`;
const links = async (xml: string) => (await parseXml(xml)).outlinks.map(({ url, anchor }) => [url, anchor]);

describe('RSS', () => {
  it('gives title, text and links', async () => {
    const page = await parseXml(
      rss(`<title>News &amp; more</title><link>http://h.com/</link><description>What &lt;b&gt;happens&lt;/b&gt;</description>
        <language>en-gb</language><image><title>logo</title><link>http://h.com/logo</link></image>
        <item><title><![CDATA[One <i>and</i> two]]></title><link>
          /1 </link><description>&lt;p&gt;First&lt;/p&gt;&lt;p&gt;second&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;</description>
          <pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate></item>
        <item><link>http://h.com/2</link></item>`),
    );
    expect(page).toEqual({
      kind: 'success',
      title: 'News & more',
      text: 'News & more What happens One and two First second',
      outlinks: [
        { url: 'http://h.com/', anchor: '' },
        { url: 'http://h.com/1', anchor: 'One and two', lastModified: Date.UTC(2024, 4, 1, 10) },
        { url: 'http://h.com/2', anchor: '' },
      ],
      robots: { noindex: false, nofollow: false, noarchive: false },
      metadata: { description: 'What happens' },
      charset: 'utf-8',
      charsetSource: 'valid-utf-8',
      language: 'en-gb',
    });
  });

  it.each([
    ['a guid for want of a link', '<item><guid>http://h.com/g</guid></item>', [['http://h.com/g', '']]],
    ['a guid that is no link', '<item><guid isPermaLink="false">http://h.com/g</guid></item>', []],
    ['a link with an unknown entity', '<item><link>&h;/x</link><guid>http://h.com/&h;</guid></item>', []],
    ['a guid that is no URL', '<item><guid>17</guid></item>', []],
    ['a link before its guid', '<item><guid>http://h.com/g</guid><link>/l</link></item>', [['http://h.com/l', '']]],
    ['the titles of others', '<item><media:title>m</media:title><link>/l</link></item>', [['http://h.com/l', '']]],
    [
      'its own address',
      '<atom:link rel="self" href="/feed"/><atom:link rel="next" href="/2"/>',
      [['http://h.com/2', '']],
    ],
    [
      'the first of two titles',
      '<item><title>a</title><title>b</title><link>/l</link></item>',
      [['http://h.com/l', 'a']],
    ],
    [
      'one link twice',
      '<item><link>/l</link></item><item><title>b</title><link>/l</link></item>',
      [['http://h.com/l', 'b']],
    ],
    ['a link that leads nowhere', '<item><link>javascript:x</link></item>', []],
    ['a source', '<item><source><link>/s</link></source><link>/l</link></item>', [['http://h.com/l', '']]],
  ])('with %s', async (_, inside, expected) => expect(await links(rss(inside))).toEqual(expected));

  it('1.0 has its items beside the channel', async () => {
    const xml = `<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <channel><title>T</title><link>http://h.com/</link><items><rdf:Seq><rdf:li rdf:resource="x"/></rdf:Seq></items></channel>
      <item rdf:about="http://h.com/1"><title>one</title></item>
      <item rdf:about="http://h.com/x"><title>two</title><link>http://h.com/2</link><dc:date>2024-05</dc:date></item></rdf:RDF>`;
    expect(await links(xml)).toEqual([
      ['http://h.com/', ''],
      ['http://h.com/1', 'one'],
      ['http://h.com/2', 'two'],
    ]);
    expect((await parseXml(xml)).title).toBe('T');
  });

  it('0.9x has no namespaces', async () => {
    const xml =
      '<!DOCTYPE rss SYSTEM "http://e.com/rss.dtd"><rss version="0.91"><channel><item><title>t</title><link>/a</link>';
    expect(await links(`${xml}</item></channel></rss>`)).toEqual([['http://h.com/a', 't']]);
  });
});

describe('Atom', () => {
  it('gives title, text and links', async () => {
    const page = await parseXml(
      atom(
        `<title type="html">A &amp;lt;b&amp;gt;</title><subtitle>S</subtitle>
         <link rel="self" href="/feed"/><link href="/home"/><link rel="next" href="?page=2"/>
         <entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">X <b>y</b></div></title>
           <link rel="enclosure" href="/e.mp3"/><link rel="alternate" href="x"/><link href="/other"/>
           <id>tag:h.com,2024:1</id><updated>2024-05-01T10:00:00Z</updated><published>2023-05-01T10:00:00Z</published>
           <summary>sum</summary><content type="html">&lt;p&gt;con&lt;/p&gt;</content></entry>`,
        'xml:lang="de" xml:base="/blog/"',
      ),
    );
    expect(page).toMatchObject({ title: 'A <b>', text: 'A <b> S X y sum', language: 'de' });
    expect(page.outlinks).toEqual([
      { url: 'http://h.com/home', anchor: '' },
      { url: 'http://h.com/blog/?page=2', anchor: '' },
      { url: 'http://h.com/blog/x', anchor: 'X y', lastModified: Date.UTC(2024, 4, 1, 10) },
    ]);
  });

  it('resolves on the innermost xml:base', async () => {
    const xml = atom(
      `<entry xml:base="b/"><link href="x"/></entry><entry><link xml:base="http://i.com/c/" href="x"/></entry>
       <entry><link href="x"/></entry><entry xml:base="mailto:a@b.c"><link href="y"/></entry>`,
      'xml:base="/a/"',
    );
    expect((await links(xml)).map(([url]) => url)).toEqual([
      'http://h.com/a/b/x',
      'http://i.com/c/x',
      'http://h.com/a/x',
      'http://h.com/a/y',
    ]);
  });

  it('may have a prefix', async () => {
    const xml =
      '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>t</a:title><a:link href="/x"/></a:entry></a:feed>';
    expect(await links(xml)).toEqual([['http://h.com/x', 't']]);
  });
});

describe('a hostile feed', () => {
  it('defines entities in vain', async () => {
    const bomb = `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`;
    const page = await parseXml(`${bomb}${rss('<title>&b;&c;&#65;&lt;</title>').replace(/^<\?.*?\?>/, '')}`);
    expect(page.title.length).toBeLessThan(20);
    expect(page.title).not.toContain('aaa');
    expect(page.title).toContain('A<');
  });

  it.each([
    ['deep', `<rss><channel>${'<a>'.repeat(200_000)}`],
    ['deep in a title', `<rss><channel><title>${'<a>'.repeat(200_000)}`],
    ['closed again and again', `<rss>${'<a>'.repeat(900)}${'</b>'.repeat(200_000)}`],
    ['one long title', `<rss><channel><title>${'a '.repeat(1_000_000)}`],
    ['one long tag', `<rss ${Array.from({ length: 100_000 }, (_, i) => `a${i}="b"`).join(' ')}>`],
    ['nested entries', `<rss><channel>${'<item>'.repeat(500)}`],
    ['bases in bases', `<rss><channel>${'<item xml:base="a/">'.repeat(900)}<link>x</link>`],
    ['unfinished', `<rss>${'<![CDATA['.repeat(100_000)}`],
    ['unfinished comments', `<rss>${'<!--'.repeat(200_000)}`],
    ['unfinished entities', `<rss><channel><title>${'&'.repeat(500_000)}`],
    ['markup in titles', `<rss><channel><title><![CDATA[${'<b>'.repeat(500_000)}]]></title>`],
    ['many entries', `<rss><channel>${'<item><title>t</title><link>/l</link></item>'.repeat(50_000)}`],
  ])('is survived: %s', async (_, xml) => {
    const page = await parseXml(xml);
    expect(page.text.length).toBeLessThanOrEqual(1_048_576);
    expect(page.title.length).toBeLessThanOrEqual(2000);
  });

  it('fails when the time is over', async () => {
    await expect(parseXml(rss('<title>t</title>'), { parser: { timeout: -1 } })).rejects.toThrow('timeout');
  });
});
