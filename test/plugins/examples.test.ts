import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { jobs, openContext, type OpenContext } from '../../packages/webcrawl/internal.js';
import { typeFaults, writeExamples } from '../support/docs/doc-examples.js';
import { dumpIndex } from '../support/index/dump-index.js';
import { fakeWeb, type FakeWeb } from '../support/web/fake-web.js';
import { START } from '../support/test-crawl.js';
import { suiteFolder } from '../support/files/temp-folder.js';
import { words } from '../support/files/words.js';

const folder = suiteFolder();
let names: readonly string[];
beforeAll(async () => {
  names = await writeExamples(folder, 'docs/PLUGINS.md', ['playwright-core', '@types/node', 'undici-types']);
});

/** A crawl with a module from the documentation, named in a settings file like a user's. */
async function openWith(module: string, web?: FakeWeb): Promise<OpenContext> {
  const config = join(folder, `${module}.json`);
  const settings = { plugins: [`./${module}`], fetcher: { serverDelay: 0 } };
  await writeFile(config, JSON.stringify(settings));
  return openContext({ table: 'memory:', config, clock: () => START, ...(web && { plugins: [web] }) });
}

const HOME = 'https://example.com/';
const crawled = (crawl: OpenContext) => jobs.crawl(crawl, { seeds: [HOME] });

describe('the examples of docs/PLUGINS.md', () => {
  it('are all tested', () => {
    expect(names).toEqual(words`
      no-print-pages.mjs parse-json.mjs scoring-keyword.mjs schedule-news.mjs protocol-mirror.mjs prices.mjs
      only-manuals.mjs protocol-browser.mjs render.mjs my-store.test.mjs
    `);
  });

  it('a URL filter', async () => {
    const html = '<a href=/print/a>p</a><a href="/a?sessionid=1">s</a><a href=/a>a</a>';
    await using crawl = await openWith('no-print-pages.mjs', fakeWeb({ [HOME]: html, [`${HOME}a`]: 'a' }));
    const { counters } = await crawled(crawl);
    expect(counters).toMatchObject({ fetched: 2, 'links_rejected_no-print-pages': 2 });
  });

  it('an index filter', async () => {
    const html = '<title>Home - Example Inc.</title><a href=/internal/a>a</a>';
    const web = fakeWeb({ [HOME]: html, [`${HOME}internal/a`]: '<title>A</title>' });
    const config = join(folder, 'index.json');
    const settings = { plugins: ['./only-manuals.mjs'], fetcher: { serverDelay: 0 }, index: { path: './index' } };
    await writeFile(config, JSON.stringify(settings));
    await using crawl = await openContext({ table: 'memory:', config, clock: () => START, plugins: [web] });
    await crawled(crawl);
    expect((await jobs.index(crawl)).counters).toMatchObject({ added: 1, 'rejected_only-manuals': 1 });
    expect((await dumpIndex(join(folder, 'index'))).terms).toContain('com.example:https/ title 0 home');
    expect((await dumpIndex(join(folder, 'index'))).terms.join()).not.toContain('title 1');
  });

  it('a parser for JSON', async () => {
    const article = {
      headline: 'News',
      body: 'Long',
      author: 'A',
      related: [{ href: '/b', label: 'More' }, { href: 'http://[' }],
    };
    const json = (html: string) => ({ html, contentType: 'application/json' });
    const web = fakeWeb({ [HOME]: json(JSON.stringify(article)), [`${HOME}b`]: json('{') });
    await using crawl = await openWith('parse-json.mjs', web);
    const { counters } = await crawled(crawl);
    expect(counters).toMatchObject({ fetched: 2, parsed: 1, failed_bad_json: 1 });
    expect(await crawl.page(HOME, ['title', 'text', 'outlinks', 'pageMetadata'])).toMatchObject({
      title: 'News',
      text: 'Long',
      outlinks: [{ url: `${HOME}b`, anchor: 'More' }],
      pageMetadata: { author: 'A' },
    });
  });

  it('scoring by keyword', async () => {
    const web = fakeWeb({
      [HOME]: '<a href=/bar>Espresso bar</a><a href=/tea>Tea</a>',
      [`${HOME}bar`]: '<title>Bar</title>Coffee here <a href=/menu>Menu</a>',
      [`${HOME}tea`]: '<title>Tea</title><a href=/leaves>Leaves</a>',
    });
    await using crawl = await openWith('scoring-keyword.mjs', web);
    await crawled(crawl);
    const score = async (path: string) => (await crawl.page(`${HOME}${path}`, ['score']))?.score ?? 0;
    // Both links get the bonus of the page, whose text matches; the text of the link to the bar adds 1.
    expect(await score('bar')).toBeCloseTo((await score('tea')) + 1);
    expect(await score('menu')).toBeGreaterThan(0.5);
    expect(await score('leaves')).toBeLessThan(await score('menu'));
  });

  it('a fetch schedule', async () => {
    await using crawl = await openWith('schedule-news.mjs', fakeWeb({ [HOME]: 'a' }));
    await crawled(crawl);
    const first = await crawl.page(HOME, ['fetchInterval', 'dueAt']);
    expect(first).toMatchObject({ fetchInterval: 3_600, dueAt: START + 3_600_000 });
    const { schedule } = crawl.plugins.find(({ name }) => name === 'schedule-news')!;
    const before = schedule!.initialize(START);
    const same = schedule!.afterFetch(before, START, 'notmodified');
    expect(same).toMatchObject({ fetchInterval: 7_200, dueAt: START + 7_200_000 });
    expect(schedule!.afterFetch(same, START, 'modified')).toMatchObject({ fetchInterval: 3_600, modifiedAt: START });
    expect(schedule!.afterRetry(before, START)).toMatchObject({ retries: 1 });
    expect(schedule!.afterGone(before, START)).toMatchObject({ fetchInterval: 604_800 });
  });

  it('a protocol', async () => {
    const mirror = join(folder, 'mirror/example.com');
    await mkdir(join(mirror, 'private'), { recursive: true });
    await writeFile(join(mirror, 'robots.txt'), 'User-agent: *\nDisallow: /private/');
    await writeFile(
      join(mirror, 'index.html'),
      '<title>Home</title><a href=a.html>a</a><a href=private/b.html>b</a><a href=none.html>',
    );
    await writeFile(join(mirror, 'a.html'), '<title>A</title>');
    await writeFile(join(mirror, 'private/b.html'), '<title>B</title>');
    await using crawl = await openWith('protocol-mirror.mjs');
    const { counters } = await crawled(crawl);
    expect(counters).toMatchObject({ success: 2, not_found: 1, robots_denied: 1 });
    expect(await crawl.page(`${HOME}a.html`, ['title'])).toMatchObject({ title: 'A' });
  });

  it('custom fields', async () => {
    const html = '<p>Now <b itemprop=price>EUR <i>12.50</i></b><a href=/a>a</a>';
    await using crawl = await openWith('prices.mjs', fakeWeb({ [HOME]: html, [`${HOME}a`]: 'no price' }));
    const { counters } = await crawled(crawl);
    expect(counters).toMatchObject({ parsed: 2 });
    expect(Object.keys(counters).filter((name) => name.startsWith('plugin_error'))).toEqual([]);
    expect(await crawl.page(HOME, ['custom'])).toMatchObject({ custom: { price: 12.5, links: 1 } });
    expect((await crawl.page(`${HOME}a`, ['custom']))?.custom).toBeUndefined();
  });

  it('have the types that they say', () => {
    expect(typeFaults(folder, names)).toEqual([]);
  }, 120_000);
});
