import { describe, expect, it } from 'vitest';
import { jobs, type CrawledPage, type OnPage, type Plugin } from '../../../packages/webcrawl/internal.js';
import { CUSTOM_LIMIT } from '../../../packages/jobs/parsing/call-on-page.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { start } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';

const HOME = 'http://a.com/';
const HTML =
  '<title>T</title><html lang=en><meta name=author content=M><link rel=canonical href=/c?x><a href=/b>b</a><a href=http://o.com/>o</a>';

/** Crawls one page with an `onPage`; returns the counters and the custom fields of the page. */
async function withOnPage(onPage: OnPage, more: readonly Plugin[] = [], settings: object = {}) {
  await using crawl = await testCrawl(fakeWeb({ [HOME]: HTML }), {
    settings: { ...settings },
    plugins: [{ name: 'own', onPage }, ...more],
  });
  const { counters } = await jobs.crawl(crawl, { seeds: [HOME], rounds: 1 });
  return { counters, page: await crawl.page(HOME, ['title', 'custom']) };
}

describe('onPage', () => {
  it('sees the page as it is stored, and its tree', async () => {
    const seen: CrawledPage[] = [];
    const { counters } = await withOnPage((page) => void seen.push(page));
    expect(counters).toMatchObject({ parsed: 1 });
    expect(seen).toHaveLength(1);
    const [page] = seen;
    expect(page).toMatchObject({
      url: HOME,
      contentType: 'text/html',
      title: 'T',
      text: 'T b o',
      outlinks: [{ url: `${HOME}b`, anchor: 'b' }],
      metadata: { author: 'M' },
      canonical: `${HOME}c?x`,
      language: 'en',
      truncated: false,
      robots: { nofollow: false },
    });
    const document = page!.document();
    expect(document?.childNodes.map(({ nodeName }) => nodeName)).toEqual(['html']);
    expect(page!.document()).toBe(document);
  });

  it('sees no metadata that a JavaScript parser returned and that is not text', async () => {
    const metadata = { pages: 3 } as unknown as Record<string, string>;
    const parser: Plugin = {
      name: 'own-parser',
      parser: {
        contentTypes: ['text/html'],
        parse: () => ({
          kind: 'success',
          title: 'T',
          text: 'T',
          outlinks: [],
          metadata,
          robots: { noindex: false, nofollow: false, noarchive: false },
        }),
      },
    };
    const seen: CrawledPage[] = [];
    const { counters, page } = await withOnPage((given) => void seen.push(given), [parser]);
    expect(counters).toMatchObject({ parsed: 1 });
    expect(seen).toMatchObject([{ title: 'T', metadata: {} }]);
    expect(page?.title).toBe('T');
  });

  it('gets a tree decoded like the page, and no tree for other types', async () => {
    const trees: (string | undefined)[] = [];
    const web = fakeWeb({
      [HOME]: { html: '\ufeffä', contentType: 'text/html' },
      [`${HOME}t`]: { html: 'x', contentType: 'text/plain' },
    });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, {
      seeds: [HOME, `${HOME}t`],
      onPage: (page) => void trees.push(page.document() && JSON.stringify(page.document(), ['childNodes', 'value'])),
    });
    expect(trees).toHaveLength(2);
    expect(trees).toContain(undefined);
    expect(trees.find(Boolean)).toContain('ä');
  });

  it('stores the fields of all plugins together, in each kind of run', async () => {
    const second: Plugin = { name: 'second', onPage: async ({ title }) => ({ title, both: 2, gone: undefined }) };
    const { page, counters } = await withOnPage(() => ({ both: 1, list: [1, { a: null }] }), [second]);
    expect(page?.custom).toEqual({ both: 2, list: [1, { a: null }], title: 'T' });
    // A name has one field; a plugin that takes the name of another plugin's field is counted.
    expect(Object.entries(counters).filter(([name]) => name.startsWith('custom_'))).toEqual([
      ['custom_replaced_second', 1],
    ]);

    await using crawl = await testCrawl(fakeWeb({ [HOME]: HTML }), { onPage: () => ({ from: 'open' }) });
    const custom = async () => (await crawl.page(HOME, ['custom']))?.custom;
    const batch = await start(crawl, HOME);
    await jobs.fetch(crawl, { batch, parse: true, onPage: () => ({ of: 'fetch' }) });
    expect(await custom()).toEqual({ from: 'open', of: 'fetch' });
    await jobs.parse(crawl, { batch, force: true, onPage: () => ({ of: 'parse' }) });
    expect(await custom()).toEqual({ from: 'open', of: 'parse' });
    for await (const row of crawl.pages({ fields: ['custom'] }))
      if (row.url === HOME) expect(row.custom?.of).toBe('parse');
  });

  it('removes the fields of the previous parse', async () => {
    await using crawl = await testCrawl(fakeWeb({ [HOME]: HTML }));
    const batch = await start(crawl, HOME);
    await jobs.fetch(crawl, { batch, parse: true, onPage: () => ({ a: 1 }) });
    await jobs.parse(crawl, { batch, force: true });
    expect((await crawl.page(HOME, ['custom', 'title']))?.custom).toBeUndefined();
  });

  const bad: [string, OnPage][] = [
    [
      'that throws',
      () => {
        throw new Error('no');
      },
    ],
    ['that rejects', () => Promise.reject(new Error('no'))],
    ['that returns no object', () => 'text' as never],
    ['that returns a list', () => [1] as never],
    ['that returns what JSON cannot hold', () => ({ n: 1n })],
    ['that never answers', () => new Promise(() => {})],
  ];
  it.each(bad)('%s is counted, and loses neither the page nor the fields of others', async (_name, onPage) => {
    const other: Plugin = { name: 'other', onPage: () => ({ a: 1 }) };
    const { counters, page } = await withOnPage(onPage, [other], { 'parser.timeout': 0.2 });
    expect(counters).toMatchObject({ parsed: 1, plugin_error_own: 1 });
    expect(page).toMatchObject({ title: 'T', custom: { a: 1 } });
  });

  it('may store a limited size', async () => {
    const other: Plugin = { name: 'other', onPage: () => ({ a: 1 }) };
    const text = (length: number) => ({ t: 'x'.repeat(length) });
    const most = await withOnPage(() => text(CUSTOM_LIMIT - '{"t":""}'.length));
    expect(most.counters).not.toHaveProperty('custom_over_limit_own');
    expect(most.page?.custom?.t).toHaveLength(CUSTOM_LIMIT - 8);
    const over = await withOnPage(() => text(CUSTOM_LIMIT), [other]);
    expect(over.counters).toMatchObject({ parsed: 1, custom_over_limit_own: 1 });
    expect(over.page?.custom).toEqual({ a: 1 });
  });

  it('is not called for a page that has no parse', async () => {
    let calls = 0;
    const onPage = () => void calls++;
    const web = fakeWeb({ [HOME]: { html: 'GIF89a', contentType: 'image/gif' } });
    await using crawl = await testCrawl(web, { onPage });
    await jobs.crawl(crawl, { seeds: [HOME, `${HOME}missing`] });
    expect(calls).toBe(0);
  });
});

describe('a scoring plugin sees', () => {
  const score = async (reads?: readonly ('title' | 'text')[]) => {
    const seen: unknown[] = [];
    const scoring: Plugin = {
      name: 'seeing',
      scoring: {
        ...(reads && { reads }),
        distribute(values, source, targets, _share, page) {
          seen.push({ source, targets, ...page });
          return values;
        },
        update(value, _scores, url, anchors) {
          seen.push({ url, anchors });
          return value;
        },
      },
    };
    const web = fakeWeb({
      [HOME]: '<title>T</title>words <a href=/b>to b</a>',
      [`${HOME}b`]: { location: `${HOME}c` },
    });
    await using crawl = await testCrawl(web, { plugins: [scoring] });
    await jobs.crawl(crawl, { seeds: [HOME], rounds: 2 });
    return seen;
  };

  it('the texts of links, and nothing of the page unless it asks for it', async () => {
    expect(await score()).toEqual([
      { source: HOME, targets: [`${HOME}b`], anchors: ['to b'], title: '', text: '' },
      { url: `${HOME}b`, anchors: ['to b'] },
      { source: `${HOME}b`, targets: [`${HOME}c`], anchors: [''], title: '', text: '' },
      { url: `${HOME}c`, anchors: [''] },
    ]);
  });

  it('title and text if it asks for them', async () => {
    expect((await score(['title']))[0]).toMatchObject({ title: 'T', text: '' });
    expect((await score(['text', 'title']))[0]).toMatchObject({ title: 'T', text: 'T words to b' });
  });
});
