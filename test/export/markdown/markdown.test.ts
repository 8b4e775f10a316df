import { describe, expect, it } from 'vitest';
import { COMPUTED_FIELDS, exportChunks, jobs, pageDump, type Crawl } from '../../../packages/webcrawl/index.js';
import { countWords } from '../../../packages/export/markdown/split-markdown.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { testCrawl } from '../../support/test-crawl.js';
import { MADE_PAGES } from './made-pages.js';

const URL = 'http://a.com/guide/page';

async function crawled(pages: Record<string, string>): Promise<Crawl> {
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
  it.each(MADE_PAGES)('has the main part of a page of $generator, and little else', async ({ html, main }) => {
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
    expect(markdown).toContain('[the **moon**](http://a.com/moon)');
    expect(markdown).toContain('not this');
    expect(markdown).not.toMatch(/javascript:|Home|Imprint/);
    expect(markdown).toMatch(/^\* spring\n +\* high\n\* neap$/m);
    expect(markdown).toMatch(/^\| place +\| metres +\|\n\| -+ \| -+ \|\n\| Brest +\| 6\.1 +\|$/m);
    expect(markdown).toContain('```js\nconst a = 1;\nif (a) b();\n```');
  });

  it('is absent where there is no body, no HTML, or no content', async () => {
    expect(await markdownOf('')).toBeUndefined();
    expect(await markdownOf('<nav><a href="/">Home</a></nav>')).toBeUndefined();
    await using crawl = await testCrawl(undefined);
    const { reads, dump } = await pageDump(crawl.settings, ['title', 'markdown']);
    expect(reads).toEqual(['title', ...COMPUTED_FIELDS.markdown.needs]);
    const key = 'com.a:http/';
    expect(dump({ key, title: 'x' })).toEqual({ key, url: 'http://a.com/', title: 'x' });
    const content = Buffer.from('{}');
    expect(dump({ key, content, contentType: 'application/json' })).not.toHaveProperty('markdown');
  });

  it('bears a page that is nested deeply, and one that is large', async () => {
    expect(await markdownOf(`<main>top${'<div>'.repeat(50_000)}deep</main>`)).toContain('top');
    const large = await markdownOf(`<main>${'<p>word word word</p>'.repeat(40_000)}</main>`);
    expect(large!.length).toBeGreaterThan(400_000);
  });
});

describe('exportChunks', () => {
  const html = `<title>Tides</title><main><p>Before.</p><h1>Tides</h1><p>${'a b c d e '.repeat(20)}</p><p>Second.</p>
    <h3>潮汐</h3><p>${'月亮和太阳的引力。'.repeat(20)}</p><pre>${'one two\n'.repeat(60)}</pre></main>`;

  async function chunks(crawl: Crawl, maxWords?: number): Promise<Record<string, unknown>[]> {
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

  it('writes chunks by heading with their path, and no longer than is asked for', async () => {
    await using crawl = await crawled({ [URL]: html });
    const all = await chunks(crawl);
    expect(all.map(({ headings }) => headings)).toEqual([[], ['Tides'], ['Tides', '潮汐']]);
    expect(all.map(({ position }) => position)).toEqual([0, 1, 2]);
    expect(all[0]).toEqual({ url: URL, title: 'Tides', headings: [], text: 'Before.', position: 0 });
    const short = await chunks(crawl, 40);
    expect(short.length).toBeGreaterThan(8);
    expect(short.filter(({ text }) => countWords(text as string) > 40)).toEqual([]);
    const code = short.filter(({ text }) => (text as string).startsWith('```'));
    expect(code.length).toBeGreaterThan(1);
    expect(code.every(({ text }) => (text as string).endsWith('\n```'))).toBe(true);
    const words = (list: typeof all): string[] => list.flatMap(({ text }) => wordsOf(text as string));
    expect(words(short)).toEqual(words(all));
  });

  it('counts pages without Markdown, and refuses a size that is none', async () => {
    await using crawl = await crawled({ [URL]: '<nav>x</nav>' });
    expect(await chunks(crawl)).toEqual([]);
    const stdout = (): Promise<void> => Promise.resolve();
    expect((await exportChunks(crawl, { output: '-', stdout })).counters).toMatchObject({ no_markdown: 1 });
    await expect(exportChunks(crawl, { output: '-', stdout, maxWords: 0 })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
