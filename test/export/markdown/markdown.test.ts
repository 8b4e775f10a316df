import { describe, expect, it } from 'vitest';
import { exportChunks, jobs, pageDump, type OpenContext } from '../../../packages/webcrawl/internal.js';
import { COMPUTED_FIELDS } from '../../../packages/export/public.js';
import { countWords } from '../../../packages/export/markdown/count-words.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { testCrawl } from '../../support/test-crawl.js';
import { MADE_PAGES } from './made-pages.js';

const URL = 'http://a.com/guide/page';

async function crawled(pages: Record<string, string>): Promise<OpenContext> {
  const crawl = await testCrawl(fakeWeb(pages));
  await jobs.crawl(crawl, { seeds: Object.keys(pages), stay: 'host', depth: 0 });
  return crawl;
}

async function markdownOf(html: string): Promise<string | undefined> {
  await using crawl = await crawled({ [URL]: html });
  const { reads, dump } = await pageDump(crawl.settings, ['markdown']);
  const row = await crawl.page(URL, reads);
  return dump(row!).markdown as string | undefined;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [];

describe('the field markdown', () => {
  it.each(MADE_PAGES)('has the main content of a page of $generator, and little else', async ({ html, main }) => {
    const found = wordsOf((await markdownOf(html)) ?? '');
    const wanted = wordsOf(main);
    const left = [...wanted];
    const right = found.filter((word) => {
      const at = left.indexOf(word);
      if (at !== -1) left.splice(at, 1);
      return at !== -1;
    }).length;
    expect(right / found.length, 'precision').toBeGreaterThan(0.95);
    expect(right / wanted.length, 'recall').toBeGreaterThan(0.97);
  });

  it('keeps headings, lists, tables and code, and makes links absolute', async () => {
    const markdown = await markdownOf(`<body><nav><a href="/">Home</a></nav><main><h1>Tides</h1>
      <p>See <a href="../moon#new">the <b>moon</b></a>, <a href="javascript:x()">not this</a>.</p>
      <ul><li>spring<ul><li>high</li></ul></li><li>neap</li></ul>
      <table><tr><th>place</th><th>metres</th></tr><tr><td>Brest</td><td>6.1</td></tr></table>
      <h2>Code</h2><pre><code class="language-js">const a = 1;
if (a) b();</code></pre></main><footer>Imprint</footer></body>`);
    expect(markdown).toMatch(/^# Tides$/m);
    expect(markdown).toContain('[the **moon**](http://a.com/moon#new)');
    expect(markdown).toContain('not this');
    expect(markdown).not.toMatch(/javascript:|Home|Imprint/);
    expect(markdown).toMatch(/^\* spring\n +\* high\n\* neap$/m);
    expect(markdown).toMatch(/^\| place \| metres \|\n\| - \| - \|\n\| Brest \| 6\.1 \|$/m);
    expect(markdown).toContain('```js\nconst a = 1;\nif (a) b();\n```');
  });

  it('keeps the lines of code that are separate elements, without their numbers and hints', async () => {
    const markdown =
      await markdownOf(`<main><h1>Solve</h1><div class="fragment"><div class="line"><span class="lineno">1</span><a href="#m">Matrix</a> A;</div>
      <div class="line">  solve(A);</div><div class="ttc" id="t"><div class="ttname">Matrix</div><div class="ttdoc">The matrix class</div></div></div>
      <table><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre>int a;\n  a = 1;</pre></td></tr></table></main>`);
    expect(markdown).toBe('# Solve\n\n```\nMatrix A;\n  solve(A);\n```\n\n```\nint a;\n  a = 1;\n```');
  });

  it('splits tables and lists that contain what Markdown cannot show in them', async () => {
    const table = await markdownOf(
      '<main><table><caption>Both</caption><tr><th>Source</th><th>Output</th></tr><tr><td><pre>a;\nb;</pre></td><td><table><tr><th>k</th></tr><tr><td>v</td></tr></table></td></tr></table></main>',
    );
    expect(table).toBe('Both\n\nSource\n\nOutput\n\n```\na;\nb;\n```\n\n| k |\n| - |\n| v |');
    const list = await markdownOf(
      '<main><h2>Methods</h2><ul><li><section><h3>add</h3><p>Adds.</p><ul><li>one</li></ul></section></li><li><h3>clear</h3>Clears.</li></ul></main>',
    );
    expect(list).toBe('## Methods\n\n### add\n\nAdds.\n\n* one\n\n### clear\n\nClears.');
  });

  it('keeps the numbers of a list of steps with code, and the spaces between words', async () => {
    const steps =
      '<main><ol start="3"><li>Do:<pre>a;</pre></li><li><pre>b;</pre>Then <code>c</code>\nand <b>d</b>\ne.</li></ol><p>End.</p></main>';
    expect(await markdownOf(steps)).toBe(
      '3. Do:\n   ```\n   a;\n   ```\n\n4. ```\n   b;\n   ```\n\n   Then `c` and **d** e.\n\nEnd.',
    );
    expect(await markdownOf(steps.replace('"3"', '"0"'))).toContain('0. Do:');
  });

  it('makes one line of a heading with several', async () => {
    const page = '<main><h1>Uses of Class<br>org.tides.<b>Gauge</b></h1><p>None.</p></main>';
    expect(await markdownOf(page)).toBe('# Uses of Class org.tides.**Gauge**\n\nNone.');
  });

  it('drops a table of links at the top of a page without a landmark', async () => {
    const page =
      '<body><table><tr><td><a href="/">Home</a></td><td><a href="/faq">FAQ</a></td></tr></table><h1>Tides</h1><p>They come and go.</p>';
    expect(await markdownOf(page)).toBe('# Tides\n\nThey come and go.');
  });

  it('separates the items of a list of terms', async () => {
    const terms = '<main><dl><dt>Returns:</dt><dd>the sum</dd><dt>Since:</dt><dd><p>2.1</p></dd></dl></main>';
    expect(await markdownOf(terms)).toBe('**Returns:**\n\nthe sum\n\n**Since:**\n\n2.1');
  });

  it('is absent without a body, HTML or text', async () => {
    expect(await markdownOf('')).toBeUndefined();
    expect(await markdownOf('<nav><a href="/"><img src="/a.png"></a></nav>')).toBeUndefined();
    await using crawl = await testCrawl(undefined);
    const { reads, dump } = await pageDump(crawl.settings, ['title', 'markdown']);
    expect(reads).toEqual(['title', ...COMPUTED_FIELDS.markdown.needs]);
    const key = 'com.a:http/';
    expect(dump({ key, title: 'x' })).toEqual({ key, url: 'http://a.com/', title: 'x' });
    const content = Buffer.from('{}');
    expect(dump({ key, content, contentType: 'application/json' })).not.toHaveProperty('markdown');
  });

  it('is a field of crawl.pages; fields that are read only to make it are not in the pages', async () => {
    await using crawl = await crawled({ [URL]: '<title>T</title><main><h1>Tides</h1><p>High.</main>' });
    const pages: unknown[] = [];
    for await (const page of crawl.pages({ fields: ['title', 'markdown'] })) {
      const markdown: string | undefined = page.markdown;
      pages.push({ ...page, markdown });
    }
    const found = { key: expect.any(String) as string, url: URL, status: 'fetched', title: 'T' };
    expect(pages).toEqual([{ ...found, markdown: '# Tides\n\nHigh.' }]);
    for await (const page of crawl.pages({ fields: ['contentType', 'markdown'], sort: 'score', limit: 1 })) {
      expect(page).toMatchObject({ contentType: 'text/html', markdown: '# Tides\n\nHigh.' });
      expect(page).not.toHaveProperty('content');
    }
  });

  it('works for a deeply nested page and for a large one', async () => {
    expect(await markdownOf(`<main>top${'<div>'.repeat(50_000)}deep</main>`)).toContain('top');
    const large = await markdownOf(
      `<main>${'<p>One more line was written down, as on every day before, by its keeper.</p>'.repeat(8000)}</main>`,
    );
    expect(large!.length).toBeGreaterThan(400_000);
  });
});

describe('exportChunks', () => {
  const BEFORE =
    'This page was written in spring, when the tides are high, and it is read again every autumn, when they are low.';
  const html = `<title>Tides</title><main><p>${BEFORE}</p><h1>Tides</h1><p>${'a b c d e '.repeat(20)}</p><p>Second.</p>
    <h3>潮汐</h3><p>${'月亮和太阳的引力。'.repeat(20)}</p><pre>${'one two\n'.repeat(60)}</pre></main>`;

  async function chunks(crawl: OpenContext, maxWords?: number): Promise<Record<string, unknown>[]> {
    let text = '';
    const stdout = (data: Uint8Array): Promise<void> => {
      text += Buffer.from(data).toString();
      return Promise.resolve();
    };
    await exportChunks(crawl, { output: '-', stdout, ...(maxWords !== undefined && { maxWords }) });
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it('writes chunks by heading with their path, no longer than the limit', async () => {
    await using crawl = await crawled({ [URL]: html });
    const all = await chunks(crawl);
    expect(all.map(({ headings }) => headings)).toEqual([[], ['Tides'], ['Tides', '潮汐']]);
    expect(all.map(({ position }) => position)).toEqual([0, 1, 2]);
    expect(all[0]).toMatchObject({ url: URL, title: 'Tides', headings: [], text: BEFORE, position: 0 });
    const short = await chunks(crawl, 40);
    expect(short.length).toBeGreaterThan(8);
    expect(short.filter(({ text }) => countWords(text as string) > 40)).toEqual([]);
    const code = short.filter(({ text }) => (text as string).startsWith('```'));
    expect(code.length).toBeGreaterThan(1);
    expect(code.every(({ text }) => (text as string).endsWith('\n```'))).toBe(true);
    const words = (list: typeof all): string[] => list.flatMap(({ text }) => wordsOf(text as string));
    expect(words(short)).toEqual(words(all));
  });

  it('has headings as plain text, and code that looks like a heading or the end of code as code', async () => {
    const page =
      '<main><h1>C# &amp; __init__ <code>a*b</code></h1><p>text</p><pre>```\n# neither\n```</pre><h2>Second <em>level</em></h2><p>more</p></main>';
    await using crawl = await crawled({ [URL]: page });
    const found = await chunks(crawl);
    expect(found.map(({ headings }) => headings)).toEqual([
      ['C# & __init__ a*b'],
      ['C# & __init__ a*b', 'Second level'],
    ]);
    expect(found[0]!.text).toBe('text\n\n````\n```\n# neither\n```\n````');
  });

  it('cuts lists between items, tables between rows with the header, and counts the words of addresses', async () => {
    const page = `<main><ol>${'<li>one two three</li>'.repeat(4)}</ol><table><tr><th>k</th><th>v</th></tr>${'<tr><td>a b</td><td>c</td></tr>'.repeat(4)}</table></main>`;
    await using crawl = await crawled({ [URL]: page });
    const texts = (await chunks(crawl, 8)).map(({ text }) => text);
    expect(texts).toEqual([
      '1. one two three\n2. one two three',
      '3. one two three\n4. one two three',
      '| k | v |\n| - | - |\n| a b | c |\n| a b | c |',
      '| k | v |\n| - | - |\n| a b | c |\n| a b | c |',
    ]);
  });

  it('counts pages without Markdown, and rejects an invalid size', async () => {
    await using crawl = await crawled({ [URL]: '<img src="/a.png">' });
    expect(await chunks(crawl)).toEqual([]);
    const stdout = (): Promise<void> => Promise.resolve();
    expect((await exportChunks(crawl, { output: '-', stdout })).counters).toMatchObject({ no_markdown: 1 });
    await expect(exportChunks(crawl, { output: '-', stdout, maxWords: 0 })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
