import { describe, expect, it } from 'vitest';
import {
  DUMP_FIELDS,
  ADDITIONAL_FIELDS,
  INTERNAL_FIELDS,
  checkUrl,
  dumpPage,
  explain,
  jobs,
  rulesNow,
  rowKeyOf,
  stats,
  type OpenContext,
  type Field,
  type PageRow,
  type PageSelection,
} from '../../packages/webcrawl/internal.js';
import { FIELD_COLUMNS } from '../../webtable/index.js';
import { damage } from '../support/stores/damage.js';
import { fakeWeb, links } from '../support/web/fake-web.js';
import { rowOf, start } from '../support/job-steps.js';
import { changeRows } from '../support/stores/put-rows.js';
import { START, testCrawl } from '../support/test-crawl.js';

const URLS = [
  'http://example.com/',
  'https://example.com/a',
  'http://example.com:8080/',
  'http://www.example.com/',
  'http://www.example.com/dir/x',
  'http://www.example.com/dir/y?q=1',
  'http://www.example.com/directory',
  'http://deep.www.example.com/',
  'http://example2.com/',
  'http://example-com.org/',
  'http://example.com.evil.org/',
  'http://10.0.0.1/',
  'http://10.0.0.1:81/x',
  'http://10.0.0.10/',
  'http://[::1]/',
];

async function pagesOf(crawl: OpenContext, selection: PageSelection): Promise<string[]> {
  const urls: string[] = [];
  for await (const page of crawl.pages({ ...selection, fields: ['dueAt'] })) urls.push(page.url);
  return urls;
}

describe('reading pages', () => {
  it('reads all in key order, each with its URL and the requested fields', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: URLS });
    const pages: unknown[] = [];
    for await (const page of crawl.pages({ fields: ['score', 'title'] })) pages.push(page);
    const keys = URLS.map(rowKeyOf).sort();
    expect(pages).toEqual(
      keys.map((key) => ({ key, url: URLS.find((url) => rowKeyOf(url) === key), status: 'unfetched', score: 1 })),
    );
  });

  it('reads a host, a domain or a URL prefix, and nothing beside it', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: URLS });
    const cases: [PageSelection, string[]][] = [
      [{ host: 'example.com' }, ['http://example.com/', 'http://example.com:8080/', 'https://example.com/a']],
      [{ host: 'EXAMPLE.com' }, ['http://example.com/', 'http://example.com:8080/', 'https://example.com/a']],
      [{ host: '10.0.0.1' }, ['http://10.0.0.1/', 'http://10.0.0.1:81/x']],
      [{ host: '[::1]' }, ['http://[::1]/']],
      [{ host: 'com' }, []],
      [
        { domain: 'example.com' },
        [
          'http://deep.www.example.com/',
          'http://www.example.com/',
          'http://www.example.com/dir/x',
          'http://www.example.com/dir/y?q=1',
          'http://www.example.com/directory',
          'http://example.com/',
          'http://example.com:8080/',
          'https://example.com/a',
        ],
      ],
      [{ domain: 'evil.org' }, ['http://example.com.evil.org/']],
      [{ prefix: 'http://www.example.com/dir/' }, ['http://www.example.com/dir/x', 'http://www.example.com/dir/y?q=1']],
      [
        { prefix: 'http://www.example.com/dir' },
        ['http://www.example.com/dir/x', 'http://www.example.com/dir/y?q=1', 'http://www.example.com/directory'],
      ],
      [{ prefix: 'http://example.com' }, ['http://example.com/']],
      [{ prefix: 'http://nowhere.com/' }, []],
    ];
    for (const [selection, expected] of cases) {
      const found = await pagesOf(crawl, selection);
      expect(found, JSON.stringify(selection)).toEqual(expected);
      expect(found.map(rowKeyOf), 'in key order').toEqual(found.map(rowKeyOf).sort());
    }
  });

  it('reads pages of one status, also within a range', async () => {
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': links('/1'), 'http://b.com/': links('/1') }));
    await jobs.crawl(crawl, { seeds: ['http://a.com/', 'http://b.com/'] });
    expect(await pagesOf(crawl, { status: 'fetched' })).toEqual(['http://a.com/', 'http://b.com/']);
    expect(await pagesOf(crawl, { status: 'gone', host: 'b.com' })).toEqual(['http://b.com/1']);
    expect(await pagesOf(crawl, { status: 'unfetched' })).toEqual([]);
  });

  it('rejects what is no host and no URL', async () => {
    await using crawl = await testCrawl(undefined);
    for (const selection of [
      { host: 'a b' },
      { host: 'a.com/x' },
      { domain: '' },
      { prefix: 'x' },
      { prefix: 'mailto:x' },
    ]) {
      await expect(pagesOf(crawl, selection), JSON.stringify(selection)).rejects.toMatchObject({ code: 'BAD_URL' });
    }
  });

  it('may be stopped early, and run while the table is written', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: URLS });
    let seen = 0;
    for await (const page of crawl.pages({ fields: ['score'] })) {
      await crawl.tables.pages.write([{ key: page.key, set: { score: 5 } }]);
      await jobs.inject(crawl, { seeds: [`${page.url}?new`] });
      expect(page.score).toBe(1);
      if (++seen === 5) break;
    }
    expect(seen).toBe(5);
  });

  it('finds one page by its URL, which is normalised like a seed', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: ['http://a.com/x'] });
    expect(await crawl.page(' HTTP://A.com:80/y/../x#z ', ['score'])).toEqual({
      key: 'com.a:http/x',
      status: 'unfetched',
      score: 1,
    });
    expect(await crawl.page('http://a.com/', ['score'])).toBeUndefined();
    // Filters do not apply to a lookup.
    expect(await crawl.page('http://a.com/x.png', ['score'])).toBeUndefined();
    for (const url of ['x', 'ftp://a.com/', 'http://u:p@a.com/']) {
      await expect(crawl.page(url, ['score'])).rejects.toMatchObject({ code: 'BAD_URL' });
    }
  });
});

describe('statistics', () => {
  it('are empty for an empty table', async () => {
    await using crawl = await testCrawl(undefined);
    expect(await stats(crawl)).toEqual({ total: 0, statuses: {}, retries: {}, damaged: 0, lostBodies: 0, batches: [] });
  });

  it('count pages by status and retries, scores, damaged rows, and open batches', async () => {
    const web = fakeWeb({
      'http://a.com/1': 'x',
      'http://a.com/2': { status: 503 },
      'http://a.com/3': { location: '/1' },
    });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: [1, 2, 3, 4].map((n) => `http://a.com/${n}\tscore=${n}`), rounds: 1 });
    const batch = await start(crawl, 'http://b.com/\tscore=0', 'http://c.com/\tscore=0.5');
    await damage(crawl, 'http://a.com/4', 'status');
    await damage(crawl, 'http://c.com/', 'score');
    expect(await stats(crawl)).toEqual({
      total: 6,
      statuses: { fetched: 1, unfetched: 3, redir_perm: 1, unknown: 1 },
      retries: { '0': 5, '1': 1 },
      score: { min: 0, avg: (4 + 2 + 3 + 4) / 6, max: 4 },
      damaged: 2,
      lostBodies: 0,
      batches: [{ batchId: batch, state: 'open', size: 2 }],
    });
  });
});

describe('statistics of odd tables', () => {
  it('have a mean even if the sum of the scores is no number', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [1, 2, 3].map((n) => `http://a.com/${n}\tscore=1e308`) });
    const { score } = await stats(crawl);
    expect(score!.avg / 1e308).toBeCloseTo(1, 9);
  });

  it('end as soon as the signal aborts', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [1, 2, 3].map((n) => `http://a.com/${n}`) });
    const stop = new AbortController();
    let read = 0;
    const { pages } = crawl.tables;
    async function* scan(...args: Parameters<typeof pages.scan>) {
      for await (const row of pages.scan(...args)) {
        read += 1;
        stop.abort();
        yield row;
      }
    }
    const tables = { ...crawl.tables, pages: { ...pages, scan } } as typeof crawl.tables;
    await expect(stats({ tables }, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(read).toBe(1);
  });
});

describe('a dump of a page', () => {
  it('is plain JSON of the existing fields, in their order', async () => {
    const html = '<title>T</title><p>Hello <a href="/">home</a>';
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': html }));
    await jobs.crawl(crawl, { seeds: ['http://a.com/\tk=v'] });
    const page = await crawl.page('http://a.com/', DUMP_FIELDS);
    const dump = dumpPage(page as PageRow<Field>, DUMP_FIELDS);
    expect(Object.keys(dump)).toEqual(['key', 'url', ...DUMP_FIELDS.filter((field) => field !== 'redirectTarget')]);
    expect(JSON.parse(JSON.stringify(dump))).toEqual(dump);
    expect(dump).toMatchObject({
      key: 'com.a:http/',
      url: 'http://a.com/',
      status: 'fetched',
      fetchedAt: START,
      title: 'T',
      outlinks: [{ url: 'http://a.com/', anchor: 'home' }],
      inlinks: [{ url: 'http://a.com/', anchor: 'home' }],
      metadata: { k: 'v' },
    });
    const body = await crawl.page('http://a.com/', ['content', 'title']);
    expect(dumpPage(body as PageRow<Field>, ['title', 'content', 'language'])).toEqual({
      key: 'com.a:http/',
      url: 'http://a.com/',
      status: 'fetched',
      title: 'T',
      content: Buffer.from(html).toString('base64'),
    });
  });

  it('shows the URL also in its readable form', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: ['http://例え.jp/例'] });
    const page = await crawl.page('http://例え.jp/例', []);
    expect(dumpPage(page as PageRow<Field>, [])).toEqual({
      key: 'jp.xn--r8jz45g:http/%E4%BE%8B',
      url: 'http://xn--r8jz45g.jp/%E4%BE%8B',
      readableUrl: 'http://例え.jp/例',
      status: 'unfetched',
    });
    expect(await explain(crawl, 'http://例え.jp/例')).toMatchObject({ readableUrl: 'http://例え.jp/例' });
    expect(checkUrl(await rulesNow(crawl), 'http://例え.jp/')).toMatchObject({
      normalized: 'http://xn--r8jz45g.jp/',
      readableUrl: 'http://例え.jp/',
    });
  });

  it('knows every field', () => {
    const shown: readonly string[] = [...DUMP_FIELDS, ...ADDITIONAL_FIELDS, ...INTERNAL_FIELDS];
    expect([...shown].sort()).toEqual(
      [...Object.keys(FIELD_COLUMNS), 'marks', 'inlinks', 'inlinkCount', 'content'].sort(),
    );
  });

  it('names what could not be read', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    await crawl.tables.store.write('webpage', [{ key: 'com.a:http/', put: new Map([['m:md', Buffer.from('[1]')]]) }]);
    const page = await crawl.page('http://a.com/', ['score', 'metadata']);
    expect(dumpPage(page as PageRow<Field>, ['score', 'metadata'])).toEqual({
      key: 'com.a:http/',
      url: 'http://a.com/',
      status: 'unfetched',
      score: 1,
      damaged: ['metadata'],
    });
  });

  it('has every status that a row may have', async () => {
    await using crawl = await testCrawl(undefined);
    const statuses = ['unfetched', 'fetched', 'gone', 'redir_temp', 'redir_perm', 'retry', 'notmodified'] as const;
    await changeRows(
      crawl,
      statuses.map((status) => ({ key: rowKeyOf(`http://a.com/${status}`), set: { status, dueAt: START, score: 1 } })),
    );
    for (const status of statuses) {
      expect(await rowOf(crawl, `http://a.com/${status}`, 'status')).toEqual({ status });
      // A page that a later crawl found unchanged is a fetched one too.
      const also = status === 'fetched' ? ['http://a.com/notmodified'] : [];
      expect(await pagesOf(crawl, { status })).toEqual([`http://a.com/${status}`, ...also]);
    }
  });
});
