import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, type OpenContext, type Store } from '../../../packages/webcrawl/internal.js';
import { FIELD_COLUMNS } from '../../../webtable/index.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { turns } from '../../support/events.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { rowOf, select, start } from '../../support/job-steps.js';
import { START, allRows, testCrawl } from '../../support/test-crawl.js';
import { runs } from '../../support/runs.js';
import { A, bigBatch } from '../../support/updatedb-batches.js';

describe('updatedb and several batches', () => {
  const pages = {
    'http://a.com/': links('http://t.com/', 'http://u.com/'),
    'http://b.com/': links('http://t.com/', 'http://a.com/'),
    'http://t.com/': links('http://u.com/', 'http://t.com/'),
  };

  async function twoBatches(): Promise<{
    crawl: OpenContext & { tables: { store: Store } };
    first: string;
    second: string;
  }> {
    const crawl = await testCrawl(fakeWeb(pages));
    const first = await start(crawl, 'http://a.com/', 'http://t.com/');
    const second = await start(crawl, 'http://b.com/');
    await jobs.fetch(crawl, { batch: 'all', parse: true });
    return { crawl, first, second };
  }
  const result = async (crawl: OpenContext): Promise<unknown> =>
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

  it('gives the same sums if one is stopped, the other runs, and the first continues', async () => {
    const whole = await twoBatches();
    await jobs.updatedb(whole.crawl, { batch: 'all' });
    const expected = await result(whole.crawl);
    for (let at = 1; at <= 12; at++) {
      const { crawl, first, second } = await twoBatches();
      const copy = await copyStore(crawl.tables.store);
      await using stopped = await testCrawl(undefined, { store: copy });
      // Fails like a crash between any two writes.
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

  it('removes the records of closed batches', async () => {
    const { crawl, first, second } = await twoBatches();
    const linked = async (): Promise<string[]> =>
      Object.keys((await rowOf(crawl, 'http://t.com/', 'linkedUpTo')).linkedUpTo ?? {}).sort();
    await jobs.updatedb(crawl, { batch: first });
    expect(new Set((await linked()).map((note) => note.split('/')[0]))).toEqual(new Set([first]));
    await jobs.updatedb(crawl, { batch: second });
    expect(new Set((await linked()).map((note) => note.split('/')[0]))).toEqual(new Set([second]));
  });

  it('never loses a frontier entry or a page if generate and fetch run at the same time', async () => {
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
  /** Starts `work` at the next read of pages, and gives it time to get as far as it can. */
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

  it('generate releases a batch while updatedb adds links to its rows', async () => {
    const store = new MemoryStore();
    await using crawl = await testCrawl(fakeWeb({ [A]: links('http://b.com/') }), { store });
    const batch = await start(crawl, A);
    await jobs.fetch(crawl, { batch, parse: true });
    const unfinished = await start(crawl, 'http://b.com/');
    await store.write('batch', [
      { key: `d|${unfinished}`, put: new Map([['b:h', Buffer.from('{"state":"generating","size":0}')]]) },
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
