import { jobContext } from '../../../packages/jobs/context.js';
import { runOf } from '../../support/job-run.js';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { MemoryStore, jobs, type OpenContext, type Report, type Store } from '../../../packages/webcrawl/internal.js';
import { createLinkSlice } from '../../../packages/jobs/linking/link-slice.js';
import { hasChunk } from '../../../packages/jobs/linking/link-chunks.js';
import { createLinker } from '../../../packages/jobs/linking/linker.js';
import { createTracker } from '../../../packages/jobs/reporting/tracker.js';
import { rowKeyOf, urlOf, type StoredInlink } from '../../../webtable/index.js';
import { decodeInlinks } from '../../../webtable/pages/inlink-cell.js';
import { start } from '../../support/job-steps.js';
import { runs } from '../../support/runs.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

const SEED = 37;
const TARGET = 'com.target:http/';
const keyOf = (n: number): string => `com.s${String(n).padStart(4, '0')}:http/`;

/** A link to the target from a page of a batch. */
interface Link {
  readonly target: string;
  readonly source: number;
  readonly score: number;
  readonly anchor: string;
}

const to = (source: number, score = 1, anchor = 'a'): Link => ({ target: TARGET, source, score, anchor });
const linksFrom = (first: number, last: number, score = 1): Link[] =>
  Array.from({ length: last - first + 1 }, (_, i) => to(first + i, score));

/** Adds the links of a batch as updatedb does, in the order of their sources. */
async function add(crawl: OpenContext, batchId: string, links: readonly Link[]): Promise<Report['counters']> {
  const slice = createLinkSlice();
  for (const { target, source, score, anchor } of [...links].sort((a, b) => a.source - b.source)) {
    const from = {
      source: keyOf(source),
      chunk: { name: `${batchId}/00`, number: source },
      distance: 1,
      redirectDepth: 0,
    };
    slice.add(target, from, { anchor, score });
  }
  const tracker = createTracker(jobContext(crawl), 'updatedb', {});
  await createLinker(runOf(crawl), batchId, tracker.count).addLinks(slice);
  return tracker.report().counters;
}

const crawlWith = (updateMaxInlinks: number, store: Store = new MemoryStore()): Promise<TestCrawl> =>
  testCrawl(undefined, { store, settings: { 'db.updateMaxInlinks': updateMaxInlinks } });

/** The number of inlinks in each cell of a row, by column. */
async function cellsOf(store: Store, key = TARGET): Promise<Record<string, number>> {
  const [row] = await store.get('webpage', [key], ['l:b:*']);
  const sizes: Record<string, number> = {};
  for (const [column, cell] of row?.cells ?? []) {
    const links = new Map<string, StoredInlink>();
    decodeInlinks(cell, links);
    sizes[column] = links.size;
  }
  return sizes;
}

const FIELDS = ['inlinks', 'inlinkCount', 'inlinkBound', 'inlinksFolded', 'linkedUpTo', 'cash'] as const;
const rowOf = async (crawl: OpenContext, key = TARGET) => (await crawl.page(urlOf(key), FIELDS)) ?? undefined;

/** Stored inlinks as text, to compare them. */
function plain(inlinks: readonly { url: string; score: number; anchor: string }[] = []): string[] {
  return inlinks.map(({ url, score, anchor }) => `${url} ${score} ${anchor}`);
}

function plainOf(model: ReadonlyMap<string, StoredInlink>): string[] {
  return plain(
    Array.from(model, ([key, link]) => ({ url: urlOf(key), ...link })).sort((a, b) => (a.url < b.url ? -1 : 1)),
  );
}

describe('inlinks', () => {
  it('of a change become one cell, named by the position of the links before', async () => {
    await using crawl = await crawlWith(1000);
    await add(crawl, '1-1', linksFrom(0, 9));
    await add(crawl, '1-2', linksFrom(5, 14, 2));
    expect(await cellsOf(crawl.tables.store)).toEqual({ 'l:b:0000000000': 10, 'l:b:0000000010': 10 });
    expect(await rowOf(crawl)).toMatchObject({ inlinkBound: 20, inlinkCount: 15 });
  });

  it('are folded into one cell when there may be more than four times as many as after the last fold, plus 32', async () => {
    await using crawl = await crawlWith(1000);
    await add(crawl, '1-1', linksFrom(0, 31));
    expect((await rowOf(crawl))?.inlinksFolded).toBeUndefined();
    await add(crawl, '1-2', [to(0, 2)]);
    expect(await cellsOf(crawl.tables.store)).toEqual({ 'l:b:0000000000': 32 });
    expect(await rowOf(crawl)).toMatchObject({ inlinkBound: 32, inlinkCount: 32, inlinksFolded: 32 });
    await add(crawl, '1-3', linksFrom(0, 127));
    expect(await cellsOf(crawl.tables.store)).toEqual({ 'l:b:0000000000': 32, 'l:b:0000000032': 128 });
    await add(crawl, '1-4', [to(200)]);
    expect(await cellsOf(crawl.tables.store)).toEqual({ 'l:b:0000000000': 129 });
    expect(await rowOf(crawl)).toMatchObject({ inlinkBound: 129, inlinksFolded: 129 });
  });

  it('count as folded if the first change has many, which needs no read', async () => {
    await using crawl = await crawlWith(1000);
    const read = vi.spyOn(crawl.tables.pages, 'storedInlinks');
    await add(crawl, '1-1', linksFrom(0, 32));
    expect(await rowOf(crawl)).toMatchObject({ inlinkBound: 33, inlinksFolded: 33 });
    await add(crawl, '1-2', linksFrom(0, 130));
    expect(read.mock.calls.flatMap(([keys]) => keys)).toEqual([]);
    expect(await rowOf(crawl)).toMatchObject({ inlinkBound: 164, inlinkCount: 131 });
    await add(crawl, '1-3', [to(0)]);
    expect(read.mock.calls.flatMap(([keys]) => keys)).toEqual([TARGET]);
    expect(await rowOf(crawl)).toMatchObject({ inlinkBound: 131, inlinksFolded: 131 });
  });

  it('are trimmed to the best when there may be a quarter more than the setting allows', async () => {
    await using crawl = await crawlWith(8);
    await add(crawl, '1-1', linksFrom(0, 7));
    await add(crawl, '1-2', linksFrom(8, 9, 0.5));
    expect(await rowOf(crawl)).toMatchObject({ inlinkBound: 10, inlinkCount: 10 });
    await add(crawl, '1-3', [to(0, 0.25), to(20, 7)]);
    expect(plain((await rowOf(crawl))?.inlinks)).toEqual(
      [...linksFrom(1, 7), to(20, 7)].map(({ source, score }) => `${urlOf(keyOf(source))} ${score} a`),
    );
    expect(await cellsOf(crawl.tables.store)).toEqual({ 'l:b:0000000000': 8 });
  });

  it('are removed when the setting allows none any more', async () => {
    const store = new MemoryStore();
    await add(await crawlWith(8, store), '1-1', linksFrom(0, 4));
    const crawl = await crawlWith(0, store);
    await add(crawl, '1-2', [to(9)]);
    expect(await cellsOf(store)).toEqual({});
    expect(await rowOf(crawl)).toMatchObject({ inlinkBound: 0, inlinksFolded: 0 });
    expect(await rowOf(crawl)).not.toHaveProperty('inlinks');
  });

  it('that cannot be decoded stay, and new ones get cells beside them', async () => {
    await using crawl = await crawlWith(8);
    const { store } = crawl.tables;
    await add(crawl, '1-1', linksFrom(0, 7));
    const broken = Buffer.from('broken');
    await store.write('webpage', [{ key: TARGET, put: new Map([['l:b:0000000000', broken]]) }]);
    await add(crawl, '1-2', linksFrom(8, 15));
    const [row] = await store.get('webpage', [TARGET], ['l:b:*']);
    expect([...row!.cells.keys()]).toEqual(['l:b:0000000000', 'l:b:0000000008']);
    expect(Buffer.from(row!.cells.get('l:b:0000000000')!)).toEqual(broken);
    expect((await rowOf(crawl))?.damaged).toEqual(['inlinks', 'inlinkCount']);
  });

  it('take a limited number of cells, and few bytes to write, however often the same pages link', async () => {
    const store = new MemoryStore();
    await using crawl = await crawlWith(10_000, store);
    const write = store.write.bind(store);
    let written = 0;
    store.write = (table, changes) => {
      for (const { put } of changes)
        for (const [column, cell] of put ?? []) if (column.startsWith('l:b:')) written += cell.length;
      return write(table, changes);
    };
    const pages = 50;
    let most = 0;
    for (let crawled = 1; crawled <= runs(20, 60); crawled++) {
      // One page at a time, so a cell has one link.
      for (let n = 0; n < pages; n++) {
        await add(crawl, `1-${crawled}`, [to(n, crawled)]);
        const sizes = Object.values(await cellsOf(store));
        most = Math.max(
          most,
          sizes.reduce((sum, size) => sum + size, 0),
        );
        expect(sizes.length).toBeLessThanOrEqual(3 * pages + 33);
      }
    }
    expect(most).toBeLessThanOrEqual(4 * pages + 32);
    expect(most).toBeGreaterThan(3 * pages);
    expect(plain((await rowOf(crawl))?.inlinks)).toHaveLength(pages);
    const once = 30;
    expect(written).toBeLessThan(2 * once * pages * runs(20, 60));
  });
});

describe('inlinks of many rows that are folded at once', () => {
  const A = 'http://a.com/';
  const OTHERS = ['http://b.com/', 'http://c.com/', 'http://d.com/'];
  const TOGETHER = 50_000;
  const EACH = 20_000;
  const many = new Map(Array.from({ length: EACH }, (_, n) => [`com.s:http/${n}`, { anchor: '', score: 1 }]));

  /** Gives rows many inlinks, and from then on records how many rows are folded together. */
  async function fill(crawl: OpenContext): Promise<number[]> {
    await crawl.tables.pages.write(
      OTHERS.map((url) => ({
        key: rowKeyOf(url),
        set: { inlinkBound: EACH, inlinksFolded: 1 },
        inlinks: { position: 0, links: many },
      })),
    );
    const together: number[] = [];
    const { pages } = crawl.tables;
    const read = pages.storedInlinks.bind(pages);
    vi.spyOn(pages, 'storedInlinks').mockImplementation((keys) => {
      if (keys.length > 0) together.push(keys.length);
      return read(keys);
    });
    return together;
  }

  async function expectFolded(crawl: OpenContext, together: readonly number[]): Promise<void> {
    for (const url of OTHERS) {
      expect(await cellsOf(crawl.tables.store, rowKeyOf(url))).toEqual({ 'l:b:0000000000': EACH + 1 });
      expect(await rowOf(crawl, rowKeyOf(url))).toMatchObject({ inlinkBound: EACH + 1, inlinksFolded: EACH + 1 });
    }
    expect(together.reduce((sum, rows) => sum + rows, 0)).toBe(OTHERS.length);
    expect(Math.max(...together) * EACH).toBeLessThanOrEqual(TOGETHER);
  }

  it('are in memory for a few rows at a time when links are added to other rows', async () => {
    await using crawl = await crawlWith(100_000);
    const together = await fill(crawl);
    const counters = await add(crawl, '1-1', [
      to(1),
      ...OTHERS.map((url) => ({ ...to(1), target: rowKeyOf(url) })),
      { ...to(1), target: 'com.z:http/' },
    ]);
    expect(counters).toEqual({ links: 5, linked: 3, added: 2 });
    await expectFolded(crawl, together);
    expect(await rowOf(crawl)).toMatchObject({ inlinkCount: 1 });
  });

  it('are in memory for a few rows at a time when rows of the batch are released', async () => {
    const web = fakeWeb({ [A]: links(...OTHERS), ...Object.fromEntries(OTHERS.map((url) => [url, 'x'])) });
    await using crawl = await testCrawl(web, { settings: { 'db.updateMaxInlinks': 100_000 } });
    const batch = await start(crawl, A, ...OTHERS);
    await jobs.fetch(crawl, { batch, parse: true });
    const together = await fill(crawl);
    const { counters } = await jobs.updatedb(crawl, { batch });
    expect(counters).toMatchObject({ fetched: 4, links: 3, linked: 3 });
    await expectFolded(crawl, together);
    for (const url of [A, ...OTHERS]) {
      expect((await crawl.page(url, ['marks']))?.marks).toEqual({ inject: 'y', updatedb: batch });
    }
  });
});

/** One batch of a history: its links, the ends of its slices, and the row write at which its process is killed. */
interface Batch {
  readonly links: readonly Link[];
  readonly cuts: readonly number[];
  readonly failAt: number;
}

const TARGETS = ['com.a:http/', 'com.b:http/x', 'com.c:http/'];
const history = fc.record({
  max: fc.constantFrom(1, 2, 3, 10, 40, 1000),
  batches: fc.array(
    fc.record({
      links: fc.uniqueArray(
        fc.record({
          target: fc.constantFrom(...TARGETS),
          source: fc.nat(70),
          score: fc.nat(5),
          anchor: fc.constantFrom('', 'a', 'ä', '中'.repeat(30)),
        }),
        { maxLength: 120, selector: ({ target, source }) => `${target} ${source}` },
      ),
      cuts: fc.array(fc.nat(70), { maxLength: 4 }),
      failAt: fc.integer({ min: 1, max: 25 }),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

/** The links of a batch in slices of consecutive sources. */
function slicesOf({ links, cuts }: Batch, isAgain: boolean): Link[][] {
  // In the second run memory has room for slices of other sizes.
  const ends = [...(isAgain ? cuts.map((cut) => (cut * 7) % 71) : cuts), 71].sort((a, b) => a - b);
  return ends.map((end, i) => links.filter(({ source }) => source < end && source >= (ends[i - 1] ?? 0)));
}

describe('a history of batches, each killed between two row writes and run again', () => {
  it('leaves the newest inlink of each source, and only the best of them after a fold', async () => {
    let folds = 0;
    await fc.assert(
      fc.asyncProperty(history, async ({ max, batches }) => {
        const store = new MemoryStore();
        const model = new Map(TARGETS.map((key) => [key, new Map<string, StoredInlink>()]));
        const received = new Map<string, number>();

        /** Compares a row with its earlier inlinks and the new links of a slice. */
        async function check(crawl: OpenContext, key: string, fresh: readonly Link[], before: string): Promise<void> {
          const row = await rowOf(crawl, key);
          if (!hasChunk(row?.linkedUpTo?.[`${before}/00`], fresh.at(-1)!.source)) {
            expect(plain(row?.inlinks)).toEqual(plainOf(model.get(key)!));
            return;
          }
          const all = new Map(model.get(key));
          const best = [...fresh].sort((a, b) => b.score - a.score || a.source - b.source).slice(0, max);
          for (const { source, score, anchor } of best) all.set(keyOf(source), { score, anchor });
          received.set(key, (received.get(key) ?? 0) + best.reduce((sum, { score }) => sum + score, 0));
          const sizes = await cellsOf(store, key);
          const stored = Object.values(sizes).reduce((sum, size) => sum + size, 0);
          const isFolded = row!.inlinkBound === row!.inlinksFolded && all.size >= row!.inlinkBound!;
          if (isFolded && all.size > max) {
            folds += 1;
            const ranked = [...all].sort(([a, x], [b, y]) => y.score - x.score || (a < b ? -1 : 1));
            for (const [source] of ranked.slice(max)) all.delete(source);
          }
          expect(plain(row!.inlinks)).toEqual(plainOf(all));
          expect(row!.inlinkCount).toBe(all.size);
          expect(row!.inlinkBound).toBe(stored);
          expect(stored).toBeLessThanOrEqual(Math.max(max, Math.floor(1.25 * max)));
          model.set(key, all);
        }

        for (const [n, batch] of batches.entries()) {
          const batchId = `1-${n + 1}`;
          for (const isAgain of [false, true]) {
            const reader = await crawlWith(max, store);
            const counting = new FailingStore(store);
            await crawlWith(max, counting);
            const failAt = isAgain ? Infinity : counting.writes + batch.failAt;
            const crawl = await crawlWith(max, new FailingStore(store, failAt));
            let isKilled = false;
            for (const slice of slicesOf(batch, isAgain)) {
              const before = new Map<string, string | undefined>();
              for (const key of TARGETS) before.set(key, (await rowOf(reader, key))?.linkedUpTo?.[`${batchId}/00`]);
              try {
                await add(crawl, batchId, slice);
              } catch (error) {
                expect(error).toBeInstanceOf(PlannedFailure);
                isKilled = true;
              }
              for (const key of TARGETS) {
                const fresh = slice
                  .filter(({ target, source }) => target === key && !hasChunk(before.get(key), source))
                  .sort((a, b) => a.source - b.source);
                if (fresh.length > 0) await check(reader, key, fresh, batchId);
              }
              if (isKilled) break;
            }
          }
        }
        const crawl = await crawlWith(max, store);
        for (const key of TARGETS) expect((await rowOf(crawl, key))?.cash).toBe(received.get(key));
      }),
      { seed: SEED, numRuns: runs(15, 400) },
    );
    expect(folds).toBeGreaterThan(runs(15, 400));
  });
});
