import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CrawlError, MemoryStore, jobs, rowKeyOf, type PageChange, type Store } from '../../packages/webcrawl/index.js';
import { copyStore, dumpStore } from '../support/stores/copy-store.js';
import { countingStore } from '../support/stores/counting-store.js';
import { changeRows } from '../support/stores/put-rows.js';
import { testCrawl } from '../support/test-crawl.js';
import { VersionedRows, VersionedStore } from '../support/versions/versioned-store.js';
import { Killed, WorkerStore } from '../support/worker-store.js';
import { randomNumbers } from '../support/web/fake-web.js';
import { runs } from '../support/runs.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-rank-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Pages with links, redirects, canonicals, and some that are gone or were not fetched. */
function madeWeb(seed: number, count: number): PageChange[] {
  const random = randomNumbers(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const url = (n: number): string => `https://h${n % 17}.example/${n}`;
  return Array.from({ length: count }, (_, n): PageChange => {
    const kind = below(12);
    const outlinks = Array.from({ length: below(9) }, () => ({
      url: url(Math.floor(random() ** 2 * (count + 9))),
      anchor: '',
    }));
    const base = { dueAt: 1, score: 1, ...(random() < 0.5 && { rank: random() / count }) };
    if (kind === 0)
      return { key: rowKeyOf(url(n)), set: { ...base, status: 'redir_temp', redirectTarget: url(below(count)) } };
    if (kind === 1) return { key: rowKeyOf(url(n)), set: { ...base, status: 'gone' } };
    if (kind === 2) return { key: rowKeyOf(url(n)), set: { ...base, status: 'unfetched' } };
    return {
      key: rowKeyOf(url(n)),
      set: {
        ...base,
        status: 'fetched',
        outlinks,
        ...(kind === 3 && { parseStatus: { code: 'ok', canonical: url(below(count)) } }),
      },
    };
  });
}

async function madeStore(seed: number, count = 400): Promise<MemoryStore> {
  const store = new MemoryStore();
  const crawl = await testCrawl(undefined, { store });
  await changeRows(crawl, madeWeb(seed, count));
  return store;
}

/** All rows, to the bit. */
const rowsOf = async (store: Store): Promise<string> => {
  const { webpage = [] } = await dumpStore(store);
  return JSON.stringify(webpage.map(({ key, cells }) => [key, [...cells].map(([name, value]) => [name, [...value]])]));
};

const SETTINGS = { 'rank.internalLinkWeight': 0.3 };

async function rankShard(store: Store, index: number, count: number, level: 'both' | 'page' = 'both') {
  const crawl = await testCrawl(undefined, { store, settings: SETTINGS });
  const { counters } = await jobs.rank(crawl, { shard: { index, count }, folder, level, leaseWait: 0 });
  return counters;
}

/** As a scheduler does: what is to be tried again is. @returns the sums of what was counted */
async function untilDone(
  count: number,
  run: (index: number) => Promise<Readonly<Record<string, number>>>,
  random = () => 0,
) {
  const sum: Record<string, number> = {};
  const left = new Set(Array.from({ length: count }, (_, i) => i));
  for (let tries = 0; left.size > 0; tries++) {
    if (tries > 2000) throw new Error('expected it to come to its end');
    const index = [...left][Math.floor(random() * left.size)]!;
    try {
      for (const [name, n] of Object.entries(await run(index))) sum[name] = (sum[name] ?? 0) + n;
      left.delete(index);
    } catch (error) {
      if (!(error instanceof Killed || (error instanceof CrawlError && error.exitCode === 75))) throw error;
      // The next one has its turn.
      left.delete(index);
      left.add(index);
    }
  }
  return sum;
}

describe('rank in shards', () => {
  test('finds the ranks of one process, to the bit, whatever the number of shards', async () => {
    for (const [seed, count] of [
      [1, 1],
      [3, 5],
      [4, 13],
    ] as const) {
      const store = await madeStore(seed);
      const alone = await copyStore(store);
      const crawl = await testCrawl(undefined, { store: alone, settings: SETTINGS });
      const { counters } = await jobs.rank(crawl);
      const shared = await copyStore(store, new VersionedStore(randomNumbers(seed)));
      const sum = await untilDone(count, (index) => rankShard(shared, index, count));
      expect(await rowsOf(shared), `${count} shards`).toBe(await rowsOf(alone));
      // What a run had read that ended with SHARDS_BEHIND is not in its report.
      const { rows_read: _, ranks_written: __, ...solved } = sum;
      expect(solved).toEqual(counters);
      expect(await readdir(folder)).toEqual(['done.json', 'run.json']);
      await rm(folder, { recursive: true });
    }
  });

  test('goes on wherever a worker was killed', async () => {
    for (let seed = 1; seed <= runs(2, 12); seed++) {
      const random = randomNumbers(seed);
      const store = await madeStore(seed, runs(60, 120));
      const alone = await copyStore(store);
      await jobs.rank(await testCrawl(undefined, { store: alone, settings: SETTINGS }));
      const rows = new VersionedRows();
      const shared = await copyStore(store, new VersionedStore(random, {}, rows));
      let left = runs(20, 40);
      await untilDone(
        4,
        async (index) => {
          const dies = left-- > 0;
          const worker = new WorkerStore(shared, dies ? { at: 10 + Math.floor(random() * runs(200, 400)) } : undefined);
          const crawl = await testCrawl(undefined, { store: worker, settings: SETTINGS });
          try {
            return (await jobs.rank(crawl, { shard: { index, count: 4 }, folder, leaseWait: 0 })).counters;
          } finally {
            crawl.tables.leases.stop();
            // What a dead one held is free after a while.
            for (const { id } of await crawlHolders(shared))
              await shared.write('meta', [{ key: `holder-${id}`, clear: true }]);
          }
        },
        random,
      );
      expect(await rowsOf(shared), `seed ${seed}`).toBe(await rowsOf(alone));
      await rm(folder, { recursive: true });
    }
  });

  test('says which shards are behind, and keeps what it has read', async () => {
    const store = await copyStore(await madeStore(7), new VersionedStore(() => 0));
    await expect(rankShard(store, 1, 3)).rejects.toMatchObject({
      code: 'SHARDS_BEHIND',
      exitCode: 75,
      message: 'expected all shards to have read their rows, found 2 that have not: 0, 2',
    });
    expect((await readdir(folder)).sort()).toEqual(['rows-00001.gz', 'run.json']);
    await expect(rankShard(store, 0, 3)).rejects.toMatchObject({ code: 'SHARDS_BEHIND' });
    const counting = countingStore(await copyStore(store));
    expect((await rankShard(counting, 2, 3)).scanned).toBe(400);
  });

  test('reads each row once', async () => {
    const store = countingStore(await madeStore(8));
    await untilDone(4, (index) => rankShard(store, index, 4));
    const inShards = store.rowsRead['webpage']!;
    const alone = countingStore(await madeStore(8));
    await jobs.rank(await testCrawl(undefined, { store: alone, settings: SETTINGS }));
    // And the keys, to split them.
    expect(inShards - alone.rowsRead['webpage']!).toBe(400);
  });

  test('is one run in a folder', async () => {
    const store = await copyStore(await madeStore(9, 50), new VersionedStore(() => 0));
    await expect(rankShard(store, 0, 2)).rejects.toMatchObject({ code: 'SHARDS_BEHIND' });
    const otherTable = await madeStore(9, 50);
    for (const wrong of [
      () => rankShard(store, 0, 3),
      () => rankShard(store, 0, 2, 'page'),
      () => rankShard(otherTable, 0, 2),
    ]) {
      await expect(wrong()).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringContaining('rank of page') as string,
      });
    }
    await untilDone(2, (index) => rankShard(store, index, 2));
    const before = await rowsOf(store);
    expect(await rankShard(store, 0, 2)).toEqual({ ranks_written: 1 });
    expect(await rowsOf(store)).toBe(before);
    const crawl = await testCrawl(undefined, { store });
    await expect(jobs.rank(crawl, { shard: { index: 0, count: 2 } })).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('leaves files of others in the folder alone, and says what cannot be read', async () => {
    const store = await copyStore(await madeStore(10, 50), new VersionedStore(() => 0));
    await writeFile(join(folder, 'notes.txt'), 'mine');
    await expect(rankShard(store, 0, 2)).rejects.toMatchObject({ code: 'SHARDS_BEHIND' });
    const data = await readFile(join(folder, 'rows-00000.gz'));
    await writeFile(join(folder, 'rows-00000.gz'), data.subarray(0, data.length / 2));
    await expect(rankShard(store, 1, 2)).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
    await writeFile(join(folder, 'rows-00000.gz'), data);
    await untilDone(2, (index) => rankShard(store, index, 2));
    expect((await readdir(folder)).sort()).toEqual(['done.json', 'notes.txt', 'run.json']);
  });

  test('stops when it is told to, and goes on', async () => {
    const store = await copyStore(await madeStore(11, 50), new VersionedStore(() => 0));
    const crawl = await testCrawl(undefined, { store });
    const report = await jobs.rank(crawl, { shard: { index: 0, count: 1 }, folder, signal: AbortSignal.abort() });
    expect(report.interrupted).toBe(true);
    expect((await rankShard(store, 0, 1)).scanned).toBe(50);
  });
});

async function crawlHolders(store: Store): Promise<{ id: string }[]> {
  const { meta = [] } = await dumpStore(store);
  return meta.flatMap(({ key }) => (key.startsWith('holder-') ? [{ id: key.slice('holder-'.length) }] : []));
}
