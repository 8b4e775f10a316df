import { describe, expect, it } from 'vitest';
import {
  MemoryStore,
  changes,
  jobs,
  mark,
  marks,
  unmark,
  type ChangesOptions,
  type LoggedRecord,
  type OpenContext,
} from '../../packages/webcrawl/internal.js';
import { CHANGE_KINDS, hostKeyOf } from '../../webtable/index.js';
import { round } from '../support/job-steps.js';
import { countingStore } from '../support/stores/counting-store.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { fakeWeb, type FakePage, type FakeWeb } from '../support/web/fake-web.js';

const DAY = 86_400_000;
const HOST = 'http://docs.example.com';
const TEXT = 'This text says at some length what the page is about, so that it is content. ';

/** A page with a heading, blocks of text, and links. */
function page({ title = 'Page', head = '', blocks = [TEXT, 'A second block.'], links = ['/'] } = {}): string {
  const body = `${blocks.map((block) => `<p>${block}</p>`).join('')}<p>${links.map((to) => `<a href="${to}">x</a>`).join('')}`;
  return `<title>${title}</title>${head}<body><nav>Home</nav>${body}`;
}

const NAMES = [
  'content',
  'title',
  'description',
  'canonical',
  'noindex',
  'links',
  'reordered',
  'bytes',
  'redirect',
  'missing',
  'gone',
  'same',
];
const urlOf = (name: string): string => `${HOST}/${name}`;

async function listed(crawl: OpenContext, options?: ChangesOptions): Promise<LoggedRecord[]> {
  const found: LoggedRecord[] = [];
  for await (const record of changes(crawl, { kinds: CHANGE_KINDS, ...options })) found.push(record);
  return found;
}

/** The changes as `kinds path`. */
async function named(crawl: OpenContext, options: ChangesOptions = { since: 0 }): Promise<string[]> {
  return (await listed(crawl, options)).map((record) =>
    record.type === 'page'
      ? `${record.kinds.join(',')} ${record.url.replace(`${HOST}/`, '')}`
      : `host ${record.host} ${record.failing}/${record.requested}`,
  );
}

/** A completely crawled site. */
async function crawledSite(options: Parameters<typeof testCrawl>[1] = {}): Promise<{ crawl: TestCrawl; web: FakeWeb }> {
  const pages: Record<string, FakePage | string> = { [`${HOST}/`]: page({ links: NAMES.map(urlOf) }) };
  for (const name of NAMES) pages[urlOf(name)] = page();
  const web = fakeWeb(pages);
  const crawl = await testCrawl(web, options);
  await jobs.crawl(crawl, { seeds: [`${HOST}/`] });
  return { crawl, web };
}

/** Changes each page in the way that its name says. */
function changeAll(web: FakeWeb): void {
  web.set(urlOf('content'), page({ blocks: [TEXT, 'Another second block.'] }));
  web.set(urlOf('title'), page({ title: 'Other' }));
  web.set(urlOf('description'), page({ head: '<meta name=description content=new>' }));
  web.set(urlOf('canonical'), page({ head: '<link rel=canonical href=/same>' }));
  web.set(urlOf('noindex'), page({ head: '<meta name=robots content=noindex>' }));
  web.set(urlOf('links'), page({ links: ['/', '/same'] }));
  web.set(urlOf('reordered'), page({ blocks: ['A second block.', TEXT] }));
  web.set(urlOf('bytes'), `${page()}<!-- built 17 -->`);
  web.set(urlOf('redirect'), { location: '/same' });
  web.set(urlOf('missing'), undefined);
  web.set(urlOf('gone'), { status: 410 });
  web.set(`${HOST}/`, page({ links: [...NAMES.map(urlOf), '/added'] }));
  web.set(urlOf('added'), page());
}

describe('changes', () => {
  it('name exactly what has changed, in a dozen ways', async () => {
    const { crawl, web } = await crawledSite();
    expect(await named(crawl)).toEqual([]);
    expect(await changes(crawl, { since: 0 }).summary()).toMatchObject({ baseline: NAMES.length + 1 });
    changeAll(web);
    crawl.setTime(START + 40 * DAY);
    await jobs.crawl(crawl, { seeds: [`${HOST}/`] });
    expect((await named(crawl)).sort()).toEqual([
      'bytes bytes',
      'canonical canonical',
      'content content',
      'description description',
      'gone gone',
      'links ',
      'links links',
      'new added',
      'noindex noindex',
      'redirect redirect',
      'reordered reordered',
      'status missing',
      'title title',
    ]);
    expect(await changes(crawl, { since: START + 1000 }).summary()).toMatchObject({
      complete: true,
      because: [],
      baseline: 0,
    });
    const usual = changes(crawl, { since: 0 });
    const kinds: string[] = [];
    for await (const record of usual) if (record.type === 'page') kinds.push(...record.kinds);
    expect([kinds.length, kinds.includes('bytes'), (await usual.summary()).bytesOnly]).toEqual([12, false, 1]);
    const records = await listed(crawl, { since: 0, kinds: ['title', 'redirect', 'gone'] });
    const of = (name: string) => records.find((record) => record.type === 'page' && record.url === urlOf(name));
    expect(of('title')).toMatchObject({
      between: { from: START, to: START + 40 * DAY },
      before: { is: 'page', http: 200, title: 'Page', bodyAt: START },
      after: { is: 'page', http: 200, title: 'Other', bodyAt: START + 40 * DAY },
    });
    expect(of('redirect')).toMatchObject({ after: { is: 'redirect', http: 301, target: urlOf('same') } });
    expect(of('gone')).toMatchObject({ before: { is: 'page' }, after: { is: 'failing', http: 410 } });
    // And back again; a page that answers 404 for a second time is gone.
    for (const name of NAMES) if (name !== 'missing') web.set(urlOf(name), page());
    crawl.setTime(START + 400 * DAY);
    await jobs.crawl(crawl, { seeds: [`${HOST}/`] });
    expect((await named(crawl, { since: START + 41 * DAY })).sort()).toEqual([
      'back gone',
      'bytes bytes',
      'canonical canonical',
      'content content',
      'description description',
      'gone missing',
      'links links',
      'noindex noindex',
      'redirect redirect',
      'reordered reordered',
      'title title',
    ]);
  });

  it.each(['fetch --parse', 'parse'])('of links say which links came and went, after %s', async (job) => {
    const { crawl, web } = await crawledSite();
    const long = [TEXT.repeat(4)];
    const many = Array.from({ length: 30 }, (_, i) => `/many-${i}`);
    web.set(urlOf('links'), page({ blocks: long, links: ['/', '/same?utm_source=x'] }));
    web.set(urlOf('title'), page({ links: many }));
    crawl.setTime(START + 40 * DAY);
    const { batchId: batch = '' } = await jobs.generate(crawl);
    await jobs.fetch(crawl, { batch, parse: job !== 'parse' });
    await jobs.parse(crawl, { batch });
    await jobs.parse(crawl, { batch, force: true });
    await jobs.updatedb(crawl, { batch });
    // Links of a page that is held are not compared with those of the page that is logged.
    web.set(urlOf('links'), '');
    crawl.setTime(START + 80 * DAY);
    await jobs.crawl(crawl, { seeds: [`${HOST}/`] });
    web.set(urlOf('links'), page({ blocks: long, links: ['/same'] }));
    crawl.setTime(START + 120 * DAY);
    await jobs.crawl(crawl, { seeds: [`${HOST}/`] });
    const found = (await listed(crawl, { since: START + 1 })).flatMap((record) =>
      record.type === 'page' && record.kinds.includes('links') ? [[record.url.replace(HOST, ''), record.links]] : [],
    );
    expect(found).toEqual([
      ['/links', { added: [`${HOST}/same?utm_source=x`], removed: [] }],
      ['/title', { added: many.slice(0, 20).map((path) => `${HOST}${path}`), removed: [`${HOST}/`], isCut: true }],
      ['/links', undefined],
    ]);
    for await (const row of crawl.tables.pages.scan({ fields: ['changedLinks'] })) {
      expect(row).not.toHaveProperty('changedLinks');
    }
  });

  it('are read from a time, a mark or a cursor, of a host, of kinds, up to a number', async () => {
    const { crawl, web } = await crawledSite();
    web.set(urlOf('title'), page({ title: 'Two' }));
    crawl.setTime(START + 40 * DAY);
    await round(crawl);
    await mark(crawl, 'release-1');
    web.set(urlOf('title'), page({ title: 'Three' }));
    web.set(urlOf('content'), page({ blocks: ['Other.'] }));
    web.set(urlOf('gone'), { status: 410 });
    crawl.setTime(START + 80 * DAY);
    await round(crawl);
    expect(await named(crawl, { since: 'release-1' })).toEqual(['content content', 'gone gone', 'title title']);
    expect(await named(crawl, { since: 0, until: 'release-1' })).toEqual(['title title']);
    expect(await named(crawl, {})).toEqual(['content content', 'gone gone', 'title title']);
    expect(await named(crawl, { since: 0, kinds: ['title'] })).toEqual(['title title', 'title title']);
    expect(await named(crawl, { since: 0, host: 'DOCS.example.com', limit: 2 })).toEqual([
      'title title',
      'content content',
    ]);
    expect(await named(crawl, { since: 0, host: 'example.com' })).toEqual([]);
    await expect(named(crawl, { since: 0, host: 'https://docs.example.com/' })).rejects.toMatchObject({
      code: 'BAD_URL',
    });
    await expect(named(crawl, { since: START + 400 * DAY })).rejects.toThrow('expected a start in the past, found 20');
    await expect(named(crawl, { since: 'release-1', until: START })).rejects.toThrow('expected an end after the start');
    const all = await listed(crawl, { since: 0 });
    for (const [i, { cursor }] of all.entries()) expect(await listed(crawl, { cursor })).toEqual(all.slice(i + 1));
    expect(await marks(crawl)).toEqual([{ name: 'release-1', at: START + 40 * DAY }]);
    await expect(listed(crawl, { since: 'release-2' })).rejects.toThrow('no mark has the name "release-2"');
    await expect(listed(crawl, { cursor: 'x' })).rejects.toThrow('expected the cursor of a record');
    await expect(mark(crawl, '7d')).rejects.toThrow('expected the name of a mark, found "7d"');
    await expect(mark(crawl, 'now')).rejects.toThrow('expected the name of a mark');
    expect(() => changes(crawl, { kinds: ['text'] as never })).toThrow('expected kinds');
    expect(await unmark(crawl, 'release-1')).toBe(true);
    expect(await unmark(crawl, 'release-1')).toBe(false);
  });

  it('are read from the log, without reading rows of pages', async () => {
    const counting = countingStore(new MemoryStore());
    const { crawl, web } = await crawledSite({ store: counting });
    await jobs.inject(crawl, {
      seeds: Array.from({ length: 3000 }, (_, i) => `http://other.example.com/${i}\tscore=0`),
    });
    changeAll(web);
    crawl.setTime(START + 40 * DAY);
    const batch = (await jobs.generate(crawl, { topN: 13 })).batchId!;
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
    const before = { ...counting.rowsRead };
    const found = await named(crawl, { since: START + 1 });
    expect(found.length).toBeGreaterThan(5);
    expect(counting.rowsRead.webpage).toBe(before.webpage);
    expect(counting.rowsRead.frontier).toBe(before.frontier);
    expect(counting.rowsRead.batch! - before.batch!).toBeLessThan(found.length + 10);
  });

  it('are not reported before the table was crawled completely, or a mark was set', async () => {
    const web = fakeWeb({
      [`${HOST}/`]: page({ links: ['/a'] }),
      [urlOf('a')]: page({ links: ['/b'] }),
      [urlOf('b')]: page(),
    });
    await using crawl = await testCrawl(web);
    await round(crawl, `${HOST}/`);
    await round(crawl);
    expect(await named(crawl)).toEqual([]);
    expect(await changes(crawl, { since: START }).summary()).toMatchObject({
      complete: false,
      because: [{ reason: 'baseline' }, { reason: 'due', pages: 1 }],
      baseline: 2,
    });
    await mark(crawl, 'begin');
    await round(crawl);
    expect(await named(crawl)).toEqual(['new b']);
    expect(await changes(crawl, { since: START }).summary()).toMatchObject({ complete: true, baseline: 2 });
  });

  it('end the baseline when generate finds that nothing is due', async () => {
    const web = fakeWeb({ [`${HOST}/`]: page(), [urlOf('a')]: page() });
    await using crawl = await testCrawl(web);
    await round(crawl, `${HOST}/`);
    expect((await crawl.tables.changes.state()).baselineEnd).toBeUndefined();
    expect((await jobs.generate(crawl)).batchId).toBeUndefined();
    await round(crawl, urlOf('a'));
    expect(await named(crawl)).toEqual(['new a']);
  });

  it('start the baseline with the first page, even if the site did not answer before', async () => {
    const web = fakeWeb({ [`${HOST}/`]: { status: 503 } });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: [`${HOST}/`] });
    expect((await changes(crawl, { since: START }).summary()).because).toEqual([{ reason: 'baseline' }]);
    for (const name of ['', 'a']) web.set(urlOf(name), page({ links: ['/', '/a'] }));
    crawl.setTime(START + 40 * DAY);
    await jobs.crawl(crawl, { seeds: [`${HOST}/`] });
    expect(await named(crawl)).toEqual([]);
    expect(await changes(crawl, { since: START }).summary()).toMatchObject({ complete: true, baseline: 2 });
  });

  it('end the baseline even if compact has removed all of its entries', async () => {
    const web = fakeWeb({ [`${HOST}/`]: page({ links: ['/a'] }) });
    await using crawl = await testCrawl(web);
    await round(crawl, `${HOST}/`);
    crawl.setTime(START + 100 * DAY);
    expect((await jobs.compact(crawl)).counters).toMatchObject({ changes_removed: 1 });
    await round(crawl);
    await jobs.generate(crawl);
    web.set(urlOf('b'), page());
    await round(crawl, urlOf('b'));
    expect(await named(crawl)).toEqual(['new b']);
  });

  /** A site with a page that is long enough for an empty shell to be noticed, crawled at `START` + 40 days. */
  async function siteOfLongPage(): Promise<{ crawl: TestCrawl; web: FakeWeb; long: string }> {
    const { crawl, web } = await crawledSite();
    const long = page({ blocks: [TEXT, TEXT, TEXT] });
    web.set(urlOf('content'), long);
    crawl.setTime(START + 40 * DAY);
    await round(crawl);
    return { crawl, web, long };
  }

  it.each([{}, { etag: '"1"' }])(
    'include a page that refreshes to another one when a second fetch confirms it, with headers %o',
    async (headers) => {
      const { crawl, web } = await siteOfLongPage();
      const html = '<title>Redirecting</title><meta http-equiv=refresh content="0; url=/same">';
      web.set(urlOf('content'), { html, headers });
      crawl.setTime(START + 80 * DAY);
      expect((await round(crawl)).updated.counters).toMatchObject({ changes_held: 1 });
      expect(await named(crawl, { since: START + 41 * DAY })).toEqual([]);
      crawl.setTime(START + 120 * DAY);
      await round(crawl);
      expect(await listed(crawl, { since: START + 41 * DAY })).toMatchObject([
        { kinds: ['redirect', 'content', 'title', 'links'], after: { is: 'redirect', target: urlOf('same') } },
      ]);
    },
  );

  it('do not include a challenge that refreshes, if the page is the same afterwards', async () => {
    const { crawl, web, long } = await siteOfLongPage();
    web.set(urlOf('content'), '<title>Wait</title><meta http-equiv=refresh content="0; url=/content?bm-verify=AAQ">');
    crawl.setTime(START + 80 * DAY);
    await round(crawl);
    web.set(urlOf('content'), long);
    crawl.setTime(START + 120 * DAY);
    await round(crawl);
    const found = await named(crawl, { since: START + 41 * DAY });
    expect(found.filter((each) => each.endsWith(' content'))).toEqual(['bytes content']);
  });

  it('do not include the failures of a host that looks broken, until a second fetch confirms them', async () => {
    const { crawl, web } = await crawledSite();
    const broken = NAMES.slice(0, 6);
    for (const name of broken) web.set(urlOf(name), { status: 410 });
    crawl.setTime(START + 40 * DAY);
    const { updated } = await round(crawl);
    expect(await named(crawl)).toEqual(['host docs.example.com 6/13']);
    expect(updated.counters).toMatchObject({ changes_held: 6 });
    expect(await named(crawl, { since: 0, kinds: ['title'] })).toEqual([]);
    for (const name of broken.slice(2)) web.set(urlOf(name), page());
    crawl.setTime(START + 400 * DAY);
    await round(crawl);
    expect(await named(crawl, { since: START + 41 * DAY })).toEqual(['gone content', 'gone title']);
  });

  it('do not include failures of a host that looked broken in an earlier batch of the day', async () => {
    const { crawl, web } = await crawledSite();
    for (const name of ['', ...NAMES]) web.set(urlOf(name), { status: 410 });
    crawl.setTime(START + 40 * DAY);
    const batch = (await jobs.generate(crawl, { topN: 10 })).batchId!;
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
    await round(crawl);
    expect(await named(crawl)).toEqual(['host docs.example.com 10/10']);
    crawl.setTime(START + 400 * DAY);
    await round(crawl);
    expect((await named(crawl, { since: START + 41 * DAY })).filter((each) => each.startsWith('gone'))).toHaveLength(
      13,
    );
  });

  it('state since when they are known, and what was not fetched', async () => {
    await using off = await testCrawl(undefined, { settings: { 'db.changesKeptDays': 0 } });
    expect((await changes(off).summary()).because).toEqual([{ reason: 'not_logged' }, { reason: 'log_begins' }]);
    await expect(mark(off, 'x')).rejects.toThrow('db.changesKeptDays');
    const { crawl } = await crawledSite();
    expect((await changes(crawl, { since: START - DAY }).summary()).because).toEqual([
      { reason: 'log_begins', since: START },
    ]);
    crawl.setTime(START + 40 * DAY);
    await jobs.generate(crawl, { topN: 4 });
    expect((await changes(crawl, { since: START }).summary()).because).toEqual([
      { reason: 'due', pages: 9 },
      { reason: 'under_way', pages: 4 },
    ]);
  });

  it('state that pages are due whose host has a back-off', async () => {
    const { crawl } = await crawledSite();
    await jobs.inject(crawl, { seeds: ['http://other.example.com/'] });
    crawl.setTime(START + 40 * DAY);
    const now = START + 40 * DAY;
    const record = { since: now, until: now + DAY, code: 'exception', http: 503, failures: 1 } as const;
    await crawl.tables.hosts.backoff.put(new Map([[hostKeyOf('docs.example.com'), record]]));
    expect((await changes(crawl, { since: START }).summary()).because).toEqual([
      { reason: 'due', pages: 1 },
      { reason: 'host_backoff', pages: NAMES.length + 1 },
    ]);
    crawl.setTime(now + 2 * DAY);
    expect((await changes(crawl, { since: START }).summary()).because).toEqual([
      { reason: 'due', pages: NAMES.length + 2 },
    ]);
  });

  it('are removed after db.changesKeptDays, by compact', async () => {
    const { crawl, web } = await crawledSite();
    web.set(urlOf('title'), page({ title: 'Two' }));
    crawl.setTime(START + 40 * DAY);
    await round(crawl);
    crawl.setTime(START + 131 * DAY);
    expect(await named(crawl)).toEqual([]);
    expect((await changes(crawl, { since: 0 }).summary()).because).toContainEqual({
      reason: 'removed',
      since: START + 41 * DAY,
    });
    // The baseline of one chunk, and one change.
    expect((await jobs.compact(crawl)).counters).toMatchObject({ changes_removed: expect.any(Number) as number });
    crawl.setTime(START + 41 * DAY);
    expect(await named(crawl)).toEqual([]);
  });

  it('are not found by a comparison with a row from before the log, which otherwise stays as it is', async () => {
    const { crawl, web } = await crawledSite({ settings: { 'db.changesKeptDays': 0 } });
    const { store } = crawl.tables;
    expect(await crawl.page(urlOf('title'), ['logged', 'digest'])).toEqual({
      key: expect.any(String) as string,
      status: 'fetched',
    });
    await using later = await testCrawl(web, { store });
    await jobs.generate(later);
    web.set(urlOf('title'), page({ title: 'Two' }));
    later.setTime(START + 40 * DAY);
    await round(later);
    await mark(later, 'begin');
    web.set(urlOf('title'), page({ title: 'Three' }));
    later.setTime(START + 80 * DAY);
    await round(later);
    expect(await named(later)).toEqual(['title title']);
  });
});

describe('the diff of a change', () => {
  const diffOf = async (crawl: OpenContext): Promise<unknown> => {
    const [found] = await listed(crawl, { since: START + 1, diff: true });
    return found?.type === 'page' ? found.diff : undefined;
  };

  it('is of the main content, by line', async () => {
    const { crawl, web } = await crawledSite({ settings: { 'db.keepVersions': 2 } });
    web.set(urlOf('content'), page({ blocks: [TEXT, 'A third block that is longer.', 'And one.'] }));
    crawl.setTime(START + 40 * DAY);
    await round(crawl);
    expect(await diffOf(crawl)).toEqual({
      added: 7,
      removed: 2,
      similarity: expect.closeTo(0.79, 2) as number,
      lines: [
        { sign: ' ', text: TEXT.trim() },
        { sign: '-', text: 'A second block.' },
        { sign: '+', text: 'A third block that is longer.' },
        { sign: '+', text: 'And one.' },
      ],
      places: [
        [
          { sign: ' ', text: 'A' },
          { sign: '-', text: 'second block.' },
          { sign: '+', text: 'third block that is longer. And one.' },
        ],
      ],
    });
    await jobs.compact(crawl);
    expect(await diffOf(crawl)).toMatchObject({ added: 7 });
  });

  it('shows each block that made the change, even a short one beside much text', async () => {
    const { crawl, web } = await crawledSite({ settings: { 'db.keepVersions': 2 } });
    web.set(urlOf('content'), page({ blocks: [TEXT, TEXT, TEXT, 'One.'] }));
    crawl.setTime(START + 40 * DAY);
    await round(crawl);
    web.set(urlOf('content'), page({ blocks: [TEXT, TEXT, TEXT, 'Two.'] }));
    crawl.setTime(START + 80 * DAY);
    await round(crawl);
    const found = await listed(crawl, { since: START + 41 * DAY, kinds: ['content'], diff: true });
    expect(found).toMatchObject([
      {
        diff: {
          added: 1,
          removed: 1,
          lines: [
            { sign: ' ', text: TEXT.trim() },
            { sign: '-', text: 'One.' },
            { sign: '+', text: 'Two.' },
          ],
        },
      },
    ]);
  });

  it('reads each version by its own media type and charset', async () => {
    const { crawl, web } = await crawledSite({ settings: { 'db.keepVersions': 2 } });
    web.set(urlOf('content'), { html: 'GIF89a', contentType: 'image/gif' });
    crawl.setTime(START + 40 * DAY);
    await round(crawl);
    const body = Buffer.from(page({ blocks: ['Caf\u00e9.'] }), 'latin1');
    web.set(urlOf('content'), { body, headers: { 'content-type': 'text/html; charset=iso-8859-1' } });
    crawl.setTime(START + 80 * DAY);
    await round(crawl);
    expect(await listed(crawl, { since: START + 41 * DAY, kinds: ['content'], diff: true })).toMatchObject([
      { diff: { added: 1, removed: 0, lines: [{ sign: '+', text: 'Caf\u00e9.' }] } },
    ]);
  });

  it('is missing if a version is no longer stored, and says so', async () => {
    const { crawl, web } = await crawledSite({ settings: { 'db.keepVersions': 1 } });
    web.set(urlOf('content'), page({ blocks: ['Other.'] }));
    crawl.setTime(START + 40 * DAY);
    await round(crawl);
    expect(await diffOf(crawl)).toEqual({
      missing: 'the version before the change is no longer stored: db.keepVersions is 1',
    });
  });
});
