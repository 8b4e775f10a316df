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
    [
      'a link of an extension too',
      '<item><atom:link href="/at"/><link>/l</link><atom:link rel="self" href="/s"/></item>',
      [
        ['http://h.com/at', ''],
        ['http://h.com/l', ''],
      ],
    ],
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

  it.each([
    [
      'a prefix',
      'xmlns:r="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"',
      'r:',
      'rdf:',
    ],
    [
      'another prefix of RDF',
      'xmlns="http://purl.org/rss/1.0/" xmlns:x="http://www.w3.org/1999/02/22-rdf-syntax-ns#"',
      '',
      'x:',
    ],
    [
      'RDF without a prefix',
      'xmlns:r="http://purl.org/rss/1.0/" xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#"',
      'r:',
      '',
    ],
    ['no declarations', '', '', 'rdf:'],
    ['a namespace of RSS 0.90', 'xmlns="http://my.netscape.com/rdf/simple/0.9/"', '', 'rdf:'],
    ['a namespace of its own', 'xmlns="http://e.com/rss"', '', 'rdf:'],
  ])('1.0 may have %s', async (_, declared, rss, rdf) => {
    const page = await parseXml(`<${rdf}RDF ${declared}>
      <${rss}channel ${rdf}about="x"><${rss}title>T</${rss}title><${rss}link>http://h.com/</${rss}link></${rss}channel>
      <${rss}item ${rdf}about="http://h.com/1"><${rss}title>one</${rss}title></${rss}item></${rdf}RDF>`);
    expect(page.title).toBe('T');
    // Without a prefix an attribute is in no namespace.
    const found = rdf === '' ? [] : [{ url: 'http://h.com/1', anchor: 'one' }];
    expect(page.outlinks).toEqual([{ url: 'http://h.com/', anchor: '' }, ...found]);
  });

  it('is read by namespaces, not by prefixes', async () => {
    const xml = `<rss xmlns:link="http://e.com/" xmlns:dc="http://e.com/" xmlns:d="http://purl.org/dc/elements/1.1"
        xmlns:atom="http://e.com/atom" xmlns:a10="http://www.w3.org/2005/Atom"><channel>
      <item><dc:date>2021-05-01</dc:date><d:date>2024-05-01</d:date><x:link xmlns:x="http://e.com/">/no</x:link>
        <title xmlns="http://search.yahoo.com/mrss/">media</title><atom:link href="/no"/>
        <a10:link href="/yes"/><link>/l</link></item>
      <item><title>x</title><link>/m</link><a10:updated>2024-05-02T00:00:00Z</a10:updated></item></channel></rss>`;
    expect((await parseXml(xml)).outlinks).toEqual([
      { url: 'http://h.com/yes', anchor: '', lastModified: Date.UTC(2024, 4, 1) },
      { url: 'http://h.com/l', anchor: '', lastModified: Date.UTC(2024, 4, 1) },
      { url: 'http://h.com/m', anchor: 'x', lastModified: Date.UTC(2024, 4, 2) },
    ]);
  });

  it('limits the declarations of an element to that element', async () => {
    const xml = `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title xmlns:a="http://e.com/">no</a:title>
      <a:title>yes</a:title><a:link href="/x"/></a:entry></a:feed>`;
    expect(await links(xml)).toEqual([['http://h.com/x', 'yes']]);
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
      { url: 'http://h.com/other', anchor: 'X y', lastModified: Date.UTC(2024, 4, 1, 10) },
    ]);
  });

  it.each([
    ['text, if nothing is said', '', 'Use of &lt;b&gt;', 'Use of <b>'],
    ['text', 'type="text"', 'a &amp;amp; &lt;b&gt;c&lt;/b&gt;', 'a &amp; <b>c</b>'],
    ['text of another type', 'type="text/plain; charset=utf-8"', '&lt;b&gt;', '<b>'],
    ['HTML', 'type="html"', 'a &amp;amp; &lt;b&gt;c&lt;/b&gt;', 'a & c'],
    ['HTML by its media type', 'type="text/html"', '&lt;b&gt;c', 'c'],
    ['HTML in capitals', 'type=" HTML "', '&lt;b&gt;c', 'c'],
    [
      'XHTML',
      'type="xhtml"',
      '<div xmlns="http://www.w3.org/1999/xhtml">The &lt;col&gt; el<b>em</b>ent</div>',
      'The <col> element',
    ],
    [
      'XHTML with a prefix',
      'type="xhtml"',
      '<h:p xmlns:h="http://www.w3.org/1999/xhtml">x<h:br/>y<h:script>z</h:script></h:p>',
      'x y',
    ],
    ['escaped HTML of Atom 0.3', 'type="text/html" mode="escaped"', '&lt;b&gt;c', 'c'],
    ['elements of HTML in Atom 0.3', 'type="text/html" mode="xml"', '&lt;b&gt;<i>c</i>', '<b>c'],
    ['base64', 'mode="base64"', 'YWJj', ''],
    ['a picture', 'type="image/png"', 'YWJj', ''],
  ])('has a title that is %s', async (_, attributes, source, title) => {
    const page = await parseXml(
      atom(
        `<title ${attributes}>${source}</title><entry><title ${attributes}>${source}</title><link href="/x"/></entry>`,
      ),
    );
    expect(page.title).toBe(title);
    expect(page.outlinks[0]?.anchor).toBe(title);
  });

  it('may have a type for its titles in RSS too, where titles of RSS are HTML', async () => {
    const xml =
      '<rss><channel><title>&lt;b&gt;a</title><item><atom:title>&lt;b&gt;c</atom:title><link>/x</link></item>';
    expect(await parseXml(xml)).toMatchObject({ title: 'a' });
    expect(await links(`${xml}</channel></rss>`)).toEqual([['http://h.com/x', '<b>c']]);
  });

  it('has links in other languages, and of other types', async () => {
    const relation = 'http://www.iana.org/assignments/relation/alternate';
    const xml = atom(
      `<entry><title>t</title><link href="/en" hreflang="en"/><link rel="alternate" type="application/pdf" href="/pdf"/>
       <link rel="${relation}" href="/iana"/><link rel="self" href="/self"/><link rel="edit" href="/edit"/>
       <link rel="http://e.com/alternate" href="/own"/><link href="/en"/></entry>`,
    );
    expect(await links(xml)).toEqual([
      ['http://h.com/en', 't'],
      ['http://h.com/pdf', 't'],
      ['http://h.com/iana', 't'],
    ]);
  });

  it('is resolved with the innermost xml:base', async () => {
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
  it('cannot define entities', async () => {
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
    ['many namespaces', `<rss>${Array.from({ length: 900 }, (_, i) => `<a xmlns:p${i}="${i}" xmlns="x">`).join('')}`],
    ['declarations in one tag', `<rss ${Array.from({ length: 100_000 }, (_, i) => `xmlns:a${i}="b"`).join(' ')}>`],
    ['a long namespace', `<rss xmlns="${'/'.repeat(500_000)}x">`],
    ['many links of an entry', `<rss><channel><item>${'<link>/l</link>'.repeat(100_000)}</item>`],
    ['many entries', `<rss><channel>${'<item><title>t</title><link>/l</link></item>'.repeat(50_000)}`],
  ])('is survived: %s', async (_, xml) => {
    const page = await parseXml(xml);
    expect(page.text.length).toBeLessThanOrEqual(1_048_576);
    expect(page.title.length).toBeLessThanOrEqual(2000);
  });

  it('is read up to an element with more attributes than any real one has', async () => {
    const many = `<a ${Array.from({ length: 100_001 }, (_, i) => `a${i}=""`).join(' ')}/>`;
    const [before, after] = ['<item><link>/1</link></item>', '<item><link>/2</link></item>'];
    const page = await parseXml(rss(`<title>t</title>${before}${many}${after}`));
    expect(page).toMatchObject({ title: 't', truncated: true });
    expect(page.outlinks.map(({ url }) => url)).toEqual(['http://h.com/1']);
  });

  it('fails at its time limit', async () => {
    await expect(parseXml(rss('<title>t</title>'), { parser: { timeout: -1 } })).rejects.toThrow('timeout');
  });
});
