import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { fuzzed } from '../../support/runs.js';
import { statedOf } from './stated-of.js';

async function itemsOf(html: string): Promise<unknown> {
  return (await statedOf(html, ['microdata'])).values.microdata;
}

describe('the field microdata', () => {
  it('gives the result of the example in the HTML Standard', async () => {
    const html = `<!DOCTYPE HTML><html lang="en"><title>My Blog</title>
      <article itemscope itemtype="http://schema.org/BlogPosting"><header>
      <h1 itemprop="headline">Progress report</h1><p><time itemprop="datePublished" datetime="2013-08-29">today</time></p>
      <link itemprop="url" href="?comments=0"></header><p>All in all, he's doing well with his swim lessons.</p><section>
      <h1>Comments</h1>
      <article itemprop="comment" itemscope itemtype="http://schema.org/UserComments" id="c1"><link itemprop="url" href="#c1">
      <footer><p>Posted by: <span itemprop="creator" itemscope itemtype="http://schema.org/Person"><span itemprop="name">Greg</span></span></p>
      <p><time itemprop="commentTime" datetime="2013-08-29">15 minutes ago</time></p></footer></article></section></article>`;
    expect(await itemsOf(html)).toEqual([
      {
        type: ['http://schema.org/BlogPosting'],
        properties: {
          headline: ['Progress report'],
          datePublished: ['2013-08-29'],
          url: ['https://a.com/d/page?comments=0'],
          comment: [
            {
              type: ['http://schema.org/UserComments'],
              properties: {
                url: ['https://a.com/d/page'],
                creator: [{ type: ['http://schema.org/Person'], properties: { name: ['Greg'] } }],
                commentTime: ['2013-08-29'],
              },
            },
          ],
        },
      },
    ]);
  });

  it('takes values from the right attribute of each element', async () => {
    const html = `<base href="https://b.com/x/"><div itemscope itemid="i">
      <meta itemprop=m content="1"><img itemprop=src src="p.png"><a itemprop=href href="/q">text</a><object itemprop=data data="o"></object>
      <data itemprop=v value="2">two</data><meter itemprop=v value="3">three</meter><time itemprop=t>2024-05-01</time>
      <span itemprop="text other"> a <b>b</b></span><img itemprop=none></div>`;
    expect(await itemsOf(html)).toEqual([
      {
        id: 'https://b.com/x/i',
        properties: {
          m: ['1'],
          src: ['https://b.com/x/p.png'],
          href: ['https://b.com/q'],
          data: ['https://b.com/x/o'],
          v: ['2', '3'],
          t: ['2024-05-01'],
          text: [' a b'],
          other: [' a b'],
          none: [''],
        },
      },
    ]);
  });

  it('follows itemref, in the order of the page', async () => {
    const html = `<p id=one itemprop=p>1</p><div itemscope itemref="two one none"><p itemprop=p>2</p></div><p id=two><i itemprop=p>3</i></p>`;
    expect(await itemsOf(html)).toEqual([{ properties: { p: ['1', '2', '3'] } }]);
  });

  it('has ERROR in the place of an item that contains itself', async () => {
    const html = `<div itemscope itemref=a></div><div id=a itemprop=a itemscope itemref=b></div><div id=b itemprop=b itemscope itemref=a></div>`;
    expect(await itemsOf(html)).toEqual([
      { properties: { a: [{ properties: { b: [{ properties: { a: ['ERROR'] } }] } }] } },
    ]);
  });

  it('ignores a property named __proto__', async () => {
    const items = (await itemsOf('<div itemscope><p itemprop="__proto__ a">x</p></div>')) as { properties: object }[];
    expect(Object.keys(items[0]!.properties)).toEqual(['a']);
  });

  it.each([
    ['items that double with each that they name', doubling(60)],
    ['texts within texts', `<div itemscope>${'<b itemprop=a>'.repeat(400)}${'x'.repeat(1000)}</div>`],
    ['empty elements with properties within one another', `<div itemscope>${'<div itemprop=a>'.repeat(20_000)}`],
    ['items within one another', '<div itemscope itemprop=a>'.repeat(5_000).replace(' itemprop=a', '')],
    [
      'a text with many names',
      `<div itemscope><p itemprop="${Array.from({ length: 100_000 }, (_, n) => n.toString(36)).join(' ')}">${'x'.repeat(10_000)}</div>`,
    ],
    ['items with several names within one another', `<div itemscope>${'<div itemscope itemprop="a b c">'.repeat(39)}`],
    [
      'types of an item that others name',
      `<p id=x itemprop=p itemscope itemtype="${'t '.repeat(50_000)}" itemid="/${'i'.repeat(50_000)}"></p>${'<i itemscope itemref=x></i>'.repeat(2000)}`,
    ],
    ['names without end', `<div itemscope itemref="${'a '.repeat(200_000)}">${'<p itemprop=x>'.repeat(100)}</div>`],
  ])('has a limit for %s', async (_, html) => {
    expect(JSON.stringify(await itemsOf(html)).length).toBeLessThan(20_000_000);
  });

  it('reads any page, and returns plain JSON', async () => {
    const part = fc.constantFrom(
      '<div itemscope>',
      '<div itemprop=a itemscope itemref="x y">',
      '<p itemprop="b a">t',
      '<i id=x itemprop=c itemscope itemref=y>',
      '<i id=y itemref=x itemscope>',
      '</div>',
      '</p>',
      '</i>',
      '<meta itemprop=m content=1>',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 30 }), async (parts) => {
        const items = await itemsOf(parts.join(''));
        if (items !== undefined) expect(JSON.parse(JSON.stringify(items))).toEqual(items);
      }),
      fuzzed(1, 50),
    );
  });
});

/** Items. Each item names the next one twice. */
function doubling(depth: number): string {
  const items = Array.from(
    { length: depth },
    (_, n) =>
      `<div id=a${n} itemprop=a itemscope itemref="a${n + 1} b${n + 1}"></div><div id=b${n} itemprop=b itemscope itemref="a${n + 1} b${n + 1}"></div>`,
  );
  return `<div itemscope itemref="a0 b0"></div>${items.join('')}`;
}
