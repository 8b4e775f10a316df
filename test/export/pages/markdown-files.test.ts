import { readdir, readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { exportPages, jobs, type ExportPagesOptions } from '../../../packages/webcrawl/internal.js';
import { fileOfPage } from '../../../packages/export/target/page-name.js';
import { testFolder } from '../../support/files/temp-folder.js';
import { changeRows } from '../../support/stores/put-rows.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { fuzzed } from '../../support/runs.js';
import { unsafeIn } from '../../support/unsafe-markdown.js';

describe('the file of a page', () => {
  it.each([
    ['https://example.com/', 'example.com/index.md'],
    ['https://example.com/guide/page.html', 'example.com/guide/page.html.md'],
    ['https://example.com/guide/', 'example.com/guide/index.md'],
    ['https://example.com/guide', 'example.com/guide.md'],
    ['http://example.com/guide', 'example.com~http/guide.md'],
    ['https://example.com:8443/guide', 'example.com~8443/guide.md'],
    ['https://manifest.json/a', '~7emanifest.json/a.md'],
  ])('%s: %s', (url, file) => {
    expect(fileOfPage(url)).toBe(file);
  });

  it.each([
    'https://a.com/guide/index',
    'https://a.com/Guide',
    'https://a.com/guide?a=1',
    'https://a.com/%2e%2e%2fx',
    'https://a.com/a//b',
    'https://a.com/a.md/b',
    'https://a.com/con.html',
    'https://a.com/a.',
    'https://a.com/.git/config',
    `https://a.com/${'a/'.repeat(40)}`,
    `https://a.com/${'a'.repeat(5000)}`,
  ])('has a shortened name with a hash: %s', (url) => {
    expect(fileOfPage(url)).toMatch(/^a\.com\/[a-z0-9_-]{0,60}~[0-9a-f]{20}\.md$/);
  });

  it('is unique, and within the folder', () => {
    const part = fc.stringMatching(/^[aA.%2fe~?/é-]{0,6}$/);
    const url = fc
      .tuple(fc.constantFrom('http', 'https'), part, part)
      .map(([scheme, a, b]) => `${scheme}://a.com/${a}/${b}`);
    const files = new Map<string, string>();
    fc.assert(
      fc.property(url, (given) => {
        const { href } = new URL(given);
        const file = fileOfPage(href).toLowerCase();
        expect(files.get(file) ?? href).toBe(href);
        files.set(file, href);
        expect(normalize(file)).toBe(file);
        expect(file).toMatch(/^[a-z0-9._~/-]+$/);
      }),
      fuzzed(1, 500),
    );
    // No file has the name of a folder.
    for (const file of files.keys())
      expect([...files.keys()].some((other) => other.startsWith(`${file}/`))).toBe(false);
  });
});

describe('export pages as files of Markdown', () => {
  const TITLE = 'Tides: "high", #1\n\u2028- no: yes';

  async function crawled(seeds = ['http://a.com/', 'http://a.com/none']): Promise<TestCrawl> {
    const crawl = await testCrawl(
      fakeWeb({
        'http://a.com/': '<title>Tides</title><main lang="en"><h1>Tides</h1><p>They come and go.</p></main>',
        'http://a.com/none': '<title>None</title>',
        'http://a.com/by':
          '<title>Neap</title><meta name="author" content="Ada Moss"><meta property="article:published_time" content="2020-05-01T08:00:00Z">' +
          '<main lang="en"><h1>Neap</h1><p>They are low.</p></main>',
      }),
    );
    await jobs.crawl(crawl, { seeds, stay: 'host', depth: 0 });
    return crawl;
  }

  async function exported(crawl: TestCrawl, options: Partial<ExportPagesOptions> = {}) {
    const output = join(testFolder(), 'pages');
    const { counters } = await exportPages(crawl, { output, format: 'markdown', ...options });
    const entries = await readdir(output, { recursive: true, withFileTypes: true });
    const names = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(output.length + 1));
    return { counters, output, names: names.sort() };
  }

  it('writes a file with front matter for each page with text, and counts the others', async () => {
    await using crawl = await crawled();
    await changeRows(crawl, [{ key: 'com.a:http/', set: { title: TITLE, language: 'en', modifiedAt: START } }]);
    const { counters, output, names } = await exported(crawl, { fields: ['distance'] });
    expect(names).toEqual(['a.com~http/index.md', 'manifest.json']);
    expect(counters).toMatchObject({ rows: 1, parts: 1, no_markdown: 1 });
    expect(await readFile(join(output, 'a.com~http/index.md'), 'utf8')).toBe(
      `---\ntitle: "Tides: \\"high\\", #1\\n\\u2028- no: yes"\nurl: "http://a.com/"\ndate: "${new Date(START).toISOString()}"\n` +
        'language: "en"\ndistance: 0\n---\n\n# Tides\n\nThey come and go.\n',
    );
    const manifest = JSON.parse(await readFile(join(output, 'manifest.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({ format: 'markdown', rows: 1, partCount: 1 });
  });

  it('has no HTML and no script in the front matter', async () => {
    await using crawl = await crawled(['http://a.com/']);
    const title = '<img src=x onerror=alert(1)> [a](javascript:alert(1)) `';
    await changeRows(crawl, [{ key: 'com.a:http/', set: { title } }]);
    const { output } = await exported(crawl, { fields: ['title'] });
    const text = await readFile(join(output, 'a.com~http/index.md'), 'utf8');
    expect(unsafeIn(text)).toEqual([]);
    expect(JSON.parse(/^title: (.*)$/m.exec(text)![1]!)).toBe(title);
  });

  it('has the author and date of a page in the front matter, once, even if these fields are requested', async () => {
    await using crawl = await crawled(['http://a.com/by']);
    for (const fields of [undefined, ['publishedAt', 'author', 'distance'] as const]) {
      const { output } = await exported(crawl, fields && { fields });
      const text = await readFile(join(output, 'a.com~http/by.md'), 'utf8');
      expect(text).toMatch(
        /^---\ntitle: "Neap"\nurl: "http:\/\/a\.com\/by"\nauthor: \["Ada Moss"\]\npublished: "2020-05-01T08:00:00\.000Z"\ndate: /,
      );
      expect(text.match(/^(author|published|distance):/gm)).toHaveLength(fields ? 3 : 2);
    }
  });

  it('states why a page must leave a copy, with the date of its fetch if no other date is known', async () => {
    await using crawl = await crawled();
    await changeRows(crawl, [{ key: 'com.a:http/', set: { status: 'gone', changedAt: START } }]);
    const { output } = await exported(crawl, { since: 0 });
    const text = await readFile(join(output, 'a.com~http/index.md'), 'utf8');
    expect(text).toMatch(
      /^---\ntitle: "Tides"\nurl: "http:\/\/a\.com\/"\ndate: "\d{4}-[^"]*"\nremoved: "not_there"\n---\n$/,
    );
  });

  it('refuses a single file, and a line for each link', async () => {
    await using crawl = await crawled();
    await expect(exported(crawl, { each: 'inlinks' })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(exportPages(crawl, { output: '-', format: 'markdown' })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
