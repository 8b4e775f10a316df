import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { exportPages, jobs, type ExportPagesOptions } from '../../../packages/webcrawl/internal.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { testFolder } from '../../support/files/temp-folder.js';
import { jsonLd } from '../stated/stated-of.js';

const SITE = 'http://a.com';
let folder: string;
beforeEach(() => void (folder = testFolder()));

/** The pages by path. */
const PAGES: Readonly<Record<string, string>> = {
  plain: '<title>no type</title>',
  product: jsonLd({ '@type': 'Product', name: 'P' }),
  graph: jsonLd({ '@graph': [{ '@type': 'WebSite' }, { '@type': ['Thing', 'https://schema.org/Product'] }] }),
  main: jsonLd({ '@type': 'WebPage', mainEntity: { '@type': 'http://schema.org/product' } }),
  offered: jsonLd({ '@type': 'Organization', makesOffer: { itemOffered: { '@type': 'Product' } } }),
  items: '<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>P</b></div>',
  inner:
    '<div itemscope itemtype="https://schema.org/ItemPage"><div itemprop=mainEntity itemscope itemtype="https://schema.org/Product">P</div></div>',
  article: `${jsonLd('{"@type":')}${jsonLd({ '@type': 'Article' })}`,
};

async function crawled(): Promise<TestCrawl> {
  const pages: Record<string, string> = {};
  for (const [path, html] of Object.entries(PAGES)) pages[`${SITE}/${path}`] = `${html}<p>x`;
  const crawl = await testCrawl(fakeWeb(pages));
  await jobs.crawl(crawl, { seeds: Object.keys(PAGES).map((path) => `${SITE}/${path}`) });
  return crawl;
}

async function exported(crawl: TestCrawl, options: Partial<ExportPagesOptions>) {
  const output = join(folder, 'out.jsonl');
  const { counters } = await exportPages(crawl, { output, force: true, fields: ['jsonLd'], ...options });
  const lines = (await readFile(output, 'utf8')).trimEnd().split('\n');
  const pages = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { counters, pages, paths: pages.map(({ url }) => new URL(url as string).pathname.slice(1)) };
}

describe('an export of pages of some types', () => {
  it('has pages with a node or item of a type at the top, in @graph or in mainEntity, and counts the others', async () => {
    await using crawl = await crawled();
    const found = await exported(crawl, { type: 'Product' });
    expect(found.paths).toEqual(['graph', 'inner', 'items', 'main', 'product']);
    expect(found.counters).toMatchObject({ rows: 5, other_type: 3, broken_json_ld: 1 });
    expect(found.pages.at(-1)).toMatchObject({ jsonLd: [{ '@type': 'Product', name: 'P' }] });
    expect((await exported(crawl, { type: ['pRODUCT', 'Article'] })).paths).toContain('article');
    expect((await exported(crawl, { type: 'Product', limit: 2 })).paths).toEqual(['graph', 'inner']);
    expect((await exported(crawl, { type: 'Product', sort: 'score', limit: 9 })).paths).toHaveLength(5);
    expect((await exported(crawl, { type: 'Product', all: true })).counters).toMatchObject({ rows: 5, other_type: 3 });
  });

  it('states the types in its manifest', async () => {
    await using crawl = await crawled();
    await exported(crawl, { type: ['Product'] });
    expect(JSON.parse(await readFile(join(folder, 'out.jsonl.manifest.json'), 'utf8'))).toMatchObject({
      type: ['Product'],
    });
  });

  it('lists pages that now have another type as removed when a copy is updated', async () => {
    await using crawl = await crawled();
    const { pages } = await exported(crawl, { type: 'Product', since: START });
    const removed = pages.filter((page) => page.removed !== undefined).map(({ url, removed: why }) => [url, why]);
    expect(removed).toEqual(['article', 'offered', 'plain'].map((path) => [`${SITE}/${path}`, 'other_type']));
    expect(pages).toHaveLength(8);
  });

  it.each([[''], [[]], [['Product', 'a b']], ['https://schema.org/Product']])('rejects %j', async (type) => {
    await using crawl = await testCrawl(undefined);
    const options = { output: join(folder, 'out.jsonl'), type: type as string };
    await expect(exportPages(crawl, options)).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('counts blocks of JSON-LD that fields skip, in every format', async () => {
    await using crawl = await crawled();
    for (const name of ['out.jsonl', 'out.csv', 'out.parquet', 'out.xlsx']) {
      const { counters } = await exportPages(crawl, { output: join(folder, name), force: true, fields: ['jsonLd'] });
      expect(counters, name).toMatchObject({ broken_json_ld: 1 });
    }
  });
});
