import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHBase, type HBaseCluster } from '../../bench/lib/hbase-cluster.js';
import { hasMaven } from '../../bench/lib/maven.js';
import { jobs } from '../../packages/webcrawl/internal.js';
import { ROOT } from '../support/docs/source-files.js';
import { requireCommand } from '../support/command-process.js';
import { crawledRows, differences, withoutOrder, type CrawledRow } from './crawled-rows.js';
import {
  FULL,
  MOST_MS,
  askedAgain,
  crawlAlone,
  missingIn,
  openShared,
  tableOnHBase,
  tooEarly,
  withKills,
} from './crawls.js';
import { createKiller, hbaseParts, someOf, type Kill } from './kills.js';
import { madeHosts, type MadeHosts } from './made-hosts.js';
import { startWorkers } from './workers.js';

const SEED = 13;
const HOSTS = FULL ? 200 : 14;
const PAGES_OF_HOST = FULL ? ([23, 29] as const) : ([6, 8] as const);
const WORKERS = FULL ? 8 : 3;

const PARTS = ['gw1', 'gw2', 'rs1', 'rs2'] as const;

/** In the order in which they can happen; requests are counted over the whole crawl. `workers` are up to three. */
const KILLS: readonly Kill<'workers' | (typeof PARTS)[number]>[] = FULL
  ? [
      { after: 200, victim: 'workers' },
      { after: 500, victim: 'gw1' },
      { after: 900, victim: 'workers' },
      { after: 1300, victim: 'workers' },
      { after: 1400, victim: 'rs1' },
      { after: 2000, victim: 'workers' },
      { after: 2500, victim: 'gw2' },
      { after: 3000, victim: 'workers' },
      { after: 3500, victim: 'gw1' },
      { after: 4000, victim: 'rs2' },
      { after: 4500, victim: 'workers' },
      { after: 4800, victim: 'workers' },
    ]
  : [
      { after: 15, victim: 'workers' },
      { after: 35, victim: 'gw1' },
      { after: 75, victim: 'rs1' },
    ];
const LEAST_KILLED = FULL ? 20 : 4;

describe.runIf(hasMaven())(`a web of ${HOSTS} hosts, crawled by one process and by workers`, () => {
  let folder: string;
  let web: MadeHosts;
  let hbase: HBaseCluster;
  let embedded: ReadonlyMap<string, CrawledRow>;
  beforeAll(async () => {
    requireCommand();
    folder = await mkdtemp(join(tmpdir(), 'webcrawl-shards-'));
    web = await madeHosts(SEED, HOSTS, PAGES_OF_HOST);
    hbase = await startHBase(join(ROOT, 'bench/hbase'), join(ROOT, '.cache'));
  }, MOST_MS);
  afterAll(async () => {
    await hbase?.stop();
    await web?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const logFrom = () => {
    const first = web.server.log.length;
    return () => web.server.log.slice(first);
  };

  test(
    '(a) embedded: every page that can be fetched',
    async () => {
      embedded = await crawlAlone(web, join(folder, 'table'));
      expect(embedded.size).toBeGreaterThanOrEqual(web.pages);
      const fetched = [...embedded.values()].filter(({ status }) => status === 'fetched').length;
      expect(fetched).toBeGreaterThan(web.pages * 0.8);
      if (FULL) expect(web.pages).toBeGreaterThanOrEqual(5000);
    },
    MOST_MS,
  );

  test(
    '(b) on HBase, one process: the same rows',
    async () => {
      const rows = await crawlAlone(web, await tableOnHBase(hbase.gateways, 'alone'));
      expect(differences(embedded, rows)).toEqual([]);
    },
    MOST_MS,
  );

  test.each([1, 3, 8])(
    '(c) on HBase, workers: %i: the same rows, and no request is too early',
    async (count) => {
      const log = logFrom();
      const table = await tableOnHBase(hbase.gateways, `workers${count}`);
      const killer = createKiller({}, [], () => web.server.now());
      await withKills(web, `HBase, ${count} workers`, killer, () => startWorkers(web, table, count).ended);
      await using crawl = await openShared(table);
      const rows = await crawledRows(crawl);
      if (count === 1) expect(differences(embedded, rows)).toEqual([]);
      expect(differences(withoutOrder(embedded), withoutOrder(rows))).toEqual([]);
      expect(tooEarly(log())).toEqual([]);
      expect(askedAgain(log())).toEqual([]);
    },
    MOST_MS,
  );

  test(
    '(d) while workers, region servers and gateways are killed: the same rows',
    async () => {
      const log = logFrom();
      const table = await tableOnHBase(hbase.gateways, 'killed');
      const workers = startWorkers(web, table, WORKERS);
      const killer = createKiller(
        { ...hbaseParts(hbase, PARTS), workers: someOf(() => Promise.resolve(workers.pids()), 3) },
        KILLS,
        () => web.server.now(),
      );
      await withKills(web, `HBase, ${WORKERS} workers`, killer, () => workers.ended);
      expect(killer.left).toEqual([]);
      expect(killer.killed.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThanOrEqual(LEAST_KILLED);
      await using crawl = await openShared(table);
      expect(differences(withoutOrder(embedded), withoutOrder(await crawledRows(crawl)))).toEqual([]);
      expect(tooEarly(log(), killer.killed)).toEqual([]);
      expect(missingIn(await jobs.repair(crawl))).toEqual({});
    },
    MOST_MS,
  );
});
