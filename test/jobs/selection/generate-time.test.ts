import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, type OpenContext } from '../../../packages/webcrawl/internal.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { selectedUrls } from '../../support/job-steps.js';
import { putRows } from '../../support/stores/put-rows.js';
import { START, allRows, testCrawl } from '../../support/test-crawl.js';

const DAY = 86_400_000;
const urls = (n: number): string[] => Array.from({ length: n }, (_, i) => `http://h${i % 3}.com/${i}`);

/** Nothing needs repair: each row can be found when it is due, and each entry leads to a row. */
async function expectInOrder(crawl: OpenContext, rows: number): Promise<void> {
  expect((await jobs.repair(crawl)).counters).toEqual({ rows });
}

/** A repair finds nothing missing; stale entries only cost time. */
async function expectNothingMissing(crawl: OpenContext, where?: string): Promise<void> {
  const { counters } = await jobs.repair(crawl);
  expect(
    Object.keys(counters).filter((reason) => reason.startsWith('missing')),
    where,
  ).toEqual([]);
}

describe('generate and time', () => {
  it('selects each row when it is due and not before, a few at a time', async () => {
    await using crawl = await testCrawl(undefined);
    const all = urls(40);
    await putRows(
      crawl,
      all.map((url, i) => ({ url, dueAt: START + i * 1000 })),
    );
    for (const seconds of [0, 1, 5, 5.5, 20, 39]) {
      crawl.setTime(START + seconds * 1000);
      const { batchId } = await jobs.generate(crawl);
      const expected = all.slice(0, Math.floor(seconds) + 1);
      const selected = await selectedUrls(crawl);
      expect(selected, `after ${seconds} s`).toEqual([...expected].sort());
      if (seconds === 5.5) expect(batchId).toBeUndefined();
      await expectInOrder(crawl, 40);
    }
  });

  it('with addDays leaves alone what is due still later, and what it did not select keeps its due time', async () => {
    await using crawl = await testCrawl(undefined);
    const soon = urls(6);
    const late = 'http://late.com/';
    await putRows(crawl, [
      ...soon.map((url) => ({ url, dueAt: START + 20 * DAY })),
      { url: late, dueAt: START + 30 * DAY + 1 },
    ]);
    expect((await jobs.generate(crawl, { addDays: 30, topN: 2 })).counters).toEqual({ generated: 2 });
    const [first, second] = await selectedUrls(crawl);

    expect((await jobs.generate(crawl)).counters.generated).toBeUndefined();
    // Entries that an earlier generate has read cost nothing any more.
    expect((await jobs.generate(crawl)).counters).toEqual({});
    await expectInOrder(crawl, 7);
    crawl.setTime(START + 20 * DAY - 1);
    expect((await jobs.generate(crawl)).batchId).toBeUndefined();
    crawl.setTime(START + 20 * DAY);
    await jobs.updatedb(crawl, { batch: 'all' });
    await jobs.generate(crawl);
    expect(await selectedUrls(crawl)).toEqual([...soon].sort());
    expect([first, second].every((url) => soon.includes(url!))).toBe(true);
    await expectInOrder(crawl, 7);
  });

  it('does not make rows due that were selected early and whose batch is too old', async () => {
    await using crawl = await testCrawl(undefined, { settings: { 'generate.lockExpirySeconds': 7 * 86_400 } });
    await putRows(
      crawl,
      urls(5).map((url) => ({ url, dueAt: START + 20 * DAY })),
    );
    expect((await jobs.generate(crawl, { addDays: 30 })).counters).toEqual({ generated: 5 });
    crawl.setTime(START + 8 * DAY);
    const { batchId, counters } = await jobs.generate(crawl);
    expect(batchId).toBeUndefined();
    expect(counters.stale).toBeUndefined();
    expect((await jobs.generate(crawl)).counters).toEqual({});
    await expectInOrder(crawl, 5);
    crawl.setTime(START + 20 * DAY);
    expect((await jobs.generate(crawl)).counters).toMatchObject({ generated: 5 });
    await expectNothingMissing(crawl);
  });

  it('finds every row that became due, wherever an earlier run failed', async () => {
    const all = urls(6);
    const waiting = async (): Promise<MemoryStore> => {
      const store = new MemoryStore();
      const crawl = await testCrawl(undefined, { store });
      await putRows(
        crawl,
        all.map((url, i) => ({ url, dueAt: START + 1000 * (1 + (i % 4)) })),
      );
      return store;
    };
    const later = START + 10_000;
    let cuts = 0;
    for (let failAt = 1; ; failAt++) {
      const store = await waiting();
      const failing = await testCrawl(undefined, { store: new FailingStore(store, failAt) });
      failing.setTime(later);
      const isCut = await jobs.generate(failing).then(
        () => false,
        (error: unknown) => {
          expect(error).toBeInstanceOf(PlannedFailure);
          return true;
        },
      );
      if (!isCut) break;
      cuts += 1;
      await using crawl = await testCrawl(undefined, { store });
      crawl.setTime(later + 1000);
      // Without a repair before: generate alone has to find all rows.
      await jobs.generate(crawl);
      expect(await selectedUrls(crawl), `cut at write ${failAt}`).toEqual([...all].sort());
      await expectNothingMissing(crawl, `cut at write ${failAt}`);
    }
    expect(cuts).toBeGreaterThan(10);
  });
});

describe('generate, aborted half-way', () => {
  /** Aborts at the first progress report. Its own clock moves on, so that progress is reported. */
  async function abortHalfWay(crawl: OpenContext) {
    const controller = new AbortController();
    let now = START;
    const moving = { ...crawl, clock: () => (now += 1000) };
    const seen: number[] = [];
    const onProgress = ({ done }: { done: number }): void => {
      seen.push(done);
      controller.abort();
    };
    const report = await jobs.generate(moving, { signal: controller.signal, onProgress });
    return { report, seen };
  }

  it('holds no row, leaves every row as it was, and reports what it released', async () => {
    await using crawl = await testCrawl(undefined);
    const all = urls(1200);
    await putRows(
      crawl,
      all.map((url, i) => ({ url, score: i % 7 })),
    );
    const before = await allRows(crawl);
    const { report, seen } = await abortHalfWay(crawl);
    expect(seen[0]).toBeGreaterThan(0);
    expect(report).toMatchObject({ interrupted: true, counters: { released_unfinished: seen[0] } });
    expect(report.counters.generated).toBeUndefined();
    expect(report.batchId).toBeUndefined();
    expect(await selectedUrls(crawl)).toEqual([]);
    expect(await allRows(crawl)).toEqual(before);
    await expectInOrder(crawl, 1200);
  });

  it('does not change what the next generate selects', async () => {
    const rows = urls(1200).map((url, i) => ({ url, score: (i * 37) % 101 }));
    const selections: string[][] = [];
    for (const isAborted of [false, true]) {
      await using crawl = await testCrawl(undefined, { settings: { 'generate.maxCount': 300 } });
      await putRows(crawl, rows);
      if (isAborted) await abortHalfWay(crawl);
      const { counters } = await jobs.generate(crawl, { topN: 700 });
      expect(counters).toMatchObject({ generated: 700 });
      expect(counters.released_unfinished).toBeUndefined();
      selections.push(await selectedUrls(crawl));
      await expectInOrder(crawl, 1200);
    }
    expect(selections[1]).toEqual(selections[0]);
  });
});
