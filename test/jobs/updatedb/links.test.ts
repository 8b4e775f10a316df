import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, type Plugin } from '../../../packages/webcrawl/internal.js';
import type { RowChange, TableName } from '../../../webtable/index.js';
import { damage } from '../../support/stores/damage.js';
import { PassOnStore } from '../../support/stores/pass-on-store.js';
import { fakeWeb, links, type FakePage } from '../../support/web/fake-web.js';
import { round, rowOf, start } from '../../support/job-steps.js';
import { START, allRows, testCrawl } from '../../support/test-crawl.js';
import { DAY, A, INTERVAL, firstRound } from '../../support/updatedb-batches.js';

class SizesStore extends PassOnStore {
  readonly rowsAtATime = 3;
  /** The numbers of rows of all writes. */
  readonly sizes: number[] = [];

  override write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    if (table === 'webpage') this.sizes.push(changes.length);
    return super.write(table, changes);
  }
}

describe('updatedb and links', () => {
  it('changes as many rows at a time as the store says', async () => {
    const paths = Array.from({ length: 10 }, (_, i) => `/${i}`);
    const web = fakeWeb(Object.fromEntries(paths.map((path) => [`http://a.com${path}`, links(`${path}/x`)])));
    const store = new SizesStore(new MemoryStore());
    await using crawl = await testCrawl(web, { store });
    await jobs.inject(crawl, { seeds: paths.map((path) => `http://a.com${path}`) });
    const { batchId: batch = '' } = await jobs.generate(crawl);
    await jobs.fetch(crawl, { batch, parse: true });
    store.sizes.length = 0;
    await jobs.updatedb(crawl, { batch });
    // The rows of the links, then the rows of the batch.
    expect(store.sizes).toEqual([3, 3, 3, 1, 3, 3, 3, 1]);
  });

  it('adds rows for links', async () => {
    const web = fakeWeb({ [A]: links('/1', 'http://b.com/?q=1') });
    const { crawl, updated } = await firstRound(web, [`${A}\tscore=4`]);
    expect(updated.counters).toEqual({ fetched: 1, links: 2, added: 2 });
    const same = {
      status: 'unfetched',
      dueAt: START,
      firstSeenAt: START,
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

  it('adds none if the setting says so, and still passes links on to known rows', async () => {
    const web = fakeWeb({ [A]: links('/1', '/2'), 'http://a.com/1': 'x' });
    const settings = { 'db.updateAdditionsAllowed': false };
    const { crawl, updated } = await firstRound(web, [A, 'http://a.com/1\tscore=0'], settings);
    expect(updated.counters).toEqual({ fetched: 2, links: 1, linked: 1, not_added: 1 });
    expect((await allRows(crawl)).map((row) => [row.url, row.score])).toEqual([
      [A, 1],
      ['http://a.com/1', 0.5],
    ]);
  });

  it('collects inlinks with their anchors over rounds, the last anchor of each source', async () => {
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

  it('knows the distance of a page from a seed even if it keeps few or no inlinks', async () => {
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

  it('stores the least distance, even if a larger one was known', async () => {
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

  it('passes on what a page received since it last passed on its score, in parts that add up', async () => {
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

  it('keeps the cash of a page that passed nothing on', async () => {
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

  it('passes on the whole score of a redirect, at the same distance', async () => {
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

  it('passes on nothing by old links of a page that failed, moved, or was not modified', async () => {
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

  it('treats a page that links to itself like any other, and ends', async () => {
    const { crawl } = await firstRound(fakeWeb({ [A]: links('/', '/1') }), [A]);
    expect(await rowOf(crawl, A, 'score', 'cash', 'distance', 'inlinks')).toEqual({
      score: 1.5,
      cash: 0.5,
      distance: 0,
      inlinks: [{ url: A, anchor: 'to /', score: 0.5 }],
    });
  });

  it('does not change the state of a linked row that is in another batch', async () => {
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
    // What arrived meanwhile is passed on next time.
    expect(await rowOf(crawl, 'http://b.com/', 'cash')).toEqual({ cash: 1 });
    expect(await rowOf(crawl, 'http://b.com/y', 'score')).toEqual({ score: 2 });
  });

  it('counts a damaged linked row, and does not change it', async () => {
    const web = fakeWeb({ [A]: links('/1', '/2') });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, A);
    await damage(crawl, 'http://a.com/1', 'score');
    await jobs.fetch(crawl, { batch, parse: true });
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ fetched: 1, links: 1, added: 1, damaged: 1 });
    expect(await rowOf(crawl, 'http://a.com/1', 'inlinks', 'status')).toEqual({});
  });
});

describe('scoring filters that fail', () => {
  it('are skipped and counted by name, whatever they do', async () => {
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
