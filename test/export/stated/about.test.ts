import { describe, expect, it } from 'vitest';
import { jsonLd, statedOf } from './stated-of.js';

const FIELDS = ['openGraph', 'author', 'image', 'siteName', 'hreflang', 'feeds', 'h1', 'canonical'] as const;

async function valuesOf(html: string): Promise<Record<string, unknown>> {
  return (await statedOf(html, FIELDS)).values;
}

describe('metadata that a page states', () => {
  it('is absent if the page states nothing', async () => {
    expect(await valuesOf('<p>text')).toEqual({});
    expect(await valuesOf('')).toEqual({});
  });

  it('h1 is the first one with text', async () => {
    expect(await valuesOf('<h1> <img></h1><div><h1>The <b>first</b></h1></div><h1>second</h1>')).toEqual({
      h1: 'The first',
    });
  });

  it('canonical is the one that parse has stored', async () => {
    const canonical = 'https://a.com/c';
    const { values } = await statedOf('<link rel=canonical href=/not-read>', FIELDS, { canonical });
    expect(values).toEqual({ canonical });
  });

  it('openGraph has the properties of its vocabularies, as lists if they are repeated', async () => {
    const { openGraph } =
      await valuesOf(`<meta property="og:title" content=" A  b "><meta name="og:type" content=article>
      <meta property="og:image" content=1><meta property="OG:image" content=2><meta property="og:image:alt" content=a>
      <meta property="article:tag" content=x><meta property="product:price:amount" content=9.50><meta property="fb:app_id" content=1>
      <meta property="og:__proto__" content=p><meta property="__proto__" content=p><meta property="og:empty" content="">`);
    expect(openGraph).toEqual({
      'og:title': 'A b',
      'og:type': 'article',
      'og:image': ['1', '2'],
      'og:image:alt': 'a',
      'article:tag': 'x',
      'product:price:amount': '9.50',
      'og:__proto__': 'p',
    });
  });

  it.each([
    [
      'names',
      jsonLd({ '@type': 'Article', author: [{ name: 'A B' }, 'C', { '@type': 'Person', name: ' A  B ' }] }),
      ['A B', 'C'],
    ],
    [
      'a node by its id',
      jsonLd({
        '@graph': [
          { '@type': 'Article', author: { '@id': '#p' } },
          { '@id': '#p', name: 'P' },
        ],
      }),
      ['P'],
    ],
    [
      'the article before the page',
      jsonLd([
        { '@type': 'WebPage', author: 'W' },
        { '@type': 'NewsArticle', author: 'N' },
      ]),
      ['N'],
    ],
    ['meta elements', '<meta name=author content="By A"><meta name=author content=B>', ['A', 'B']],
    ['no URL', '<meta property="article:author" content="https://f.com/a"><meta name="dc.creator" content=D>', ['D']],
    ['itemprop', '<p itemprop=author itemscope>by <b itemprop=name>I</b></p>', ['I']],
    ['rel', '<p>von <a rel="author external" href=/a>R</a>', ['R']],
  ])('author by %s', async (_, html, author) => {
    expect(await valuesOf(html)).toMatchObject({ author });
  });

  it('author is read in one pass over nodes that refer to each other by id', async () => {
    const long = { '@id': 'a', name: 'x'.repeat(400_000) };
    const others = Array.from({ length: 900 }, () => ({ author: Array.from({ length: 40 }, () => ({ '@id': 'a' })) }));
    const html = `${jsonLd([long, ...others])}<meta name=author content=M>`;
    expect(await valuesOf(html)).toMatchObject({ author: ['M'] });
  });

  it.each([
    [
      'Open Graph',
      '<base href=/b/><meta property="og:image" content="x.png"><link rel=image_src href=l>',
      'https://a.com/b/x.png',
    ],
    ['Twitter', '<meta name="twitter:image" content="//c.com/t">', 'https://c.com/t'],
    ['JSON-LD', jsonLd({ '@type': 'Product', image: [{ '@type': 'ImageObject', url: '/j' }] }), 'https://a.com/j'],
    ['a link', '<link rel="image_src" href="l">', 'https://a.com/d/l'],
    [
      'nothing but http',
      '<meta property="og:image" content="data:image/png;base64,xx"><link rel=image_src href=l>',
      'https://a.com/d/l',
    ],
  ])('image by %s', async (_, html, image) => {
    expect(await valuesOf(html)).toMatchObject({ image });
  });

  it.each([
    ['Open Graph', '<meta property="og:site_name" content=O><meta name=application-name content=A>', 'O'],
    ['the publisher', jsonLd({ '@type': 'Article', publisher: { name: 'P' } }), 'P'],
    ['the site', jsonLd({ '@graph': [{ '@type': 'WebPage' }, { '@type': 'WebSite', name: 'W' }] }), 'W'],
    ['the application', '<meta name=application-name content=A>', 'A'],
  ])('siteName by %s', async (_, html, siteName) => {
    expect(await valuesOf(html)).toMatchObject({ siteName });
  });

  it('hreflang has the page in other languages, the first of each', async () => {
    const { hreflang } =
      await valuesOf(`<link rel=alternate hreflang=de href=/de><link rel=alternate hreflang=DE href=/2>
      <link rel="alternate" hreflang=pt_BR href=/pt><link rel=alternate hreflang=x-default href=/><link rel=alternate hreflang="no tag" href=/n>
      <link rel="alternate stylesheet" hreflang=fr href=/s><link rel=next hreflang=it href=/i><link rel=alternate hreflang=es>`);
    expect(hreflang).toEqual({
      de: 'https://a.com/de',
      'pt-br': 'https://a.com/pt',
      'x-default': 'https://a.com/',
    });
  });

  it('feeds has the feeds of the page, each once', async () => {
    const { feeds } =
      await valuesOf(`<link rel="alternate" type="application/rss+xml; charset=utf-8" title=" All  posts " href="/feed">
      <link rel=alternate type="APPLICATION/ATOM+XML" href="atom.xml"><link rel=alternate type="application/feed+json" title="" href=/json>
      <link rel=alternate type="application/json" href=/wp-json/x><link rel=alternate type="application/rss+xml" title=again href="/feed">
      <link rel=stylesheet type="application/rss+xml" href=/s><link rel=alternate type="application/rss+xml" href="javascript:x">`);
    expect(feeds).toEqual([
      { url: 'https://a.com/feed', type: 'application/rss+xml', title: 'All posts' },
      { url: 'https://a.com/d/atom.xml', type: 'application/atom+xml' },
      { url: 'https://a.com/json', type: 'application/feed+json' },
    ]);
  });

  it('all fields share one tree, which markdown changes and therefore gets last', async () => {
    const html = `<title>T</title>${jsonLd({ a: 1 })}<form itemscope><p itemprop=p>x</p></form><main><h1>H</h1><p>Text.</p></main>`;
    const { values } = await statedOf(html, ['markdown', 'microdata', 'jsonLd']);
    expect(values).toEqual({
      markdown: expect.stringContaining('Text.') as string,
      microdata: [{ properties: { p: ['x'] } }],
      jsonLd: [{ a: 1 }],
    });
  });
});
