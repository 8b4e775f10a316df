import { describe, expect, it } from 'vitest';
import {
  MemoryStore,
  explain,
  jobs,
  openTables,
  rowKeyOf,
  type OpenContext,
  type Report,
  type Shard,
  type Tables,
} from '../../../packages/webcrawl/internal.js';
import { jobRun } from '../../../packages/jobs/context.js';
import { foldInboxes } from '../../../packages/jobs/inbox/fold-inboxes.js';
import { withoutScope } from '../../../packages/jobs/scope/in-scope.js';
import { inSlots, slotsOf } from '../../../packages/jobs/shards/job-slots.js';
import { holdSlots } from '../../support/hold-slots.js';
import { rowOf } from '../../support/job-steps.js';
import { allRows, testCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links, type FakePage } from '../../support/web/fake-web.js';
import { SLOTS, hostIn, sharedTable } from '../../support/shared-table.js';

// In one process, the target of a redirect would join the batch.
const SETTINGS = { 'fetcher.maxRedirects': 0 };

/** A host in each slot. */
const [A, B, C] = ['00', '01', '02'].map((slot) => hostIn(slot)) as [string, string, string];

/** The worker of the slot of a host. */
const workerOf = (url: string): Shard => ({ index: [A, B, C].indexOf(url), count: SLOTS });

type Table = Awaited<ReturnType<typeof sharedTable>>;

/** Selects and fetches the due pages of a worker. @returns the batch */
async function fetched({ run }: Table, shard: Shard): Promise<string> {
  return run(async (crawl) => {
    const { batchId: batch = '' } = await jobs.generate(crawl, { shard });
    await jobs.fetch(crawl, { batch, parse: true });
    return batch;
  });
}

const fold = (shard: Shard) => (crawl: OpenContext) =>
  inSlots(crawl, { job: 'test' }, { slots: slotsOf(crawl, { shard }) }, (jobSlots) =>
    foldInboxes(jobRun(withoutScope(crawl), jobSlots), { aborted: false }),
  );

async function inboxOf({ inboxes, slots }: Tables): Promise<string[]> {
  const found: string[] = [];
  for (const slot of slots.all)
    for await (const entries of inboxes.entries(slot)) found.push(...entries.map(({ rowKey }) => rowKey));
  return found;
}

/** Rows of one process that has run the same round. */
async function rowsOfOne(pages: Record<string, FakePage | string>, seeds: string[]): Promise<unknown[]> {
  const store = new MemoryStore();
  await openTables(store, { slots: SLOTS });
  await using crawl = await testCrawl(fakeWeb(pages), { store, settings: SETTINGS });
  await jobs.inject(crawl, { seeds });
  const { batchId: batch = '' } = await jobs.generate(crawl);
  await jobs.fetch(crawl, { batch, parse: true });
  await jobs.updatedb(crawl, { batch });
  return withoutBatches(await allRows(crawl));
}

const withoutBatches = (rows: readonly Record<string, unknown>[]): unknown[] =>
  rows
    .map(({ marks, inlinksFolded: _, logged: __, ...row }) => ({
      ...row,
      marks: Object.keys(marks ?? {}).sort(),
    }))
    .sort((a, b) => (String((a as { url?: string }).url) < String((b as { url?: string }).url) ? -1 : 1));

const PAGES = {
  [A]: links('/own', B, C, `${C}new`),
  [B]: links(A, C, `${C}new`, `${C}new?2`),
  [C]: { location: `${A}moved` },
};
const SEEDS = [A, B, C];

describe('links into slots of other workers', () => {
  it('wait in inboxes, and become the rows of one process', async () => {
    const table = await sharedTable(PAGES, SETTINGS);
    const { run, tables } = table;
    await run((crawl) => jobs.inject(crawl, { seeds: SEEDS }));
    const batches: string[] = [];
    for (const url of SEEDS) batches.push(await fetched(table, workerOf(url)));
    const reports: Report[] = [];
    for (const batch of batches) reports.push(await run((crawl) => jobs.updatedb(crawl, { batch })));
    expect(reports.map(({ counters }) => counters.links_sent)).toEqual([3, 4, 1]);
    expect((await inboxOf(tables)).sort()).toEqual(
      [A, `${A}moved`, B, C, C, `${C}new`, `${C}new`, `${C}new?2`].map(rowKeyOf).sort(),
    );
    expect(await tables.pages.get(rowKeyOf(`${C}new`), ['status'])).toBeUndefined();
    const waiting = await run((crawl) => explain(crawl, `${C}new`));
    expect(waiting).toMatchObject({ inbox: 2, next: { kind: 'not_in_table' } });
    expect(waiting.next.text).toContain('Not in the table yet: entries for it wait in the inbox of its slot');
    const awaited = await Promise.all(batches.map(async (batch) => (await tables.batches.get(batch)).inboxes));
    expect(awaited).toEqual([['01', '02'], ['00', '02'], ['00']]);

    for (const url of SEEDS) await run(fold(workerOf(url)));
    expect(await inboxOf(tables)).toEqual([]);
    expect(await tables.batches.listUpdated()).toEqual([]);
    for (const batch of batches) expect(await tables.batches.find(batch)).toMatchObject({ state: 'closed' });
    expect(withoutBatches(await run((crawl) => allRows(crawl)))).toEqual(await rowsOfOne(PAGES, SEEDS));
  });

  it('are added once, wherever updatedb and the fold are killed', async () => {
    const expected = await rowsOfOne(PAGES, SEEDS);
    let [updates, folds] = [0, 0];
    for (let killAt = 1; ; killAt += 2) {
      const table = await sharedTable(PAGES, SETTINGS);
      const { run, killed, tables } = table;
      await run((crawl) => jobs.inject(crawl, { seeds: SEEDS }));
      const batches: string[] = [];
      for (const url of SEEDS) batches.push(await fetched(table, workerOf(url)));
      let isKilled = false;
      for (const [i, batch] of batches.entries()) {
        const wasKilled = await killed((crawl) => jobs.updatedb(crawl, { batch }), killAt);
        updates += Number(wasKilled);
        isKilled ||= wasKilled;
        // A worker folds before all links have come.
        if (i === 1) await run(fold(workerOf(C)));
      }
      for (const url of SEEDS) {
        const wasKilled = await killed(fold(workerOf(url)), killAt);
        folds += Number(wasKilled);
        isKilled ||= wasKilled;
      }
      expect(withoutBatches(await run((crawl) => allRows(crawl))), `killed at ${killAt}`).toEqual(expected);
      expect(await inboxOf(tables), `killed at ${killAt}`).toEqual([]);
      for (const batch of batches) expect(await tables.batches.find(batch)).toMatchObject({ state: 'closed' });
      if (!isKilled) break;
    }
    expect(updates).toBeGreaterThan(30);
    expect(folds).toBeGreaterThan(10);
  });

  it('are not added after their batch is closed', async () => {
    const table = await sharedTable(PAGES, SETTINGS);
    const { run, tables } = table;
    await run((crawl) => jobs.inject(crawl, { seeds: [A] }));
    const batch = await fetched(table, workerOf(A));
    await run((crawl) => jobs.updatedb(crawl, { batch }));
    const late = [];
    for await (const entries of tables.inboxes.entries('02')) late.push(...entries);
    for (const url of [B, C]) await run(fold(workerOf(url)));
    const before = await run((crawl) => rowOf(crawl, C, 'cash', 'inlinkCount', 'inlinks'));
    // The row has dropped the name of the chunk meanwhile, and a dead worker puts the links once more.
    const held = await holdSlots(tables);
    await tables.changeRows([rowKeyOf(C)], [], 0, () => [{ key: rowKeyOf(C), unset: ['linkedUpTo'] }]);
    await tables.inboxes.put(late.map(({ rowKey, source, value }) => ({ rowKey, source, value: value as object })));
    await held.release();
    expect(await run(fold(workerOf(C)))).toEqual({ links_late: 1 });
    const { cash, inlinkCount, inlinks } = before;
    expect(await run((crawl) => rowOf(crawl, C, 'cash', 'inlinkCount', 'inlinks'))).toMatchObject({
      cash,
      inlinkCount,
      inlinks,
    });
    expect(await inboxOf(tables)).toEqual([]);
  });

  it('are not collected again after the batch notes that they are linked', async () => {
    const table = await sharedTable(PAGES, SETTINGS);
    const { run, tables } = table;
    await run((crawl) => jobs.inject(crawl, { seeds: [A] }));
    const batch = await fetched(table, workerOf(A));
    await tables.batches.change(batch, (header) => header && { ...header, state: 'updating', linked: ['00'] });
    const { counters } = await run((crawl) => jobs.updatedb(crawl, { batch }));
    expect(counters).toEqual({ fetched: 1 });
    expect(await inboxOf(tables)).toEqual([]);
  });

  it('are added by generate, before it selects rows', async () => {
    const table = await sharedTable(PAGES, SETTINGS);
    const { run } = table;
    await run((crawl) => jobs.inject(crawl, { seeds: [A] }));
    const batch = await fetched(table, workerOf(A));
    await run((crawl) => jobs.updatedb(crawl, { batch }));
    const { counters } = await run((crawl) => jobs.generate(crawl, { shard: workerOf(C) }));
    expect(counters).toEqual({ fold_added: 2, fold_links: 2, generated: 2 });
  });
});

describe('seeds', () => {
  it('in slots that other workers hold wait in inboxes, and the others are added at once', async () => {
    const { run, tables } = await sharedTable({}, SETTINGS);
    const held = await tables.leases.take(['01'], { job: 'crawl', wait: 0 });
    const lines = [`${A}\tscore=2`, `${B}\tscore=3\tkind=b`, B];
    const { counters } = await run(async (crawl) => {
      const report = await jobs.inject(crawl, { seeds: lines });
      await held.release();
      return report;
    });
    expect(counters).toEqual({ injected: 1, seeds_sent: 2 });
    expect(await run((crawl) => rowOf(crawl, B, 'score'))).toEqual({});
    expect(await run(fold(workerOf(B)))).toEqual({ injected: 1, known: 1 });
    expect(await run((crawl) => rowOf(crawl, B, 'score', 'metadata', 'marks', 'distance'))).toMatchObject({
      score: 3,
      metadata: { kind: 'b' },
      marks: { inject: 'y' },
      distance: 0,
    });
    expect(await inboxOf(tables)).toEqual([]);
  });
});

describe('a seed that is given several times', () => {
  it('counts by its first line, if it waits in an inbox', async () => {
    const { run, tables } = await sharedTable({}, SETTINGS);
    const held = await tables.leases.take(['01'], { job: 'crawl', wait: 0 });
    const lines = Array.from({ length: 1100 }, (_, i) => (i % 1000 < 9 ? `${A}${i}` : `${B}\tscore=${i}`));
    await run((crawl) => jobs.inject(crawl, { seeds: lines }));
    await held.release();
    await run(fold(workerOf(B)));
    expect(await run((crawl) => rowOf(crawl, B, 'score'))).toMatchObject({ score: 9 });
  });
});

describe('sitemaps that a robots.txt names', () => {
  it('in slots of other workers wait in inboxes', async () => {
    const robots = { html: `Sitemap: ${B}map.xml`, contentType: 'text/plain' };
    const table = await sharedTable({ [`${A}robots.txt`]: robots, [A]: 'x' }, SETTINGS);
    const { run, tables } = table;
    await run((crawl) => jobs.inject(crawl, { seeds: [A] }));
    await fetched(table, workerOf(A));
    expect(await inboxOf(tables)).toEqual([rowKeyOf(`${B}map.xml`)]);
    expect(await run(fold(workerOf(B)))).toEqual({ sitemaps_added: 1 });
    expect(await run((crawl) => rowOf(crawl, `${B}map.xml`, 'sitemap', 'distance'))).toMatchObject({
      sitemap: true,
      distance: 1,
    });
  });
});
