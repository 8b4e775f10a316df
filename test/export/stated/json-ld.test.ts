import { describe, expect, it } from 'vitest';
import { jsonLd, statedOf } from './stated-of.js';

async function blocksOf(html: string): Promise<{ blocks: unknown; skipped: number }> {
  const { values, skipped } = await statedOf(html, ['jsonLd']);
  return { blocks: values.jsonLd, skipped };
}

describe('the field jsonLd', () => {
  it('has all blocks of a page, wherever they are', async () => {
    const html = `<head>${jsonLd({ '@type': 'WebSite', name: 'S' })}</head><body><p>x${jsonLd([{ '@type': 'Product' }])}
      <script type=" application/ld+json;charset=utf-8 ">{"a":1}</script><script type="application/json">{"b":1}</script>`;
    expect(await blocksOf(html)).toEqual({
      blocks: [{ '@type': 'WebSite', name: 'S' }, [{ '@type': 'Product' }], { a: 1 }],
      skipped: 0,
    });
  });

  it.each([
    ['<!-- {"a":1} -->'],
    ['//<![CDATA[\n{"a":1}\n//]]>'],
    ['/*<![CDATA[*/ {"a":1} /*]]>*/'],
    ['\n\t{"a":1}\r\n'],
  ])('reads blocks inside comments and CDATA: %j', async (text) => {
    expect(await blocksOf(jsonLd(text))).toEqual({ blocks: [{ a: 1 }], skipped: 0 });
  });

  it('reads texts with line breaks', async () => {
    expect(await blocksOf(jsonLd('{"a":"one\n\ttwo"}'))).toEqual({ blocks: [{ a: 'one two' }], skipped: 0 });
  });

  it.each([
    ['broken JSON', '{"a":'],
    ['no object', '17'],
    ['null', 'null'],
    ['nested deep', `${'['.repeat(41)}${']'.repeat(41)}`],
    ['nested very deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['nested deep, and not closed', '['.repeat(900_000)],
    ['more than a million characters', JSON.stringify({ a: 'x'.repeat(1_000_000) })],
  ])('skips and counts %s', async (_, text) => {
    expect(await blocksOf(`${jsonLd(text)}${text.length < 900_000 ? jsonLd({ b: 1 }) : ''}`)).toEqual({
      blocks: text.length < 900_000 ? [{ b: 1 }] : undefined,
      skipped: 1,
    });
  });

  it('keeps values that are nested 40 deep', async () => {
    expect(await blocksOf(jsonLd(`${'['.repeat(40)}${']'.repeat(40)}`))).toMatchObject({ skipped: 0 });
  });

  it('has no half of a surrogate pair, because many programs reject a JSON file with one', async () => {
    const html = `${jsonLd('{"a\\udc00":"\\ud83d","b":["\\ud83d\\ude00"]}')}<p itemscope><b itemprop="c">${'x'.repeat(9999)}\u{1f600}</b></p>`;
    const { values } = await statedOf(html, ['jsonLd', 'microdata']);
    expect(values.jsonLd).toEqual([{ 'a\ufffd': '\ufffd', b: ['\u{1f600}'] }]);
    expect(JSON.stringify(values.microdata)).toMatch(/x\ufffd"/);
  });

  it('reads a hundred blocks', async () => {
    const { blocks } = await blocksOf(jsonLd({ a: 1 }).repeat(150));
    expect(blocks).toHaveLength(100);
  });

  it('has no empty blocks, and is absent without any', async () => {
    expect(await blocksOf(`${jsonLd('')}${jsonLd('  ')}`)).toEqual({ blocks: undefined, skipped: 0 });
  });

  it('has no key that changes the prototype of an object', async () => {
    const { blocks } = await blocksOf(
      jsonLd(
        '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}},"constructor":{"prototype":{"polluted":1}}}',
      ),
    );
    const [block] = blocks as [{ a: object }];
    expect(Object.assign({}, block)).not.toHaveProperty('polluted');
    expect(Object.assign({}, block.a)).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
    expect(Object.keys(block)).toEqual(['a', 'constructor']);
  });
});
