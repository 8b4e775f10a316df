import { describe, expect, it } from 'vitest';
import {
  MemoryStore,
  explain,
  jobs,
  rowKeyOf,
  type Crawl,
  type Plugin,
  type Report,
  type Store,
} from '../../packages/webcrawl/index.js';
import { FIELD_COLUMNS, MARK_COLUMNS, openTables, urlOf } from '../../webtable/index.js';
import { copyStore, dumpStore } from '../support/stores/copy-store.js';
import { damage } from '../support/stores/damage.js';
import { turns } from '../support/events.js';
import { fakeWeb, links, randomNumbers, type FakePage, type FakeWeb } from '../support/web/fake-web.js';
import { round, rowOf, select, start } from '../support/job-steps.js';
import { START, allRows, testCrawl } from '../support/test-crawl.js';
import { runs } from '../support/runs.js';

const DAY = 86_400_000;
const MONTH = 30 * DAY;
const A = 'http://a.com/';
const INTERVAL = 2_592_000;

/** Injects the pages of a web that are seeds and runs one round. */
async function firstRound(web: FakeWeb, seeds: string[], settings: Record<string, unknown> = {}) {
  const crawl = await testCrawl(web, { settings });
  await jobs.inject(crawl, { seeds });
  return { crawl, ...(await round(crawl)) };
}

describe('updatedb and the pages of its batch', () => {
  it('plans the next fetch, keeps the digest and changes the marks', async () => {
    const { crawl, batch, updated } = await firstRound(fakeWeb({ [A]: 'hello' }), [A]);
    expect(updated).toEqual({ job: 'updatedb', batchId: batch, seconds: 0, counters: { fetched: 1 } });
    const [row] = await allRows(crawl);
    expect(row).toMatchObject({
      status: 'fetched',
      dueAt: START + MONTH,
      fetchedAt: START,
      fetchInterval: INTERVAL,
      retries: 0,
      modifiedTime: START,
      signature: '5d41402abc4b2a76b9719d911017c592',
      marks: { inject: 'y', updatedb: batch },
    });
    for (const field of ['newSignature', 'prevSignature']) expect(row).not.toHaveProperty(field);
    const keys: string[] = [];
    for await (const entries of crawl.tables.batches.entries(batch))
      for (const { rowKey: key } of entries) keys.push(key);
    expect(keys).toEqual([]);
    expect(await crawl.tables.batches.get(batch)).toEqual({ batchId: batch, state: 'closed', size: 1 });
  });

  it('counts a page once that is decided on again, and so does generate', async () => {
    const web = fakeWeb({ [A]: links('/b'), 'http://a.com/b': 'b' });
    await using crawl = await testCrawl(web, { settings: { 'generate.maxDistance': 3 } });
    await jobs.inject(crawl, { seeds: [A, 'http://a.com/far'] });
    await crawl.tables.pages.write([{ key: rowKeyOf('http://a.com/far'), set: { distance: 9 } }]);
    const { changeRows } = crawl.tables;
    // As where somebody else has changed every row between its reading and its writing.
    crawl.tables.changeRows = (keys, fields, now, decide) =>
      changeRows(keys, fields, now, async (...args) => {
        await decide(...args);
        return decide(...args);
      });
    const { batchId: batch = '', counters } = await jobs.generate(crawl);
    expect(counters).toEqual({ generated: 1, distance: 1 });
    await jobs.fetch(crawl, { batch, parse: true });
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ fetched: 1, links: 1, added: 1 });
  });

  it('counts each page once by what became of it', async () => {
    const web = fakeWeb({
      'http://a.com/ok': 'x',
      'http://a.com/moved': { location: '/ok' },
      'http://a.com/nowhere': { location: 'mailto:a' },
      'http://a.com/fails': { status: 500 },
      'http://a.com/image': { html: 'GIF89a', contentType: 'image/gif' },
    });
    const names = ['ok', 'moved', 'nowhere', 'fails', 'image', 'missing'];
    const { crawl, batch, updated } = await firstRound(
      web,
      names.map((name) => `http://a.com/${name}`),
    );
    expect(updated.counters).toEqual({ fetched: 2, redirected: 2, retry: 1, gone: 1, links: 1, linked: 1 });
    const due: Record<string, unknown> = {};
    for (const name of names) {
      const row = await rowOf(crawl, `http://a.com/${name}`, 'status', 'dueAt', 'retries', 'marks');
      due[name] = [row.status, (row.dueAt! - START) / DAY, row.retries];
      expect(row.marks).toEqual({ inject: 'y', updatedb: batch });
    }
    expect(due).toEqual({
      ok: ['fetched', 30, 0],
      moved: ['redir_perm', 30, 0],
      nowhere: ['redir_perm', 30, 0],
      fails: ['unfetched', 1, 1],
      image: ['fetched', 30, 0],
      missing: ['gone', 45, 0],
    });
  });

  it('lets pages go that were not fetched, still due and with all they have', async () => {
    const web = fakeWeb({ [A]: links('/1') });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, A, 'http://a.com/2');
    const before = await allRows(crawl);
    crawl.setTime(START + 1000);
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ not_fetched: 2 });
    expect(await allRows(crawl)).toEqual(
      before.map(({ cashInFlight: _, ...row }) => ({ ...row, marks: { inject: 'y' }, dueAt: START })),
    );
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 2 });
  });

  it('does not take an old fetch for one of this batch', async () => {
    const web = fakeWeb({ [A]: links('/1') });
    const { crawl } = await firstRound(web, [A]);
    const before = await rowOf(crawl, A, 'status', 'dueAt', 'fetchedAt', 'cash', 'score', 'marks');
    crawl.setTime(START + MONTH);
    const batch = await select(crawl);
    const { counters } = await jobs.updatedb(crawl, { batch });
    expect(counters).toEqual({ not_fetched: 2 });
    expect(await rowOf(crawl, A, 'status', 'dueAt', 'fetchedAt', 'cash', 'score', 'marks')).toEqual(before);
  });

  it('gives a page up after so many failures in a row, and takes it back when it works', async () => {
    const web = fakeWeb({ [A]: { status: 503 } });
    await using crawl = await testCrawl(web, { settings: { 'db.fetchRetryMax': 2 } });
    await jobs.inject(crawl, { seeds: [A] });
    const seen: unknown[] = [];
    let now = START;
    for (let i = 0; i < 4; i++) {
      crawl.setTime(now);
      if (i === 3) web.set(A, { html: 'x' });
      await round(crawl);
      const { status, retries, dueAt, fetchInterval } = await rowOf(
        crawl,
        A,
        'status',
        'retries',
        'dueAt',
        'fetchInterval',
      );
      seen.push([status, retries, (dueAt! - now) / DAY, fetchInterval! / 86_400]);
      now = dueAt!;
    }
    expect(seen).toEqual([
      ['unfetched', 1, 1, 30],
      ['gone', 2, 45, 45],
      ['gone', 3, 67.5, 67.5],
      ['fetched', 0, 67.5, 67.5],
    ]);
  });

  it('gives up at once where no failure is allowed', async () => {
    const { crawl, updated } = await firstRound(fakeWeb({ [A]: { status: 503 } }), [A], { 'db.fetchRetryMax': 0 });
    expect(updated.counters).toEqual({ gone: 1 });
    expect(await rowOf(crawl, A, 'status', 'retries')).toEqual({ status: 'gone', retries: 1 });
  });

  it('compares digests, and lets the adaptive schedule know', async () => {
    const web = fakeWeb({ [A]: '1' });
    const settings = { 'db.fetchSchedule': 'adaptive', 'db.fetchScheduleAdaptiveSyncDelta': false };
    const { crawl } = await firstRound(web, [`${A}\tfetchInterval=1000`], settings);
    const rows = [await rowOf(crawl, A, 'fetchInterval', 'signature', 'prevSignature', 'modifiedTime')];
    const bodies = ['1', '2', '2'];
    for (const [i, html] of bodies.entries()) {
      web.set(A, { html });
      crawl.setTime(START + (i + 1) * DAY);
      await round(crawl);
      rows.push(await rowOf(crawl, A, 'fetchInterval', 'signature', 'prevSignature', 'modifiedTime'));
    }
    const [one, two] = ['c4ca4238a0b923820dcc509a6f75849b', 'c81e728d9d4c2f636f067f89cc14862c'];
    expect(rows).toEqual([
      { fetchInterval: 1000, signature: one, modifiedTime: START },
      { fetchInterval: 1400, signature: one, prevSignature: one, modifiedTime: START },
      { fetchInterval: 1120, signature: two, prevSignature: one, modifiedTime: START + 2 * DAY },
      { fetchInterval: 1568, signature: two, prevSignature: two, modifiedTime: START + 2 * DAY },
    ]);
    expect(await rowOf(crawl, A, 'status')).toEqual({ status: 'fetched' });
  });

  it('believes a Last-Modified that is not in the future', async () => {
    for (const [text, modified] of [
      ['Wed, 01 Jan 2020 00:00:00 GMT', Date.UTC(2020, 0, 1)],
      ['Wed, 01 Jan 2099 00:00:00 GMT', START],
      ['yesterday', START],
      ['Thu, 01 Jan 1970 00:00:00 GMT', START],
    ] as const) {
      const { crawl } = await firstRound(fakeWeb({ [A]: { html: 'x', headers: { 'last-modified': text } } }), [A]);
      expect(await rowOf(crawl, A, 'modifiedTime'), text).toEqual({ modifiedTime: modified });
    }
  });

  it('leaves the digest alone where nothing was parsed', async () => {
    const web = fakeWeb({ [A]: 'x' });
    const { crawl } = await firstRound(web, [A]);
    const before = await rowOf(crawl, A, 'signature', 'prevSignature');
    const pages: FakePage[] = [
      { status: 404 },
      { status: 503 },
      { location: '/y' },
      { html: 'GIF', contentType: 'image/gif' },
    ];
    for (const [i, page] of pages.entries()) {
      web.set(A, page);
      crawl.setTime(START + (i + 1) * 100 * DAY);
      await round(crawl);
      expect(await rowOf(crawl, A, 'signature', 'prevSignature')).toEqual(before);
    }
  });

  it('leaves rows alone that another batch holds by now', async () => {
    await using crawl = await testCrawl(fakeWeb({ [A]: 'x' }), { settings: { 'generate.lockExpiry': 10 } });
    const first = await start(crawl, A);
    await jobs.fetch(crawl, { batch: first });
    crawl.setTime(START + 10_000);
    const second = await select(crawl);
    const before = await allRows(crawl);
    expect((await jobs.updatedb(crawl, { batch: first })).counters).toEqual({});
    expect(await allRows(crawl)).toEqual(before);
    expect(before[0]!.marks).toEqual({ inject: 'y', generate: second, fetch: first });
    expect((await jobs.updatedb(crawl, { batch: second })).counters).toEqual({ not_fetched: 1 });
  });

  it('keeps its rows from generate while it runs, however old the batch is', async () => {
    const store = new MemoryStore();
    await using crawl = await testCrawl(fakeWeb({ [A]: 'x' }), { store, settings: { 'generate.lockExpiry': 10 } });
    const first = await start(crawl, A);
    await jobs.fetch(crawl, { batch: first });
    crawl.setTime(START + 10_000);
    // The hold has expired, but links of the page may have been added: taken now, it would add them again.
    let second: string | undefined;
    const { entries } = crawl.tables.batches;
    let reads = 0;
    crawl.tables.batches.entries = async function* (batchId) {
      for await (const step of entries(batchId)) {
        if (batchId === first && ++reads === 1) second = (await jobs.generate(crawl)).batchId;
        yield step;
      }
    };
    await jobs.updatedb(crawl, { batch: first });
    expect([reads > 0, second]).toEqual([true, undefined]);
    expect(await rowOf(crawl, A, 'marks')).toEqual({ marks: { inject: 'y', updatedb: first } });
  });

  it('counts what is damaged, and lets its hold expire', async () => {
    await using crawl = await testCrawl(fakeWeb({ [A]: 'x', 'http://b.com/': 'x' }));
    const batch = await start(crawl, A, 'http://b.com/');
    await jobs.fetch(crawl, { batch, parse: true });
    await damage(crawl, A, 'dueAt');
    // Once when it looks for links, and once when it lets go.
    expect((await jobs.updatedb(crawl, { batch })).counters).toMatchObject({
      fetched: 1,
      damaged: expect.any(Number) as number,
    });
    expect((await rowOf(crawl, A, 'marks')).marks).toMatchObject({ generate: batch });
  });
});

describe('updatedb and links', () => {
  it('makes rows of links', async () => {
    const web = fakeWeb({ [A]: links('/1', 'http://b.com/?q=1') });
    const { crawl, updated } = await firstRound(web, [`${A}\tscore=4`]);
    expect(updated.counters).toEqual({ fetched: 1, links: 2, added: 2 });
    const same = {
      status: 'unfetched',
      dueAt: START,
      fetchInterval: INTERVAL,
      retries: 0,
      score: 2,
      cash: 2,
      distance: 1,
    };
    const [, first, second] = await allRows(crawl);
    expect(first).toEqual({
      key: 'com.a:http/1',
      url: 'http://a.com/1',
      ...same,
      inlinkBound: 1,
      inlinkCount: 1,
      inlinks: [{ url: A, anchor: 'to /1', score: 2 }],
    });
    expect(second).toEqual({
      key: 'com.b:http/?q=1',
      url: 'http://b.com/?q=1',
      ...same,
      inlinkBound: 1,
      inlinkCount: 1,
      inlinks: [{ url: A, anchor: 'to http://b.com/?q=1', score: 2 }],
    });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
  });

  it('adds none when told so, and still tells those that are known', async () => {
    const web = fakeWeb({ [A]: links('/1', '/2'), 'http://a.com/1': 'x' });
    const settings = { 'db.updateAdditionsAllowed': false };
    const { crawl, updated } = await firstRound(web, [A, 'http://a.com/1\tscore=0'], settings);
    expect(updated.counters).toEqual({ fetched: 2, links: 1, linked: 1, not_added: 1 });
    expect((await allRows(crawl)).map((row) => [row.url, row.score])).toEqual([
      [A, 1],
      ['http://a.com/1', 0.5],
    ]);
  });

  it('gathers inlinks with their anchors over rounds, the last anchor of each source', async () => {
    const web = fakeWeb({
      [A]: '<a href="/t">from root</a>',
      'http://a.com/1': '<a href="/t">from one</a>',
      'http://a.com/t': 'x',
    });
    const { crawl } = await firstRound(web, [A]);
    crawl.setTime(START + 1000);
    await jobs.inject(crawl, { seeds: ['http://a.com/1'] });
    await round(crawl);
    expect((await rowOf(crawl, 'http://a.com/t', 'inlinks')).inlinks).toEqual([
      { url: A, anchor: 'from root', score: 1 },
      { url: 'http://a.com/1', anchor: 'from one', score: 1 },
    ]);
    web.set(A, { html: '<a href="/t">from root again</a>' });
    web.set('http://a.com/1', undefined);
    crawl.setTime(START + 40 * DAY);
    await round(crawl);
    expect((await rowOf(crawl, 'http://a.com/t', 'inlinks')).inlinks).toEqual([
      { url: A, anchor: 'from root again', score: 0 },
      { url: 'http://a.com/1', anchor: 'from one', score: 1 },
    ]);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
  });

  it('keeps the best inlinks at the limit, in one update and over several', async () => {
    const web = fakeWeb({ 'http://t.com/': 'x' });
    await using crawl = await testCrawl(web, { settings: { 'db.updateMaxInlinks': 3 } });
    const tell = async (...scores: number[]): Promise<unknown> => {
      const seeds = scores.map((score) => `http://s${score}.com/\tscore=${score}`);
      for (const score of scores) web.set(`http://s${score}.com/`, { html: links('http://t.com/') });
      await jobs.inject(crawl, { seeds });
      await round(crawl);
      const { inlinks, inlinkCount, score } = await rowOf(crawl, 'http://t.com/', 'inlinks', 'inlinkCount', 'score');
      return [inlinks?.map((link) => link.score).sort((a, b) => b - a), inlinkCount, score];
    };
    await jobs.inject(crawl, { seeds: ['http://t.com/\tscore=0'] });
    // Only the best count for the score.
    expect(await tell(5, 1, 4, 2)).toEqual([[5, 4, 2], 3, 11]);
    expect(await tell(3)).toEqual([[5, 4, 3], 3, 14]);
    expect(await tell(0.5)).toEqual([[5, 4, 3], 3, 14.5]);
    expect(await tell(9, 8, 7, 6)).toEqual([[9, 8, 7], 3, 38.5]);
  });

  it('knows how far a page is from a seed also where it keeps few or no inlinks', async () => {
    for (const [max, inlinks] of [
      [0, undefined],
      [1, [{ url: 'http://c.com/', anchor: 'to http://t.com/', score: 5 }]],
    ] as const) {
      const web = fakeWeb({
        'http://a.com/': links('http://c.com/'),
        'http://b.com/': links('http://t.com/'),
        'http://c.com/': links('http://t.com/'),
      });
      await using crawl = await testCrawl(web, { settings: { 'db.updateMaxInlinks': max } });
      await jobs.inject(crawl, { seeds: ['http://a.com/\tscore=5'] });
      await round(crawl);
      await jobs.inject(crawl, { seeds: ['http://b.com/'] });
      await round(crawl);
      expect(await rowOf(crawl, 'http://c.com/', 'distance'), `${max}`).toEqual({ distance: 1 });
      expect(await rowOf(crawl, 'http://t.com/', 'distance', 'inlinks'), `${max}`).toEqual({
        distance: 1,
        ...(inlinks && { inlinks }),
      });
    }
  });

  it('takes the least distance, also where the page was known to be further away', async () => {
    const web = fakeWeb({
      [A]: links('/1'),
      'http://a.com/1': links('/2'),
      'http://a.com/2': links('/3'),
      'http://b.com/': links('http://a.com/3', 'http://a.com/1'),
    });
    const { crawl } = await firstRound(web, [A]);
    await round(crawl);
    await round(crawl);
    const distances = async (): Promise<unknown[]> => (await allRows(crawl)).map((row) => row.distance);
    expect(await distances()).toEqual([0, 1, 2, 3]);
    await jobs.inject(crawl, { seeds: ['http://b.com/'] });
    await round(crawl);
    expect(await distances()).toEqual([0, 1, 2, 1, 0]);
  });

  it('hands on what a page has received since it last did, in parts that sum up', async () => {
    const web = fakeWeb({
      [A]: links('/1', '/2'),
      'http://a.com/1': links('/2'),
      'http://a.com/2': links('/'),
    });
    const { crawl } = await firstRound(web, [A]);
    const scores = async (): Promise<unknown[]> => (await allRows(crawl)).map((row) => [row.score, row.cash]);
    expect(await scores()).toEqual([
      [1, 0],
      [0.5, 0.5],
      [0.5, 0.5],
    ]);
    await round(crawl);
    expect(await scores()).toEqual([
      [1.5, 0.5],
      [0.5, 0],
      [1, 0.5],
    ]);
    crawl.setTime(START + 100 * DAY);
    await round(crawl);
    expect(await scores()).toEqual([
      [2, 0.5],
      [0.75, 0.25],
      [1.25, 0.25],
    ]);
  });

  it('keeps the cash of a page that handed nothing on', async () => {
    const pages: Record<string, FakePage> = {
      gone: { status: 404 },
      retry: { status: 503 },
      image: { html: 'GIF', contentType: 'image/gif' },
      rejected: { location: 'http://a.com/x.png' },
      itself: { location: 'http://a.com/itself' },
    };
    const web = fakeWeb(
      Object.fromEntries(Object.entries(pages).map(([name, page]) => [`http://a.com/${name}`, page])),
    );
    const { crawl } = await firstRound(
      web,
      Object.keys(pages).map((name) => `http://a.com/${name}`),
    );
    for (const row of await allRows(crawl)) expect([row.url, row.score, row.cash]).toEqual([row.url, 1, 1]);
  });

  it('hands on all that a redirect has, at the same distance', async () => {
    for (const maxRedirects of [0, 5]) {
      const web = fakeWeb({ [A]: { location: '/b' }, 'http://a.com/b': 'x' });
      const { crawl } = await firstRound(web, [`${A}\tscore=3`], { 'fetcher.maxRedirects': maxRedirects });
      expect(await rowOf(crawl, A, 'score', 'cash')).toEqual({ score: 3, cash: 0 });
      expect(await rowOf(crawl, 'http://a.com/b', 'score', 'cash', 'distance', 'inlinks')).toEqual({
        score: 3,
        cash: 3,
        distance: 0,
        inlinks: [{ url: A, anchor: '', score: 3 }],
      });
    }
  });

  it('hands on nothing by old links of a page that failed, moved, or was not modified', async () => {
    const headers = { etag: '"1"' };
    const later: Record<string, FakePage | undefined> = {
      notmodified: { html: links('/t'), headers },
      gone: undefined,
      retry: { status: 503 },
      moved: { location: '/elsewhere' },
      image: { html: 'GIF', contentType: 'image/gif', headers: {} },
    };
    for (const [name, page] of Object.entries(later)) {
      const web = fakeWeb({ [A]: { html: links('/t'), headers }, 'http://a.com/t': links('/') });
      const { crawl } = await firstRound(web, [A]);
      await round(crawl);
      const before = await rowOf(crawl, 'http://a.com/t', 'score', 'inlinks', 'inlinkCount');
      web.set(A, page);
      web.set('http://a.com/t', { status: 503 });
      crawl.setTime(START + 31 * DAY);
      const { updated } = await round(crawl);
      expect(updated.counters.links, name).toBe(name === 'moved' ? 1 : undefined);
      expect(await rowOf(crawl, 'http://a.com/t', 'score', 'inlinks', 'inlinkCount'), name).toEqual(before);
      expect(await rowOf(crawl, A, 'cash'), name).toEqual({ cash: name === 'moved' ? 0 : 1 });
    }
  });

  it('takes a page that links to itself for any other, and comes to an end', async () => {
    const { crawl } = await firstRound(fakeWeb({ [A]: links('/', '/1') }), [A]);
    expect(await rowOf(crawl, A, 'score', 'cash', 'distance', 'inlinks')).toEqual({
      score: 1.5,
      cash: 0.5,
      distance: 0,
      inlinks: [{ url: A, anchor: 'to /', score: 0.5 }],
    });
  });

  it('leaves the state of a linked row alone that another batch is working on', async () => {
    const web = fakeWeb({ [A]: links('http://b.com/'), 'http://b.com/': links('/y') });
    await using crawl = await testCrawl(web);
    const other = await start(crawl, 'http://b.com/\tscore=2');
    await jobs.fetch(crawl, { batch: other, parse: true });
    const { score: _s, cash: _c, ...before } = (await allRows(crawl))[0]!;
    await jobs.inject(crawl, { seeds: [A] });
    await round(crawl);
    expect((await allRows(crawl))[1]).toEqual({
      ...before,
      score: 3,
      cash: 3,
      inlinkBound: 1,
      inlinkCount: 1,
      inlinks: [{ url: A, anchor: 'to http://b.com/', score: 1 }],
    });
    await jobs.updatedb(crawl, { batch: other });
    // What came meanwhile is handed on the next time.
    expect(await rowOf(crawl, 'http://b.com/', 'cash')).toEqual({ cash: 1 });
    expect(await rowOf(crawl, 'http://b.com/y', 'score')).toEqual({ score: 2 });
  });

  it('counts a linked row that is damaged and leaves it as it is', async () => {
    const web = fakeWeb({ [A]: links('/1', '/2') });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, A);
    await damage(crawl, 'http://a.com/1', 'score');
    await jobs.fetch(crawl, { batch, parse: true });
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ fetched: 1, links: 1, added: 1, damaged: 1 });
    expect(await rowOf(crawl, 'http://a.com/1', 'inlinks', 'status')).toEqual({});
  });
});

/** A store with a batch that is fetched and parsed: `pages` pages with `fan` links each to each other and to others. */
async function bigBatch(pages: number, fan: number): Promise<{ store: MemoryStore; batch: string }> {
  const random = randomNumbers(7);
  const url = (i: number): string => `http://h${i % 7}.com/${i}`;
  const web: Record<string, string> = {};
  for (let i = 0; i < pages; i++) {
    web[url(i)] = links(...Array.from({ length: fan }, () => url(Math.floor(random() * pages * 1.5))));
  }
  const store = new MemoryStore();
  const crawl = await testCrawl(fakeWeb(web), { store });
  const batch = await start(crawl, ...Object.keys(web));
  await jobs.fetch(crawl, { batch, parse: true });
  return { store, batch };
}

/** Aborts when a store is asked to write for the n-th time. */
function abortAt(store: Store, n: number): { signal: AbortSignal; writes: () => number } {
  const controller = new AbortController();
  const write = store.write.bind(store);
  let writes = 0;
  store.write = (table, changes) => {
    if (++writes === n) controller.abort();
    return write(table, changes);
  };
  return { signal: controller.signal, writes: () => writes };
}

/** Aborts when a store is asked for the n-th time to write rows that are released. */
function abortAmongReleased(store: Store, n: number): AbortSignal {
  const controller = new AbortController();
  const write = store.write.bind(store);
  let writes = 0;
  store.write = (table, changes) => {
    if (changes.some(({ put }) => put?.has(MARK_COLUMNS.updatedb)) && ++writes === n) controller.abort();
    return write(table, changes);
  };
  return controller.signal;
}

const SLICED = { 'db.updateMaxLinksInMemory': 1000, 'db.updateMaxInlinks': 5 };

describe('updatedb run again', () => {
  it('changes nothing', async () => {
    const web = fakeWeb({ [A]: links('/1', '/2', '/') });
    const { crawl, batch } = await firstRound(web, [A]);
    const before = await dumpStore(crawl.tables.store);
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ batch_closed: 1 });
    expect((await jobs.updatedb(crawl, { batch: 'all' })).counters).toEqual({});
    expect(await dumpStore(crawl.tables.store)).toEqual(before);
  });

  it('leaves a batch open that it was told to stop before it began on', async () => {
    const { store, batch } = await bigBatch(3, 2);
    await using crawl = await testCrawl(undefined, { store });
    const before = await dumpStore(store);
    const report = await jobs.updatedb(crawl, { batch, signal: AbortSignal.abort() });
    expect(report).toEqual({ job: 'updatedb', batchId: batch, seconds: 0, counters: {}, interrupted: true });
    expect(await dumpStore(store)).toEqual(before);
  });

  it('ends in the same rows wherever it was stopped, over many slices', async () => {
    const { store, batch } = await bigBatch(runs(260, 450), 12);
    const undisturbed = await copyStore(store);
    await using whole = await testCrawl(undefined, { store: undisturbed, settings: SLICED });
    const { writes } = abortAt(undisturbed, 0);
    const report = await jobs.updatedb(whole, { batch });
    const expected = await dumpStore(undisturbed);
    expect(report.counters.links).toBeGreaterThan(runs(3000, 5000));

    let interrupted = 0;
    const total = writes();
    for (let at = 1; at <= total; at += Math.ceil(total / runs(8, 25))) {
      const copy = await copyStore(store);
      await using crawl = await testCrawl(undefined, { store: copy, settings: SLICED });
      const { signal } = abortAt(copy, at);
      const first = await jobs.updatedb(crawl, { batch, signal });
      const reports: Report[] = [first, await jobs.updatedb(crawl, { batch })];
      if (first.interrupted && reports[1]!.counters.batch_closed === undefined) interrupted += 1;
      expect(await dumpStore(copy), `stopped at write ${at}`).toEqual(expected);
      const sum = (name: string): number => reports.reduce((n, each) => n + (each.counters[name] ?? 0), 0);
      for (const name of ['links', 'added', 'fetched']) expect(sum(name), name).toBe(report.counters[name]);
    }
    expect(interrupted).toBeGreaterThan(runs(3, 10));
  });

  it('ends in the same sums when the slices are of another size the second time', async () => {
    const { store, batch } = await bigBatch(runs(260, 450), 12);
    const results: unknown[] = [];
    for (const [first, second] of [
      [1000, 1000],
      [1000, 100_000],
      [3000, 1000],
    ] as const) {
      const copy = await copyStore(store);
      await using crawl = await testCrawl(undefined, { store: copy, settings: { 'db.updateMaxLinksInMemory': first } });
      const { signal } = abortAt(copy, 7);
      expect(await jobs.updatedb(crawl, { batch, signal })).toMatchObject({ interrupted: true });
      await using again = await testCrawl(undefined, {
        store: copy,
        settings: { 'db.updateMaxLinksInMemory': second },
      });
      await jobs.updatedb(again, { batch });
      const rows = await allRows(again);
      results.push(rows.map((row) => [row.url, Math.round(Number(row.score) * 1e9), row.inlinkCount, row.inlinks]));
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  it('ends in the same rows when repair runs in between', async () => {
    const { store, batch } = await bigBatch(runs(260, 450), 12);
    // Entries without a row, as a fetch leaves them that dies before it makes the target of a redirect: first and last
    // in the index.
    const free = Array.from({ length: 200 }, (_, i) => rowKeyOf(`http://x${i}.com/`));
    const { batches, slots } = await openTables(store);
    const entries = free.map((rowKey) => ({ rowKey, queue: new URL(urlOf(rowKey)).host }));
    const inSlot = (slot: string | undefined) => entries.find(({ queue }) => slots.ofQueue(queue) === slot)!;
    await batches.enter(batch, [inSlot(slots.all[0]), inSlot(slots.all.at(-1))]);

    const undisturbed = await copyStore(store);
    await using whole = await testCrawl(undefined, { store: undisturbed, settings: SLICED });
    await jobs.updatedb(whole, { batch });
    const expected = await allRows(whole);
    const stops = [3, 5, 8, 11].map((at) => (copy: Store) => abortAt(copy, at).signal);
    for (const [at, stop] of [...stops, (copy: Store) => abortAmongReleased(copy, 3)].entries()) {
      const copy = await copyStore(store);
      await using crawl = await testCrawl(undefined, { store: copy, settings: SLICED });
      const signal = stop(copy);
      expect(await jobs.updatedb(crawl, { batch, signal })).toMatchObject({ interrupted: true });
      await jobs.repair(crawl);
      await jobs.updatedb(crawl, { batch });
      expect(await allRows(crawl), `stopped at write ${at}`).toEqual(expected);
      expect((await jobs.repair(crawl)).counters).toEqual({ rows: expected.length });
    }
  });
});

describe('updatedb and rows of its batch that link to one another', () => {
  it('adds the links to a row in the change that releases it', async () => {
    const { store, batch } = await bigBatch(60, 12);
    await using crawl = await testCrawl(undefined, { store });
    const write = store.write.bind(store);
    const changed: string[] = [];
    store.write = (table, changes) => {
      if (table === 'webpage') changed.push(...changes.map(({ key }) => key));
      return write(table, changes);
    };
    const { counters } = await jobs.updatedb(crawl, { batch });
    expect(counters).toMatchObject({ fetched: 60 });
    expect(counters.linked).toBeGreaterThan(50);
    expect(changed.length).toBe(new Set(changed).size);
    expect(changed.length).toBe(60 + (counters.added ?? 0));
  });

  it('hands on the distance that a released row had before it got its own links', async () => {
    const { store, batch } = await bigBatch(450, 3);
    const random = randomNumbers(3);
    const { pages } = await openTables(store);
    for await (const { key } of pages.scan({ fields: ['status'] })) {
      await pages.write([{ key, set: { distance: Math.floor(random() * 20) } }]);
    }
    const undisturbed = await copyStore(store);
    await using whole = await testCrawl(undefined, { store: undisturbed });
    await jobs.updatedb(whole, { batch });
    const expected = await allRows(whole);
    for (const at of [1, 2, 3, 4, 5]) {
      const copy = await copyStore(store);
      await using crawl = await testCrawl(undefined, { store: copy });
      const signal = abortAmongReleased(copy, at);
      expect(await jobs.updatedb(crawl, { batch, signal })).toMatchObject({ interrupted: true });
      await jobs.updatedb(crawl, { batch });
      expect(await allRows(crawl), `stopped at write ${at}`).toEqual(expected);
    }
  });

  it('keeps released rows from generate until it has come to its end', async () => {
    const { store, batch } = await bigBatch(runs(260, 450), 12);
    const undisturbed = await copyStore(store);
    await using whole = await testCrawl(undefined, { store: undisturbed });
    await jobs.updatedb(whole, { batch });
    const expected = await allRows(whole);

    await using crawl = await testCrawl(undefined, { store });
    const signal = abortAmongReleased(store, 3);
    expect(await jobs.updatedb(crawl, { batch, signal })).toMatchObject({ interrupted: true });
    const { counters, batchId = '' } = await jobs.generate(crawl, { addDays: 365 });
    const released = counters.updating ?? 0;
    expect(released).toBeGreaterThan(10);
    expect(released).toBeLessThan(440);
    for await (const { url, marks } of crawl.pages({ fields: ['marks'] })) {
      if (marks?.updatedb !== batch) continue;
      expect(await explain(crawl, url)).toMatchObject({ next: { kind: 'held_updatedb' } });
    }
    await jobs.updatedb(crawl, { batch: batchId });
    await jobs.updatedb(crawl, { batch });
    expect(await allRows(crawl)).toEqual(expected);
    expect((await jobs.generate(crawl, { addDays: 365 })).counters).toEqual({ generated: expected.length });
  });
});

describe('updatedb that was ended among the rows it releases', () => {
  it('keeps released rows also from a redirect that leads to them', async () => {
    const { store, batch } = await bigBatch(runs(260, 450), 12);
    const undisturbed = await copyStore(store);
    await using whole = await testCrawl(undefined, { store: undisturbed });
    await jobs.updatedb(whole, { batch });
    const expected = await allRows(whole);

    const redirecting = 'http://r.com/';
    const web = fakeWeb({});
    await using crawl = await testCrawl(web, { store });
    const signal = abortAmongReleased(store, 3);
    expect(await jobs.updatedb(crawl, { batch, signal })).toMatchObject({ interrupted: true });
    const released: string[] = [];
    for await (const { url, marks } of crawl.pages({ fields: ['marks'] })) {
      if (marks?.updatedb === batch) released.push(url);
    }
    web.set(redirecting, { location: released[0]! });
    web.set(released[0]!, { html: 'other' });
    // By then they are due again.
    crawl.setTime(START + 2 * MONTH);
    await jobs.inject(crawl, { seeds: [`${redirecting}\tscore=99`] });
    const later = await select(crawl, 1);
    expect((await jobs.fetch(crawl, { batch: later })).counters).toEqual({ fetched: 1, moved: 1, redirect_known: 1 });
    crawl.setTime(START);
    await jobs.updatedb(crawl, { batch });
    const rows = (await allRows(crawl)).filter(({ url }) => url !== redirecting);
    expect(rows).toEqual(expected);
  });
});

describe('updatedb and several batches', () => {
  const pages = {
    'http://a.com/': links('http://t.com/', 'http://u.com/'),
    'http://b.com/': links('http://t.com/', 'http://a.com/'),
    'http://t.com/': links('http://u.com/', 'http://t.com/'),
  };

  async function twoBatches(): Promise<{ crawl: Crawl & { tables: { store: Store } }; first: string; second: string }> {
    const crawl = await testCrawl(fakeWeb(pages));
    const first = await start(crawl, 'http://a.com/', 'http://t.com/');
    const second = await start(crawl, 'http://b.com/');
    await jobs.fetch(crawl, { batch: 'all', parse: true });
    return { crawl, first, second };
  }
  const result = async (crawl: Crawl): Promise<unknown> =>
    (await allRows(crawl)).map(({ url, score, cash, distance, inlinks, inlinkCount, dueAt, status }) => {
      return { url, score, cash, distance, inlinks, inlinkCount, dueAt, status };
    });

  it('gives the same sums in either order', async () => {
    const one = await twoBatches();
    await jobs.updatedb(one.crawl, { batch: one.first });
    await jobs.updatedb(one.crawl, { batch: one.second });
    const two = await twoBatches();
    await jobs.updatedb(two.crawl, { batch: two.second });
    await jobs.updatedb(two.crawl, { batch: two.first });
    expect(await result(two.crawl)).toEqual(await result(one.crawl));
    const three = await twoBatches();
    const both = [three.second, three.first].map((batch) => jobs.updatedb(three.crawl, { batch }));
    await Promise.all(both);
    expect(await result(three.crawl)).toEqual(await result(one.crawl));
    const four = await twoBatches();
    expect((await jobs.updatedb(four.crawl, { batch: 'all' })).counters).toEqual({
      batches: 2,
      fetched: 3,
      links: 6,
      added: 1,
      linked: 3,
    });
    expect(await result(four.crawl)).toEqual(await result(one.crawl));
    expect(await rowOf(one.crawl, 'http://t.com/', 'score', 'cash')).toEqual({ score: 2.5, cash: 1.5 });
  });

  it('gives the same sums when one is stopped, the other runs, and the first goes on', async () => {
    const whole = await twoBatches();
    await jobs.updatedb(whole.crawl, { batch: 'all' });
    const expected = await result(whole.crawl);
    for (let at = 1; at <= 12; at++) {
      const { crawl, first, second } = await twoBatches();
      const copy = await copyStore(crawl.tables.store);
      await using stopped = await testCrawl(undefined, { store: copy });
      // Fails as a crash would, which may be between any two writes.
      const write = copy.write.bind(copy);
      let writes = 0;
      copy.write = async (table, changes) => {
        if (++writes === at) throw new Error('stopped');
        return write(table, changes);
      };
      const outcome = await jobs.updatedb(stopped, { batch: first }).catch((error: Error) => error.message);
      copy.write = write;
      if (typeof outcome !== 'string') break;
      expect(outcome).toBe('stopped');
      await jobs.updatedb(stopped, { batch: second });
      await jobs.updatedb(stopped, { batch: first });
      expect(await result(stopped), `stopped at write ${at}`).toEqual(expected);
      expect((await jobs.repair(stopped)).counters).not.toHaveProperty('missing_frontier');
    }
  });

  it('drops the notes on batches that are closed', async () => {
    const { crawl, first, second } = await twoBatches();
    const linked = async (): Promise<string[]> =>
      Object.keys((await rowOf(crawl, 'http://t.com/', 'linkedUpTo')).linkedUpTo ?? {}).sort();
    await jobs.updatedb(crawl, { batch: first });
    expect(new Set((await linked()).map((note) => note.split('/')[0]))).toEqual(new Set([first]));
    await jobs.updatedb(crawl, { batch: second });
    expect(new Set((await linked()).map((note) => note.split('/')[0]))).toEqual(new Set([second]));
  });

  it('never loses a frontier entry, or a page, when generate and fetch run at the same time', async () => {
    for (let delay = 0; delay < runs(12, 40); delay++) {
      const { store, batch } = await bigBatch(30, 4);
      await using crawl = await testCrawl(fakeWeb({}), { store });
      crawl.setTime(START + 1000);
      const updated = jobs.updatedb(crawl, { batch });
      for (let i = 0; i < delay * 3; i++) await Promise.resolve();
      const [one, two] = await Promise.all([
        jobs.generate(crawl, { topN: 5 }),
        jobs.generate(crawl, { signal: AbortSignal.abort() }),
        updated,
      ]);
      expect(two.batchId).toBeUndefined();
      const { counters } = await jobs.repair(crawl);
      expect(counters, `delay ${delay}`).not.toHaveProperty('missing_frontier');
      if (one.batchId !== undefined) await jobs.updatedb(crawl, { batch: one.batchId });
      for (const row of await allRows(crawl)) expect(row.marks ?? {}).not.toHaveProperty('generate');
    }
  });
});

describe('jobs that work on the same rows at the same time', () => {
  /** Starts something the next time that a store is asked for pages, and gives it time to do all it can. */
  function interrupt(
    store: MemoryStore,
    column: string,
    work: () => Promise<unknown>,
  ): { done: () => Promise<unknown> } {
    const get = store.get.bind(store);
    let started: Promise<unknown> | undefined;
    store.get = async (table, keys, selectors) => {
      const rows = await get(table, keys, selectors);
      if (started || table !== 'webpage' || !selectors.includes(column)) return rows;
      started = work();
      await turns();
      return rows;
    };
    return {
      done: async () => {
        expect(started).toBeDefined();
        return started;
      },
    };
  }

  it('generate takes a batch back while updatedb tells its rows of links', async () => {
    const store = new MemoryStore();
    await using crawl = await testCrawl(fakeWeb({ [A]: links('http://b.com/') }), { store });
    const batch = await start(crawl, A);
    await jobs.fetch(crawl, { batch, parse: true });
    const unfinished = await start(crawl, 'http://b.com/');
    await store.write('batch', [
      { key: `h|${unfinished}`, put: new Map([['b:h', Buffer.from('{"state":"generating","size":0}')]]) },
    ]);
    const { done } = interrupt(store, FIELD_COLUMNS.score, () => jobs.updatedb(crawl, { batch }));
    await jobs.generate(crawl, { signal: AbortSignal.abort() });
    await done();
    expect(await rowOf(crawl, 'http://b.com/', 'score')).toEqual({ score: 2 });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 2 });
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 1 });
  });

  it('generate selects a page while the fetch of another batch is redirected to it', async () => {
    const store = new MemoryStore();
    const web = fakeWeb({ [A]: { location: 'http://b.com/' }, 'http://b.com/': 'x' });
    await using crawl = await testCrawl(web, { store });
    const first = await start(crawl, A);
    await jobs.inject(crawl, { seeds: ['http://b.com/'] });
    const { done } = interrupt(store, FIELD_COLUMNS.status, () => jobs.fetch(crawl, { batch: first }));
    const second = await select(crawl);
    expect(await done()).toMatchObject({ counters: { fetched: 1, redirect_known: 1 } });
    await jobs.fetch(crawl, { batch: second });
    expect(web.requests).toEqual([A, 'http://b.com/']);
  });
});

describe('scoring filters that fail', () => {
  it('are passed over and counted by name, whatever they do', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/x') });
    const bad: Plugin = {
      name: 'bad-scoring',
      scoring: {
        injected: () => ({ score: NaN, cash: 1 }),
        distribute: () => [],
        update: () => {
          throw new Error('out of order');
        },
      },
    };
    await using crawl = await testCrawl(web, { plugins: [bad] });
    expect((await jobs.inject(crawl, { seeds: ['http://a.com/'] })).counters).toEqual({
      injected: 1,
      'plugin_error_bad-scoring': 1,
    });
    const { batchId = '' } = await jobs.generate(crawl);
    await jobs.fetch(crawl, { batch: batchId, parse: true });
    const { counters } = await jobs.updatedb(crawl, { batch: batchId });
    expect(counters).toEqual({ added: 1, fetched: 1, links: 1, 'plugin_error_bad-scoring': 2 });
    expect(await crawl.page('http://a.com/x', ['score', 'cash'])).toMatchObject({ score: 1, cash: 1 });
  });
});
