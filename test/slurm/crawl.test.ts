import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHBase, type HBaseCluster } from '../../bench/lib/hbase-cluster.js';
import { hasMaven } from '../../bench/lib/maven.js';
import { jobs } from '../../packages/webcrawl/internal.js';
import { crawledRows, differences, type CrawledRow } from '../shards/crawled-rows.js';
import {
  FULL,
  MOST_MS,
  crawlAlone,
  crawlInShards,
  missingIn,
  openShared,
  tableOnHBase,
  tooEarly,
} from '../shards/crawls.js';
import { atWork, createKiller, someOf, theDriver, type Kill, type Victim } from '../shards/kills.js';
import { madeHosts, type MadeHosts } from '../shards/made-hosts.js';
import type { RoundsProcess } from '../shards/rounds-process.js';
import { requireCommand } from '../support/command-process.js';
import { ROOT } from '../support/docs/source-files.js';
import { hasSlurm, startSlurm, type SlurmCluster } from '../support/slurm/slurm-cluster.js';

const SEED = 14;
const HOSTS = FULL ? 200 : 12;
const PAGES_OF_HOST = FULL ? ([23, 29] as const) : ([7, 9] as const);
const SHARDS = FULL ? 6 : 3;

/**
 * In a small web both die at once, because each death delays its shard by half a minute: until the lease of the dead worker
 * expires.
 */
const KILLS: readonly Kill<'worker' | 'node' | 'driver'>[] = FULL
  ? [
      { after: 300, victim: 'worker' },
      { after: 1000, victim: 'node' },
      { after: 1800, victim: 'driver' },
      { after: 2600, victim: 'worker' },
      { after: 3400, victim: 'node' },
      { after: 4200, victim: 'worker' },
      { step: 'updatedb', round: 1, victim: 'worker' },
    ]
  : [
      { after: 40, victim: 'node' },
      { after: 41, victim: 'worker' },
    ];

// .ci/run installs Slurm, a JDK and Maven; if it cannot, it says so and these tests are skipped.
describe.runIf(hasSlurm() && hasMaven())(`a web of ${HOSTS} hosts, crawled through a real Slurm`, () => {
  let folder: string;
  let web: MadeHosts;
  let hbase: HBaseCluster;
  let slurm: SlurmCluster;
  let embedded: ReadonlyMap<string, CrawledRow>;
  beforeAll(async () => {
    requireCommand();
    folder = await mkdtemp(join(tmpdir(), 'webcrawl-slurm-crawl-'));
    web = await madeHosts(SEED, HOSTS, PAGES_OF_HOST);
    [hbase, slurm, embedded] = await Promise.all([
      startHBase(join(ROOT, 'bench/hbase'), join(ROOT, '.cache')),
      startSlurm(),
      crawlAlone(web, join(folder, 'table')),
    ]);
  }, MOST_MS);
  afterAll(async () => {
    await slurm?.stop();
    await hbase?.stop();
    await web?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A node with a running worker; it comes back after its death was noticed. */
  const node: Victim = async (note) => {
    const [worker] = await atWork(() => slurm.workers('--shard'));
    await slurm.killNode(worker!.node);
    note(1);
    await slurm.untilDown(worker!.node);
    await slurm.startNode(worker!.node);
  };

  test(
    'gives the rows of one process while a worker and a node are killed',
    async () => {
      const first = web.server.log.length;
      const table = await tableOnHBase(hbase.gateways, 'slurm');
      const logs = join(folder, 'logs');
      await mkdir(logs);
      let driver: RoundsProcess | undefined;
      const killer = createKiller(
        {
          worker: someOf(async () => (await slurm.workers('--shard')).map(({ pid }) => pid), 1),
          node,
          driver: theDriver(() => driver),
        },
        KILLS,
        () => web.server.now(),
      );
      await crawlInShards(web, table, {
        args: ['--shards', String(SHARDS), '--runner', 'slurm', '--logs', logs],
        env: slurm.env,
        killer,
        onDriver: (started) => void (driver = started),
      });
      expect(killer.left).toEqual([]);
      expect(killer.killed).toHaveLength(KILLS.length);
      await using crawl = await openShared(table);
      expect(differences(embedded, await crawledRows(crawl))).toEqual([]);
      const log = web.server.log.slice(first);
      expect(tooEarly(log, killer.killed)).toEqual([]);
      expect(missingIn(await jobs.repair(crawl))).toEqual({});
    },
    MOST_MS,
  );
});
