import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadSettings } from '../../config/index.js';
import type { SearchResult } from '../../packages/search/index.js';
import { servePages, type ServeOptions, type ServeSource } from '../../packages/serve/index.js';
import { html } from '../../packages/serve/http/html.js';
import { readerLanguages } from '../../packages/serve/http/reader-languages.js';
import { withFilters } from '../../packages/serve/pages/filters.js';
import type { Block, Inline } from '../../packages/export/index.js';
import { shownBlocks } from '../../packages/serve/pages/blocks.js';
import { paragraphsOf } from '../../packages/serve/pages/other-pages.js';
import { accentsOf, contrast } from '../../packages/serve/site/site.js';
import { TEXTS } from '../../packages/serve/texts/index.js';
import { aRunningStatus, aStatus, fakeSource, found, HITS } from '../support/web/fake-source.js';
import { randomNumbers } from '../support/web/fake-web.js';
import { testFolder } from '../support/files/temp-folder.js';
import { words } from '../support/files/words.js';

let folder: string;
beforeEach(() => void (folder = testFolder()));

async function serve(options: ServeOptions = {}, change: Partial<ServeSource> = {}) {
  const served = await servePages(fakeSource(change), { port: 0, ...options });
  onTestFinished(() => served.close());
  return (path: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, served.url), { redirect: 'manual', headers });
}
const textOf = async (response: Promise<Response>): Promise<string> => (await response).text();
/** A proxy sends this header for a client, which is then not treated as the operator. */
const VISITOR = { 'x-forwarded-for': '192.0.2.7' };

describe('a customised search page', () => {
  it('has its name, logo, colour, links and language on the pages of visitors', async () => {
    const logo = join(folder, 'logo');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    await writeFile(logo, svg);
    const links = { 'Über <uns>': 'https://example.com/?a&b', Hilfe: '/cached' };
    const ask = await serve({ site: { name: 'Tee & Co', logo, color: '#aa0011', language: 'de', links } });
    const home = await textOf(ask('/', VISITOR));
    expect(home).toContain('<html lang="de">');
    expect(home).toContain('<title>Tee &amp; Co</title>');
    expect(home).toContain('<a href="https://example.com/?a&amp;b" >Über &lt;uns&gt;</a>');
    expect(home).not.toMatch(/webcrawl|Dashboard/);
    expect(await textOf(ask('/search?q=tee', VISITOR))).toContain('<strong>42 Seiten</strong> zu <bdi>tee</bdi>');
    expect(await textOf(ask('/opensearch.xml'))).toContain('<ShortName>Tee &amp; Co</ShortName>');
    const [, path = ''] = /<img src="(\/logo\?v=[0-9a-f]+)" alt=""/.exec(home) ?? [];
    const picture = await ask(path);
    expect([picture.headers.get('content-type'), await picture.text()]).toEqual(['image/svg+xml', svg]);
    // The picture does not run its script when it is opened directly.
    expect(picture.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*sandbox$/);
    expect(picture.headers.get('x-content-type-options')).toBe('nosniff');
    const [, style = ''] = /href="(\/style\.css\?v=[0-9a-f]+)"/.exec(home) ?? [];
    expect(await textOf(ask(style))).toContain('--accent: #aa0011; --on-accent: #ffffff');
    // The page of the operator is in English.
    expect(await textOf(ask('/dashboard'))).toContain('<html lang="en">');
  });

  it.each([
    ['a text file', 'no picture', 'another kind of file'],
    ['a file that is too large', `<svg>${' '.repeat(300_000)}</svg>`, '300011 bytes'],
    ['a missing file', undefined, 'ENOENT'],
  ])('rejects %s as logo', async (_, content, words) => {
    const logo = join(folder, 'logo.svg');
    if (content !== undefined) await writeFile(logo, content);
    const refused = servePages(fakeSource(), { port: 0, site: { logo } });
    await expect(refused).rejects.toMatchObject({ code: 'BAD_SETTING' });
    await expect(refused).rejects.toThrow(words);
  });

  it('rejects invalid settings', () => {
    const read = (value: unknown) => loadSettings({ overrides: { search: { site: value } } }).settings.search.site;
    expect(read({ links: { A: 'https://example.com/', B: '/b' } }).links).toEqual({
      A: 'https://example.com/',
      B: '/b',
    });
    for (const wrong of ['javascript:alert(1)', '//example.com/', '/\\example.com', 'example.com'])
      expect(() => read({ links: { A: wrong } })).toThrow('search.site.links');
    for (const color of ['red', '#fff', '#12345g']) expect(() => read({ color })).toThrow('search.site.color');
    expect(() => read({ language: 'xx' })).toThrow('search.site.language');
    expect(() => read({ name: ' ' })).toThrow('search.site.name');
  });

  it('can be read in any colour', () => {
    const random = randomNumbers(3);
    const some = Array.from({ length: 200 }, () => Math.floor(random() * 0x1000000));
    for (const color of [0, 0xffffff, 0xffff00, 0x0000ff, ...some].map((n) => `#${n.toString(16).padStart(6, '0')}`)) {
      const { light, dark } = accentsOf(color);
      expect(contrast(light.color, '#fbfbf9')).toBeGreaterThanOrEqual(4.5);
      expect(contrast(dark.color, '#151917')).toBeGreaterThanOrEqual(4.5);
      for (const { color: ground, on } of [light, dark]) expect(contrast(ground, on)).toBeGreaterThanOrEqual(4.5);
    }
    expect(accentsOf('#17695a').light.color).toBe('#17695a');
  });

  it('has the same texts in every language', () => {
    const filled = (text: string): boolean => text.trim() !== '';
    for (const texts of Object.values(TEXTS)) {
      expect(Object.keys(texts.problems)).toEqual(Object.keys(TEXTS.en.problems));
      expect([...texts.operators, ...texts.tips, texts.pages(1, '1'), texts.footer].every(filled)).toBe(true);
    }
  });
});

describe('visitors', () => {
  it.each(Object.keys(TEXTS) as (keyof typeof TEXTS)[])(
    'see no text about the command line, in %s',
    async (language) => {
      const notices = [{ code: 'index_incomplete', message: 'webcrawl index --all adds the rest' }] as const;
      const fails = (): Promise<never> => Promise.reject(Object.assign(new Error('npm install x'), { code: 'X' }));
      const made = [
        await serve({ site: { language } }, { search: () => Promise.resolve(found(HITS, { notices })) }),
        await serve({ site: { language } }, { search: () => Promise.resolve(found([])) }),
        await serve(
          { site: { language } },
          {
            search: fails,
            status: () => Promise.resolve(aStatus({ indexProblem: { code: 'NO_INDEX', hint: 'webcrawl index' } })),
          },
        ),
      ];
      for (const ask of made) {
        for (const path of words`
        / /search?q=a /search?q=a&page=x /cached?url=x /none /rules /rules/prefixes /rules/proposals
      `) {
          const text = await textOf(ask(path, VISITOR));
          expect(text, path).not.toMatch(/webcrawl [a-z]|npm |--[a-z]+ /);
          if (!path.startsWith('/rules')) expect(text, path).not.toContain('href="/dashboard"');
        }
      }
      // On this machine the page states what to do.
      expect(await textOf(made[2]!('/'))).toContain('webcrawl index');
      expect(await textOf(made[0]!('/search?q=a'))).toContain('webcrawl index --all');
    },
  );
});

describe('filters', () => {
  it('are operators of the query, set by a form that works without scripts', async () => {
    const asked: string[] = [];
    const ask = await serve({}, { search: (query) => (asked.push(query), Promise.resolve(found(HITS))) });
    const sent = await ask('/search?q=tea+-milk+lang%3Afr&site=+docs.example.com+&language=en&year=2025&lang=de');
    const to = sent.headers.get('location') ?? '';
    expect([sent.status, new URLSearchParams(to.replace(/^.*\?/, '')).get('q')]).toEqual([
      303,
      'tea -milk site:docs.example.com lang:en after:2025 before:2026',
    ]);
    const text = await textOf(ask(to));
    expect(asked).toEqual(['tea -milk site:docs.example.com lang:en after:2025 before:2026']);
    expect(text).toMatch(/<details class="narrow" {2}open>/);
    expect(text).toMatch(/<option value="docs\.example\.com" {2}selected>docs\.example\.com<\/option>/);
    expect(text).toMatch(/<option value="en" {2}selected>English<\/option>/);
    expect(text).toMatch(/<option value="2025" {2}selected>2025<\/option>/);
    const removed = await ask(`${to}&site=&language=&year=`);
    expect(removed.headers.get('location')).toBe('/search?q=tea+-milk&lang=de');
    expect((await ask('/search?q=&site=&year=')).headers.get('location')).toBe('/');
  });

  it('offer sites and sections with their hits, and none if all hits are in one place', async () => {
    const pageOf = async (change: Partial<SearchResult>, query = 'tea'): Promise<string> =>
      textOf((await serve({}, { search: () => Promise.resolve(found(HITS, change)) }))(`/search?q=${query}`));
    const sites = ['docs.example.com', '例え.test'].map((host, i) => ({
      site: new URL(`http://${host}`).host,
      hits: 9 - i,
    }));
    const page = await pageOf({ sites });
    expect(page).toContain('<label for="f-site">Site</label>');
    expect(page).toMatch(/<option value="docs.example.com" +>docs.example.com \(9\)<\/option>/);
    expect(page).toMatch(/<option value="xn--r8jz45g.test" +>例え.test \(8\)<\/option>/);
    const folders = [{ site: 'docs.example.com/tea', hits: 60 }];
    const many = await pageOf({ sites: folders, total: 400 }, 'tea+site:docs.example.com');
    expect(many).toContain('<label for="f-site">Section</label>');
    expect(many).toMatch(/<option value="docs.example.com\/tea" +>docs.example.com\/tea \(60\+\)<\/option>/);
    expect(many).toMatch(/<option value="docs.example.com" +selected>/);
    expect(await pageOf({})).not.toContain('f-site');
  });

  it('ignore invalid values', () => {
    const none = { site: '', language: '', year: '' };
    expect(withFilters('a site:b.c', { ...none, site: 'x y" OR' })).toBe('a site:xy OR');
    expect(withFilters('a', { ...none, language: 'e n', year: '20x5' })).toBe('a');
    expect(withFilters('-site:b.c "x y" intitle:z', { ...none, year: '1999' })).toBe(
      '"x y" intitle:z -site:b.c after:1999 before:2000',
    );
  });
});

describe('the language of the reader', () => {
  it('is that of the browser or of the address, and is passed to the search', async () => {
    const asked: unknown[] = [];
    const ask = await serve(
      {},
      { search: (_query, { languages }) => (asked.push(languages), Promise.resolve(found(HITS, { pages: 3 }))) },
    );
    const first = await ask('/search?q=a', { 'accept-language': 'de-CH, fr;q=0.5, en;q=0.8' });
    expect(first.headers.get('vary')).toBe('accept-language');
    const second = await ask('/search?q=a&lang=JA', { 'accept-language': 'de' });
    expect(await second.text()).toContain('href="/search?q=a&amp;page=2&amp;lang=ja"');
    const third = await ask('/api/search?q=a', { 'accept-language': 'pt' });
    expect(third.headers.get('vary')).toBe('accept-language');
    expect(asked).toEqual([['de', 'en', 'fr'], ['ja'], ['pt']]);
  });

  it.each([
    [undefined, []],
    ['*', []],
    ['en-US,en;q=0.9,de;q=0', ['en']],
    ['xx;q=0.1, zh-Hant-TW ; q=0.3, es', ['es', 'zh', 'xx']],
    ['"><script>, e, english, en;q=2, fr;q=0.12345', []],
    [`${'aa,'.repeat(5000)}bb`, ['aa']],
  ])('%s is %j', (header, languages) => {
    expect(readerLanguages(header)).toEqual(languages);
  });
});

describe('the text as crawled', () => {
  const text = (value: string): Inline => ({ type: 'text', value });
  const shown = (blocks: readonly Block[], most = 10_000): string =>
    html`${shownBlocks(blocks, most).shown}`.toString();

  it('is the main content with its headings, lists, tables and code', () => {
    const item = (value: string, checked?: boolean): Extract<Block, { type: 'list' }>['children'][number] => ({
      type: 'listItem',
      spread: false,
      ...(checked !== undefined && { checked }),
      children: [{ type: 'paragraph', children: [text(value)] }],
    });
    const row = (...cells: string[]) => ({
      type: 'tableRow' as const,
      children: cells.map((cell) => ({ type: 'tableCell' as const, children: [text(cell)] })),
    });
    const page = shown([
      { type: 'heading', depth: 1, children: [text('Tea')] },
      { type: 'heading', depth: 4, children: [text('Water')] },
      {
        type: 'paragraph',
        children: [
          text('2 '),
          { type: 'sup', children: [text('nd')] },
          { type: 'break' },
          { type: 'strong', children: [text('hot')] },
        ],
      },
      { type: 'list', ordered: true, start: 3, spread: false, children: [item('Boil', true), item('Pour')] },
      { type: 'code', lang: null, value: 'a\n  b' },
      { type: 'table', children: [row('Leaf', 'Time'), row('green', '2')] },
    ]);
    expect(page.replace(/(?<=>)\s*\n\s*|\s*\n\s*(?=<)/g, '')).toBe(
      '<h2>Tea</h2><h3>Water</h3><p>2 <sup>nd</sup><br /><strong>hot</strong></p>' +
        '<ol start="3"><li>☑ Boil</li><li>Pour</li></ol><pre><code>a\n  b</code></pre>' +
        '<div class="scroll" tabindex="0"><table><tr><th>Leaf</th><th>Time</th></tr><tr><td>green</td><td>2</td></tr></table></div>',
    );
  });

  it('has no HTML of the page, loads nothing, and links only to the web', () => {
    const evil = '"><script>alert(1)</script>\u202e';
    const page = shown([
      {
        type: 'paragraph',
        children: [
          text(evil),
          { type: 'inlineCode', value: evil },
          { type: 'image', url: 'https://a.example/x.png', alt: evil },
        ],
      },
      { type: 'code', lang: evil, value: evil },
      ...['javascript:alert(1)', 'data:text/html,x', `https://a.example/${evil}`].map((url): Block => ({
        type: 'paragraph',
        children: [{ type: 'link', url, children: [text('link')] }],
      })),
    ]);
    expect(page).not.toMatch(/<script|<img|javascript:|data:|\u202e|"">/);
    expect(page.match(/<a [^>]*>/g)).toEqual([
      '<a href="https://a.example/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;" rel="nofollow noreferrer noopener">',
    ]);
  });

  it('is cut by the characters of its text and its links together', () => {
    const link: Inline = { type: 'link', url: `https://a.example/${'x'.repeat(1000)}`, children: [text('y')] };
    const blocks = Array.from({ length: 100 }, (): Block => ({
      type: 'paragraph',
      children: Array.from({ length: 100 }, () => link),
    }));
    const { isCut } = shownBlocks(blocks, 50_000);
    expect(isCut).toBe(true);
    expect(shown(blocks, 50_000).length).toBeLessThan(60_000);
    expect(shownBlocks([{ type: 'paragraph', children: [text('abc')] }], 3)).toMatchObject({ isCut: false });
  });

  it('is in paragraphs that end with sentences, and is complete', () => {
    const paragraphs = (all: string): string[] =>
      paragraphsOf(all).map((block) => (block as { children: { value: string }[] }).children[0]!.value);
    const text = Array.from({ length: 60 }, (_, i) => `This is sentence ${i} of the page.`).join(' ');
    const found = paragraphs(text);
    expect(found.length).toBeGreaterThan(3);
    for (const paragraph of found) expect(paragraph).toMatch(/^This.{20,500}page\.$/);
    expect(found.join(' ')).toBe(text);
    expect(paragraphs('One.\n\n Two.')).toEqual(['One.', 'Two.']);
    expect(paragraphs(' \n ')).toEqual([]);
    // A menu has no sentences.
    const menu = 'Contents '.repeat(1000).trim();
    expect(paragraphs(menu).join(' ')).toBe(menu);
    expect(Math.max(...paragraphs(menu).map(({ length }) => length))).toBeLessThanOrEqual(1200);
    const signs = '😀'.repeat(2000);
    expect(paragraphs(signs).join('')).toBe(signs);
  });
});

describe('the dashboard', () => {
  const shown = (page: string): string => page.replaceAll(/<(div|section)[^>]* hidden[^>]*>[^]*?<\/\1>/g, '');

  it('shows no unknown figures, and no table without rows', async () => {
    const idle = await serve();
    const page = shown(await textOf(idle('/dashboard')));
    expect(page).not.toMatch(/>–<|In flight for longest|Hosts set aside|Open batches/);
    expect(page).toContain('data-text="due">0<');
    const runs = await serve({}, { status: () => Promise.resolve(aRunningStatus()) });
    expect(shown(await textOf(runs('/dashboard')))).toMatch(/In flight for longest[^]*Hosts set aside|Hosts set aside/);
  });

  it('names counters in words, and shows failures in the colour of errors', async () => {
    const counters = { not_found: 3, 'links_rejected_urlfilter-regex': 5, plugin_error_mine: 1 };
    const totals = { crawl: { done: 9, bytes: 0, counters, errors: { not_found: 3 } } };
    const ask = await serve({}, { status: () => Promise.resolve(aStatus({ totals })) });
    const page = await textOf(ask('/dashboard'));
    expect(page).toMatch(/data-tile="failed"\s+data-bad/);
    for (const words of ['not found', 'links rejected by urlfilter-regex', 'errors of mine'])
      expect(page).toContain(`>${words}<`);
    expect(page).toContain('title="links_rejected_urlfilter-regex"');
    const well = await serve();
    expect(await textOf(well('/dashboard'))).not.toMatch(/data-tile="failed"\s+data-bad/);
  });
});
