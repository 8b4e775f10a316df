import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { jobs, rowKeyOf, type PageChange } from '../../packages/webcrawl/internal.js';
import { changeRows } from '../support/stores/put-rows.js';
import { testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { randomNumbers } from '../support/web/fake-web.js';
import { testFolder } from '../support/files/temp-folder.js';

let folder: string;
beforeEach(() => void (folder = testFolder()));

type Page = NonNullable<PageChange['set']>;

function page(url: string, links: readonly string[], more: Page = {}): PageChange {
  const outlinks = links.map((link) => ({ url: link, anchor: '' }));
  return { key: rowKeyOf(url), set: { status: 'fetched', dueAt: 1, score: 1, outlinks, ...more } };
}

async function ranksOf(crawl: TestCrawl): Promise<Record<string, { rank?: number; hostRank?: number }>> {
  const found: Record<string, { rank?: number; hostRank?: number }> = {};
  for await (const { url, rank, hostRank } of crawl.pages({ fields: ['rank', 'hostRank'] })) {
    found[url] = { ...(rank !== undefined && { rank }), ...(hostRank !== undefined && { hostRank }) };
  }
  return found;
}

const A = 'https://a.example/';
const A2 = 'https://a.example/2';
const B = 'https://b.example/';
const C = 'https://c.example/';

/** Pages with some links each, always the same; more pages do not change the first ones. */
function someWeb(count: number): PageChange[] {
  const random = randomNumbers(5);
  const url = (n: number): string => `https://h${n % 20}.example/${n}`;
  return Array.from({ length: count }, (_, n) => {
    const links = Array.from({ length: 8 }, () => url(Math.floor(random() ** 2 * (n + 10))));
    return page(url(n), n % 7 === 6 ? [] : [...new Set(links)]);
  });
}

const sum = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

describe('rank', () => {
  test('writes the ranks of pages and hosts, and nothing else', async () => {
    await using crawl = await testCrawl(undefined);
    await changeRows(crawl, [page(A, [A2, B]), page(A2, [A]), page(B, [C]), page(C, [], { status: 'unfetched' })]);
    let done = 0;
    const report = await jobs.rank(crawl, { folder, onProgress: (progress) => void (done = progress.done) });
    expect(done).toBe(4);
    expect(report.counters).toMatchObject({ pages: 4, edges: 4, hosts: 3, host_edges: 2, written: 4, scanned: 4 });
    const ranks = await ranksOf(crawl);
    expect(sum(Object.values(ranks).map(({ rank }) => rank))).toBeCloseTo(1, 8);
    expect(ranks[A]!.hostRank).toBe(ranks[A2]!.hostRank);
    // A has no link from another host, B one from A, C one from B; computed by hand.
    const [a = 0, b = 0, c = 0] = [A, B, C].map((url) => ranks[url]!.hostRank);
    expect(a + b + c).toBeCloseTo(1, 8);
    expect(b - a).toBeCloseTo(0.85 * a, 8);
    expect(c - a).toBeCloseTo(0.85 * b, 8);
    const row = await crawl.page(A, ['outlinks', 'rank', 'score']);
    expect(row).toMatchObject({
      status: 'fetched',
      outlinks: [
        { url: A2, anchor: '' },
        { url: B, anchor: '' },
      ],
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('of one level writes only that one', async () => {
    await using crawl = await testCrawl(undefined);
    await changeRows(crawl, [page(A, [B]), page(B, [])]);
    await jobs.rank(crawl, { folder, level: 'host' });
    expect(Object.values(await ranksOf(crawl)).map((each) => Object.keys(each))).toEqual([['hostRank'], ['hostRank']]);
  });

  test('gives a redirect no rank, and removes the rank of a page that is gone', async () => {
    await using crawl = await testCrawl(undefined);
    const rows = [page(A, [B]), page(B, [], { status: 'redir_perm', redirectTarget: C }), page(C, [])];
    await changeRows(crawl, [...rows, page(A2, [])]);
    await jobs.rank(crawl, { folder });
    expect((await ranksOf(crawl))[B]).toEqual({});
    expect((await ranksOf(crawl))[A2]!.rank).toBeGreaterThan(0);
    await changeRows(crawl, [page(A2, [], { status: 'gone' })]);
    const { counters } = await jobs.rank(crawl, { folder });
    expect(counters).toMatchObject({ unranked: 1, gone: 1, redirects: 1 });
    expect((await ranksOf(crawl))[A2]!.rank).toBeUndefined();
  });

  test('of an empty table, of one page, of pages that link only to themselves', async () => {
    await using crawl = await testCrawl(undefined);
    expect((await jobs.rank(crawl, { folder })).counters).toEqual({});
    await changeRows(crawl, [page(A, [A])]);
    expect((await jobs.rank(crawl, { folder })).counters).toMatchObject({ links_to_itself: 1, written: 1 });
    expect((await ranksOf(crawl))[A]).toEqual({ rank: 1, hostRank: 1 });
  });

  test('starts with the last ranks: it needs fewer iterations, and writes nothing if nothing changed', async () => {
    await using warm = await testCrawl(undefined);
    await using cold = await testCrawl(undefined);
    await changeRows(warm, someWeb(600));
    const first = await jobs.rank(warm, { folder });
    const again = await jobs.rank(warm, { folder });
    expect(again.counters).toMatchObject({ iterations: 1, host_iterations: 1, warm: 2 });
    expect(again.counters).not.toHaveProperty('written');
    await changeRows(warm, someWeb(620));
    await changeRows(cold, someWeb(620));
    const [fromLast, fromNone] = [await jobs.rank(warm, { folder }), await jobs.rank(cold, { folder })];
    expect(fromNone.counters.iterations).toBeGreaterThan(20);
    expect(fromLast.counters.iterations).toBeLessThan(fromNone.counters.iterations!);
    expect(first.counters).not.toHaveProperty('warm');
    const [a, b] = [await ranksOf(warm), await ranksOf(cold)];
    const apart = Object.keys(b).map((url) => Math.abs(a[url]!.rank! - b[url]!.rank!));
    expect(sum(apart)).toBeLessThan(1e-7);
  });

  test('starts again if it was stopped while it wrote, and ends with the same ranks', async () => {
    await using whole = await testCrawl(undefined);
    await using stopped = await testCrawl(undefined);
    for (const crawl of [whole, stopped]) await changeRows(crawl, someWeb(700));
    await jobs.rank(whole, { folder });
    const controller = new AbortController();
    const { changeRows: real } = stopped.tables;
    Object.assign(stopped.tables, {
      changeRows: async (...args: Parameters<typeof real>) => {
        await real(...args);
        controller.abort();
      },
    });
    const report = await jobs.rank(stopped, { folder, signal: controller.signal });
    expect(report).toMatchObject({ interrupted: true, counters: { written: 500 } });
    Object.assign(stopped.tables, { changeRows: real });
    expect((await jobs.rank(stopped, { folder })).counters).not.toHaveProperty('warm');
    expect(await ranksOf(stopped)).toEqual(await ranksOf(whole));
  });

  test('of one level that is stopped while it writes does not affect the other level, which still starts with its last ranks', async () => {
    await using crawl = await testCrawl(undefined);
    await changeRows(crawl, someWeb(700));
    await jobs.rank(crawl, { folder });
    await changeRows(crawl, someWeb(720));
    const controller = new AbortController();
    const { changeRows: real } = crawl.tables;
    Object.assign(crawl.tables, {
      changeRows: async (...args: Parameters<typeof real>) => {
        await real(...args);
        controller.abort();
      },
    });
    await jobs.rank(crawl, { folder, level: 'host', signal: controller.signal });
    Object.assign(crawl.tables, { changeRows: real });
    expect((await jobs.rank(crawl, { folder, level: 'page' })).counters).toMatchObject({ warm: 1 });
    expect((await jobs.rank(crawl, { folder, level: 'host' })).counters).not.toHaveProperty('warm');
    expect((await jobs.rank(crawl, { folder, level: 'host' })).counters).toMatchObject({ warm: 1, host_iterations: 1 });
  });

  test('does not change rows that are removed or changed meanwhile', async () => {
    await using crawl = await testCrawl(undefined);
    await changeRows(crawl, [page(A, [B]), page(B, [A]), page(C, [A])]);
    const { putRankWriting } = crawl.tables.runs;
    Object.assign(crawl.tables.runs, {
      putRankWriting: async (level: 'page' | 'host', value: boolean) => {
        if (value && level === 'page') {
          await jobs.remove(crawl, { prefix: C });
          await changeRows(crawl, [page(B, [A], { title: 'new' })]);
        }
        await putRankWriting(level, value);
      },
    });
    await jobs.rank(crawl, { folder });
    expect(Object.keys(await ranksOf(crawl))).toEqual([A, B]);
    expect(await crawl.page(B, ['title', 'rank'])).toMatchObject({ title: 'new', rank: expect.any(Number) as number });
  });

  test('reports that the iterations were not enough', async () => {
    await using crawl = await testCrawl(undefined, { settings: { 'rank.maxIterations': 2 } });
    await changeRows(crawl, someWeb(100));
    const { counters } = await jobs.rank(crawl, { folder });
    expect(counters).toMatchObject({ iterations: 2, host_iterations: 2, not_converged: 2 });
  });

  test('on a full disk says so, writes no rank and leaves no file, and works when there is room again', async () => {
    await using crawl = await testCrawl(undefined);
    await changeRows(crawl, someWeb(50));
    await using file = await open(join(folder, 'a'), 'w');
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const spy = vi.spyOn(Object.getPrototypeOf(file) as typeof file, 'writeFile').mockRejectedValue(full);
    try {
      await expect(jobs.rank(crawl, { folder })).rejects.toMatchObject({
        code: 'STORE_FULL',
        hint: 'free disk space and run the same command again',
      });
    } finally {
      spy.mockRestore();
    }
    expect(Object.values(await ranksOf(crawl)).filter(({ rank }) => rank !== undefined)).toEqual([]);
    expect(await readdir(folder)).toEqual(['a']);
    expect((await jobs.rank(crawl, { folder })).counters).toMatchObject({ written: 50 });
  });
});
