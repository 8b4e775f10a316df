import { runOf } from '../../support/job-run.js';
import { describe, expect, it } from 'vitest';
import { jobs, type OpenContext } from '../../../packages/webcrawl/internal.js';
import { createOutgoingBatch, type LeavingPage } from '../../../packages/jobs/fetching/outgoing-batch.js';
import { lockBatch } from '../../../packages/jobs/rows/lock-batch.js';
import { hostKeyOf, rowKeyOf } from '../../../webtable/index.js';
import { turns } from '../../support/events.js';
import { testCrawl } from '../../support/test-crawl.js';

const FROM = '1700000000-1';

/** Adds rows that a batch holds, with their index entries. */
async function held(crawl: OpenContext, ...urls: string[]): Promise<void> {
  await crawl.tables.batches.change(FROM, () => ({ state: 'open', size: urls.length }));
  await crawl.tables.pages.write(
    urls.map((url) => ({ key: rowKeyOf(url), set: { dueAt: 0, score: 1 }, marks: { generate: FROM } })),
  );
}

const leaving = (url: string, isParsed = true): LeavingPage => ({
  change: { key: rowKeyOf(url), set: { status: 'fetched' } },
  isParsed,
  queue: new URL(url).host,
  from: FROM,
});

describe('an outgoing batch', () => {
  it('takes over pages in the change that stores them, and is an ordinary batch once it is closed', async () => {
    await using crawl = await testCrawl(undefined);
    const { batches } = crawl.tables;
    const urls = ['http://a.com/', 'http://a.com/x', 'http://b.com/'];
    await held(crawl, ...urls);
    const outgoing = createOutgoingBatch(runOf(crawl));
    expect([outgoing.size, outgoing.since]).toEqual([0, Infinity]);
    expect(await outgoing.close()).toBeUndefined();
    expect(await Promise.all(urls.map((url, i) => outgoing.move(leaving(url, i > 0))))).toEqual([true, true, true]);
    expect(outgoing.size).toBe(3);
    const batchId = (await outgoing.close())!;
    expect([outgoing.size, await outgoing.close()]).toEqual([0, undefined]);
    expect(await batches.find(batchId)).toEqual({ batchId, state: 'open', size: 3 });
    const rows = await crawl.tables.pages.getMany(urls.map(rowKeyOf), ['status', 'marks']);
    const marks = { generate: batchId, fetch: batchId };
    expect(rows.map((row) => row?.marks)).toEqual([marks, { ...marks, parse: batchId }, { ...marks, parse: batchId }]);
    expect(rows.map((row) => row?.status)).toEqual(['fetched', 'fetched', 'fetched']);
    const entries: string[] = [];
    for await (const found of batches.entries(batchId)) for (const { rowKey } of found) entries.push(rowKey);
    expect(entries.sort()).toEqual(urls.map(rowKeyOf).sort());
    const hosts: string[] = [];
    for await (const queue of batches.queues(batchId)) hosts.push(...queue.hosts);
    expect(hosts.sort()).toEqual([hostKeyOf('a.com'), hostKeyOf('b.com')]);
  });

  it('is replaced by a new one for pages that come after it was closed', async () => {
    await using crawl = await testCrawl(undefined);
    await held(crawl, 'http://a.com/', 'http://b.com/');
    const outgoing = createOutgoingBatch(runOf(crawl));
    await outgoing.move(leaving('http://a.com/'));
    const closing = outgoing.close();
    await outgoing.move(leaving('http://b.com/'));
    const [first, second] = [await closing, await outgoing.close()];
    const [a, b] = await crawl.tables.pages.getMany(['http://a.com/', 'http://b.com/'].map(rowKeyOf), ['marks']);
    expect([a?.marks?.fetch, b?.marks?.fetch]).toEqual([first, second]);
    expect(first).not.toBe(second);
  });

  it('stores a page that its batch no longer holds, and leaves it to its present batch', async () => {
    await using crawl = await testCrawl(undefined);
    await held(crawl, 'http://a.com/');
    const key = rowKeyOf('http://a.com/');
    await crawl.tables.pages.write([{ key, marks: { generate: '1700000000-2' } }]);
    const outgoing = createOutgoingBatch(runOf(crawl));
    expect(await outgoing.move(leaving('http://a.com/'))).toBe(false);
    expect((await crawl.tables.pages.get(key, ['marks', 'status']))?.marks).toEqual({
      generate: '1700000000-2',
      fetch: FROM,
      parse: FROM,
    });
    expect(outgoing.size).toBe(0);
  });

  it('does not keep the lock of a batch that it could not open', async () => {
    await using crawl = await testCrawl(undefined);
    await held(crawl, 'http://a.com/');
    let batchId = '';
    crawl.tables.batches.find = async (id) => {
      batchId = id;
      throw new Error('cannot be read');
    };
    await expect(createOutgoingBatch(runOf(crawl)).move(leaving('http://a.com/'))).rejects.toThrow('cannot be read');
    const locked = lockBatch(crawl, batchId);
    expect(await Promise.race([locked, turns().then(() => 'waits')])).not.toBe('waits');
    (await locked)();
  });

  it('counts a page as moved if its write failed after the page was moved', async () => {
    await using crawl = await testCrawl(undefined);
    const urls = ['http://a.com/', 'http://b.com/'];
    await held(crawl, ...urls);
    const { changeRows } = crawl.tables;
    let calls = 0;
    crawl.tables.changeRows = async (...given) => {
      await changeRows(...given);
      if (++calls === 1) throw new Error('the answer was lost');
    };
    const outgoing = createOutgoingBatch(runOf(crawl));
    expect(await Promise.all(urls.map((url) => outgoing.move(leaving(url))))).toEqual([true, true]);
    expect(calls).toBe(3);
    const batchId = await outgoing.close();
    const rows = await crawl.tables.pages.getMany(urls.map(rowKeyOf), ['marks']);
    for (const row of rows) expect(row?.marks).toEqual({ generate: batchId, fetch: batchId, parse: batchId });
  });

  it('is replaced if updatedb was faster and closed the first one while it was empty', async () => {
    await using crawl = await testCrawl(undefined);
    await held(crawl, 'http://a.com/');
    const { batches } = crawl.tables;
    const { change } = batches;
    const changeThenUpdate: typeof change = async (batchId, decide) => {
      const header = await change(batchId, decide);
      Object.assign(batches, { change });
      await jobs.updatedb(crawl, { batch: batchId });
      return header;
    };
    Object.assign(batches, { change: changeThenUpdate });
    const outgoing = createOutgoingBatch(runOf(crawl));
    expect(await outgoing.move(leaving('http://a.com/'))).toBe(true);
    const batchId = (await outgoing.close())!;
    expect(await batches.find(batchId)).toMatchObject({ state: 'open', size: 1 });
    expect((await crawl.tables.pages.get(rowKeyOf('http://a.com/'), ['marks']))?.marks?.generate).toBe(batchId);
  });

  it('is locked until it is closed, so that no other job works on it', async () => {
    await using crawl = await testCrawl(undefined);
    await held(crawl, 'http://a.com/');
    const outgoing = createOutgoingBatch(runOf(crawl));
    await outgoing.move(leaving('http://a.com/'));
    const { batchId } = (await crawl.tables.batches.list()).find((batch) => batch.batchId !== FROM)!;
    const beside = crawl.tables.exclusive(`batch ${batchId}`, () => crawl.tables.batches.find(batchId));
    await outgoing.close();
    expect((await beside)?.size).toBe(1);
  });
});
