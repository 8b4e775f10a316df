import { connect } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  CrawlError,
  exportPages,
  jobs,
  openCrawl,
  openTables,
  rowKeyOf,
  type Crawl,
  type PageChange,
} from '../../packages/webcrawl/index.js';
import { createTable } from '../../webtable/stores/hbase/admin-requests.js';
import { createHBaseTables } from '../../webtable/stores/hbase/create-tables.js';
import { familiesOf } from '../../webtable/stores/hbase/layout.js';
import { encodeCall } from '../../webtable/stores/hbase/thrift/messages.js';
import { changeRows } from '../support/stores/put-rows.js';
import { lostRows } from '../support/versions/crossing-steps.js';
import { randomNumbers } from '../support/web/fake-web.js';

const hbase = inject('hbase');
const COUNT = 4;
const BOUNDS = ['com.h2:', 'com.h5:http/', 'com.h7:'];

/** Makes the table of the pages in regions, as only a gateway without frames can. */
async function createSplit(url: string): Promise<void> {
  const families = familiesOf('webpage').map((name) => ({ name, compression: 'NONE', encoding: 'NONE' }) as const);
  const name = `default:${url.slice(url.lastIndexOf('/') + 1)}_webpage`;
  const [host = '', port = ''] = hbase!.admin.split(':');
  const socket = connect(Number(port), host);
  await new Promise<void>((resolve, reject) => {
    socket.once('data', () => resolve()).once('error', reject);
    socket.once('close', () => reject(new Error('expected an answer, found the connection closed')));
    socket.write(encodeCall(createTable(name, families, BOUNDS), 1).subarray(4));
  });
  socket.destroy();
}

/** Pages with some links each. */
function somePages(): PageChange[] {
  const random = randomNumbers(3);
  const url = (n: number): string => `http://h${n % 9}.com/${n}`;
  return Array.from({ length: 360 }, (_, n) => {
    const outlinks = Array.from({ length: 6 }, () => ({ url: url(Math.floor(random() ** 2 * 400)), anchor: '' }));
    return { key: rowKeyOf(url(n)), set: { status: 'fetched', dueAt: 1, score: 1, outlinks } };
  });
}

const ranksOf = async (crawl: Crawl): Promise<unknown[]> => {
  const ranks = [];
  for await (const { url, rank, hostRank } of crawl.pages({ fields: ['rank', 'hostRank'] }))
    ranks.push([url, rank, hostRank]);
  return ranks;
};

describe.skipIf(!hbase)('work on the whole table, in shards on a real HBase', () => {
  let folder: string;
  let url: string;
  let crawl: Crawl;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webcrawl-whole-'));
    url = `hbase://${hbase!.gateways.join(',')}/whole_${Date.now().toString(36)}_${process.pid}`;
    await createSplit(url);
    await createHBaseTables(url, { slots: 16 });
    crawl = await openCrawl({ table: url });
    await changeRows(crawl, somePages());
  });
  afterAll(async () => {
    await crawl?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is split at the bounds of regions', async () => {
    const { splits } = crawl.tables;
    const parts = [0, 1, 2, 3].map((index) => splits.rangesOf('regions', { index, count: COUNT }, 0));
    expect((await Promise.all(parts)).flat().map(({ end }) => end)).toEqual([...BOUNDS, undefined]);
  });

  it('export: the parts are the whole', async () => {
    await exportPages(crawl, { output: join(folder, 'whole.jsonl') });
    const whole = await readFile(join(folder, 'whole.jsonl'), 'utf8');
    // In regions, and with more shards than these.
    for (const count of [COUNT, 7]) {
      const output = join(folder, `p.jsonl`);
      await Promise.all(
        Array.from({ length: count }, (_, index) => exportPages(crawl, { output, shard: { index, count } })),
      );
      const names = Array.from({ length: count }, (_, i) => `p-0000${i}-of-0000${count}.jsonl`);
      const parts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      expect(parts.join('')).toBe(whole);
    }
  });

  it('rank: the ranks are those of one process', async () => {
    await using alone = await openCrawl({ table: 'memory:' });
    await changeRows(alone, somePages());
    await jobs.rank(alone);
    const work = join(folder, 'rank');
    for (const left = [0, 1, 2, 3]; left.length > 0;) {
      const index = left.shift()!;
      try {
        await jobs.rank(crawl, { shard: { index, count: COUNT }, folder: work, leaseWait: 0 });
      } catch (error) {
        if (!(error instanceof CrawlError && error.code === 'SHARDS_BEHIND')) throw error;
        left.push(index);
      }
    }
    expect(await ranksOf(crawl)).toEqual(await ranksOf(alone));
  });

  it('repair: together they mend what one does', async () => {
    const { store } = crawl.tables;
    const keys: string[] = [];
    for await (const { key } of store.scan('frontier', { columns: ['f'] })) if (!key.endsWith('}')) keys.push(key);
    await store.write(
      'frontier',
      keys.filter((_, i) => i % 3 === 0).map((key) => ({ key, clear: true })),
    );
    const repairShard = async (index: number): Promise<number> => {
      await using worker = await openCrawl({ table: url });
      return (await jobs.repair(worker, { shard: { index, count: COUNT } })).counters.rows!;
    };
    const rows = await Promise.all([0, 1, 2, 3].map(repairShard));
    expect(rows.reduce((sum, n) => sum + n, 0)).toBe(360);
    expect(await lostRows(await openTables(store))).toEqual([]);
    const { counters } = await jobs.repair(crawl);
    expect(counters).toEqual({ rows: 360 });
  });
});
