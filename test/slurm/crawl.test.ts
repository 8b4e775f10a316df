import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHBase, type HBaseCluster } from '../../bench/lib/hbase-cluster.js';
import { hasMaven } from '../../bench/lib/maven.js';
import { jobs } from '../../packages/webcrawl/internal.js';
import { crawledRows, differences, withoutOrder, type CrawledRow } from '../shards/crawled-rows.js';
import {
  FULL,
  MOST_MS,
  crawlAlone,
  missingIn,
  openShared,
  tableOnHBase,
  tooEarly,
  withKills,
} from '../shards/crawls.js';
import { atWork, createKiller, someOf, type Kill, type Victim } from '../shards/kills.js';
import { madeHosts, type MadeHosts } from '../shards/made-hosts.js';
import { COMMAND, crawlArgs } from '../shards/workers.js';
import { requireCommand } from '../support/command-process.js';
import { DEPLOY } from '../support/deploy-files.js';
import { ROOT } from '../support/docs/source-files.js';
import { hasSlurm, startSlurm, type SlurmCluster } from '../support/slurm/slurm-cluster.js';

const SEED = 14;
const HOSTS = FULL ? 200 : 12;
const PAGES_OF_HOST = FULL ? ([23, 29] as const) : ([7, 9] as const);
const WORKERS = FULL ? 6 : 3;

/**
 * In a small web both die at once, because each death delays its part by half a minute: until the lease of the dead worker
 * expires.
 */
const KILLS: readonly Kill<'worker' | 'node'>[] = FULL
  ? [
      { after: 300, victim: 'worker' },
      { after: 1000, victim: 'node' },
      { after: 1800, victim: 'worker' },
      { after: 2600, victim: 'worker' },
      { after: 3400, victim: 'node' },
      { after: 4200, victim: 'worker' },
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

  /** Runs the template as an array, until all its tasks have ended well. */
  async function runArray(table: string): Promise<void> {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'webcrawl'), `#!/bin/bash\nexec '${process.execPath}' '${COMMAND}' "$@"\n`, {
      mode: 0o755,
    });
    const env = { ...process.env, ...slurm.env, PATH: `${bin}:${process.env['PATH']}` };
    const slurmCommand = (name: string, ...args: string[]): string => {
      const { stdout, stderr, status } = spawnSync(name, args, { cwd: folder, env, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      return stdout;
    };
    const args = ['--parsable', `--array=0-${WORKERS - 1}`, join(DEPLOY, 'slurm/worker.sh'), ...crawlArgs(web, table)];
    const job = slurmCommand('sbatch', ...args).trim();
    let states: string[];
    do {
      await wait(500);
      const shown = slurmCommand('scontrol', '--oneliner', 'show', 'job', job);
      states = [...shown.matchAll(/JobState=(\w+)/g)].map(([, state = '']) => state);
    } while (states.some((state) => /^(PENDING|RUNNING|COMPLETING|REQUEUED|CONFIGURING)/.test(state)));
    expect(states).toEqual(Array.from({ length: WORKERS }, () => 'COMPLETED'));
  }

  test(
    'gives the rows of one process while a worker and a node are killed',
    async () => {
      const first = web.server.log.length;
      const table = await tableOnHBase(hbase.gateways, 'slurm');
      const killer = createKiller(
        { worker: someOf(async () => (await slurm.workers('--shard')).map(({ pid }) => pid), 1), node },
        KILLS,
        () => web.server.now(),
      );
      await withKills(web, `Slurm, ${WORKERS} workers`, killer, () => runArray(table));
      expect(killer.left).toEqual([]);
      expect(killer.killed).toHaveLength(KILLS.length);
      await using crawl = await openShared(table);
      expect(differences(withoutOrder(embedded), withoutOrder(await crawledRows(crawl)))).toEqual([]);
      const log = web.server.log.slice(first);
      expect(tooEarly(log, killer.killed)).toEqual([]);
      expect(missingIn(await jobs.repair(crawl))).toEqual({});
    },
    MOST_MS,
  );
});
