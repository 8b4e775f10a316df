import { describe, expect, it } from 'vitest';
import { explain, jobs, type Report, type Store } from '../../../packages/webcrawl/internal.js';
import { MARK_COLUMNS, openTables } from '../../../webtable/index.js';
import { copyStore, dumpStore } from '../../support/stores/copy-store.js';
import { fakeWeb, links, randomNumbers } from '../../support/web/fake-web.js';
import { select } from '../../support/job-steps.js';
import { START, allRows, testCrawl } from '../../support/test-crawl.js';
import { runs } from '../../support/runs.js';
import { MONTH, A, firstRound, bigBatch } from '../../support/updatedb-batches.js';

/** Aborts at the n-th write of a store. */
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

/** Aborts at the n-th write of released rows. */
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

  it('does not begin a batch if it was stopped before', async () => {
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
    for (let at = 1; at <= total; at += Math.ceil(total / runs(5, 25))) {
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
    expect(interrupted).toBeGreaterThan(runs(2, 10));
  });

  it('ends in the same sums if the slices have another size the second time', async () => {
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

  it('passes on the distance of a released row from before its own links', async () => {
    const { store, batch } = await bigBatch(runs(180, 450), 3);
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

  it('keeps released rows from generate until it ends', async () => {
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

describe('updatedb that was stopped between the rows it releases', () => {
  it('keeps released rows also from a redirect to them', async () => {
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
