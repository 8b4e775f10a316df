import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHBase, type HBaseCluster } from '../../bench/lib/hbase-cluster.js';
import { hasMaven } from '../../bench/lib/maven.js';
import { createTable, jobs, openCrawl, type Crawl, type RepairReport } from '../../packages/webcrawl/index.js';
import { checkPoliteness } from '../politeness/check-politeness.js';
import { isRobots } from '../politeness/access-log.js';
import { ROOT } from '../support/docs/source-files.js';
import { requireCommand } from '../support/command-process.js';
import { crawledRows, differences, type CrawledRow } from './crawled-rows.js';
import { createKiller, type Kill } from './kills.js';
import { DELAYS, SETTINGS, madeHosts, type MadeHosts } from './made-hosts.js';
import { startRounds, type RoundsEnd } from './rounds-process.js';

const SEED = 13;
/** All of it takes long: `npm run shards` crawls 5,000 pages on 200 hosts with 20 kills, .ci/run a tenth of that. */
const FULL = process.env['WEBCRAWL_SHARDS_FULL'] === '1';
const HOSTS = FULL ? 200 : 40;
const PAGES_OF_HOST = FULL ? ([23, 29] as const) : ([9, 13] as const);
const SHARDS = 6;

/** In the order in which they may come to pass; requests are counted over all of the crawl. */
const KILLS: readonly Kill[] = FULL
  ? [
      { after: 200, victim: 'workers' },
      { after: 500, victim: 'gw1' },
      { after: 900, victim: 'driver' },
      { after: 1300, victim: 'workers' },
      { after: 1400, victim: 'rs1' },
      { after: 2000, victim: 'driver' },
      { after: 2500, victim: 'gw2' },
      { after: 3000, victim: 'workers' },
      { after: 3500, victim: 'gw1' },
      { after: 4000, victim: 'rs2' },
      { after: 4500, victim: 'workers' },
      { after: 4800, victim: 'driver' },
      { step: 'updatedb', round: 1, victim: 'workers' },
      { step: 'generate', round: 2, victim: 'workers' },
    ]
  : [
      { after: 60, victim: 'workers' },
      { after: 150, victim: 'gw1' },
      { after: 250, victim: 'driver' },
      { after: 330, victim: 'rs1' },
    ];
const LEAST_KILLED = FULL ? 20 : 4;

describe.runIf(hasMaven())(`a web of ${HOSTS} hosts, crawled by one process and by many`, () => {
  let folder: string;
  let web: MadeHosts;
  let hbase: HBaseCluster;
  let embedded: ReadonlyMap<string, CrawledRow>;
  beforeAll(async () => {
    requireCommand();
    folder = await mkdtemp(join(tmpdir(), 'webcrawl-shards-'));
    web = await madeHosts(SEED, HOSTS, PAGES_OF_HOST);
    hbase = await startHBase(join(ROOT, 'bench/hbase'), join(ROOT, '.cache'));
  }, 900_000);
  afterAll(async () => {
    await hbase?.stop();
    await web?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (table: string): Promise<Crawl> => openCrawl({ table, settings: SETTINGS });
  const onHBase = async (prefix: string): Promise<string> => {
    const table = `hbase://${hbase.gateways.join(',')}/${prefix}`;
    await createTable({ table, slots: 32 });
    return table;
  };

  /** The jobs one after the other, in this process. */
  async function crawlAlone(table: string): Promise<ReadonlyMap<string, CrawledRow>> {
    await using crawl = await open(table);
    await jobs.inject(crawl, { seeds: web.seeds });
    for (;;) {
      const { batchId } = await jobs.generate(crawl);
      if (batchId === undefined) break;
      await jobs.fetch(crawl, { batch: batchId, parse: true });
      await jobs.updatedb(crawl, { batch: batchId });
    }
    return await crawledRows(crawl);
  }

  /** Starts the driver again until it ends by itself. */
  async function crawlInShards(table: string, killer?: ReturnType<typeof createKiller>): Promise<RoundsEnd[]> {
    const ends: RoundsEnd[] = [];
    web.server.onRequest = (count) => killer?.onRequest(count - before);
    const before = web.server.log.length;
    for (;;) {
      const run = startRounds(table, [...web.seeds, '--shards', String(SHARDS)], {
        onLine: (line) => killer?.onLine(line),
      });
      killer?.watch(run);
      const end = await run.ended;
      ends.push(end);
      if (end.code === 0) break;
      // Killed, or HBase was away for longer than it waits.
      if (end.code !== null && end.code !== 75) throw new Error(`rounds ended with ${end.code}: ${end.err}`);
    }
    await killer?.settle();
    return ends;
  }

  test('(a) embedded: all that can be had', async () => {
    embedded = await crawlAlone(join(folder, 'table'));
    expect(embedded.size).toBeGreaterThanOrEqual(web.pages);
    const fetched = [...embedded.values()].filter(({ status }) => status === 'fetched').length;
    expect(fetched).toBeGreaterThan(web.pages * 0.8);
    if (FULL) expect(web.pages).toBeGreaterThanOrEqual(5000);
  });

  test('(b) on HBase, one process: the same rows', async () => {
    const rows = await crawlAlone(await onHBase('alone'));
    expect(differences(embedded, rows)).toEqual([]);
  }, 1_200_000);

  test(`(c) on HBase, ${SHARDS} shards: the same rows, and no host is asked too early`, async () => {
    const first = web.server.log.length;
    const table = await onHBase('shards');
    const [end] = await crawlInShards(table);
    expect(end!.err).not.toContain('starts again');
    await using crawl = await open(table);
    expect(differences(embedded, await crawledRows(crawl))).toEqual([]);
    expect(checkPoliteness(web.server.log.slice(first), [], RULES).violations).toEqual([]);
    expect(againIn(first)).toEqual([]);
  }, 1_200_000);

  test('(c) while workers, region servers, gateways and the driver are killed: the same', async () => {
    const first = web.server.log.length;
    const table = await onHBase('killed');
    const killer = createKiller(hbase, KILLS, () => web.server.now());
    await crawlInShards(table, killer);
    expect(killer.left).toEqual([]);
    expect(killer.killed.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(LEAST_KILLED);
    await using crawl = await open(table);
    expect(differences(embedded, await crawledRows(crawl))).toEqual([]);
    const kills = killer.killed.map(({ at }) => at);
    expect(checkPoliteness(web.server.log.slice(first), kills, RULES).violations).toEqual([]);
    expect(missing(await jobs.repair(crawl))).toEqual({});
  }, 2_400_000);

  /** Pages that were asked for more than once. */
  function againIn(first: number): string[] {
    const seen = new Set<string>();
    return web.server.log.slice(first).flatMap((entry) => {
      const url = `${entry.host}${entry.path}`;
      const isAgain = !isRobots(entry) && seen.has(url);
      seen.add(url);
      return isAgain ? [url] : [];
    });
  }
});

const RULES = { serverDelay: DELAYS.serverDelay, backoffMin: 1, backoffMax: 4 };

/** What repair found to be missing; that something is stale is no fault. */
function missing({ counters }: RepairReport): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counters).filter(([name]) => /missing|lost|damaged/.test(name)));
}
