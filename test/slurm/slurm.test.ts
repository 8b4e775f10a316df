import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { slurmRunner, type Pass, type WorkerExit } from '../../packages/rounds/index.js';
import { hasSlurm, startSlurm, type SlurmCluster } from '../support/slurm/slurm-cluster.js';
import { until } from '../support/events.js';

const WORKER = fileURLToPath(new URL('../support/fake-worker.mjs', import.meta.url));

// .ci/run installs it; if it cannot, it says so and these tests are skipped.
describe.runIf(hasSlurm())('a runner on a real Slurm with three nodes', () => {
  let slurm: SlurmCluster;
  let folder: string;
  beforeAll(async () => {
    slurm = await startSlurm();
  });
  afterAll(() => slurm?.stop());
  let batch = 0;
  beforeEach(async () => {
    batch += 1;
    folder = await mkdtemp(join(tmpdir(), 'webcrawl-rounds-'));
    return () => rm(folder, { recursive: true, force: true });
  });

  const passOf = (count: number, shards = Array.from({ length: count }, (_, i) => i)): Pass => ({
    step: 'fetch',
    batchId: `17-${batch}`,
    shards,
    count,
    args: ['fetch', `17-${batch}`, '--parse'],
  });
  const plan = (shard: number, words: string) => writeFile(join(folder, String(shard)), words);
  const startsOf = async (shard: number) => (await readFile(join(folder, `${shard}.log`), 'utf8')).trim().split('\n');
  const waits = (shard: number) => until(() => existsSync(join(folder, `${shard}.pid`)));

  function runPass(pass: Pass, signal = new AbortController().signal) {
    const seen: WorkerExit[] = [];
    const env = { ...process.env, ...slurm.env };
    const runner = slurmRunner({ command: [process.execPath, WORKER, folder], folder, poll: 100, env });
    return runner(pass, { signal, onExit: (exit) => void seen.push(exit) }).then((exits) => ({
      exits: [...exits].sort((a, b) => a.shard - b.shard),
      seen,
    }));
  }

  test('gives each task its shard, for all shards or for some', async () => {
    const { exits, seen } = await runPass(passOf(5, [0, 2, 3]));
    expect(exits.map(({ shard, exitCode }) => [shard, exitCode])).toEqual([
      [0, 0],
      [2, 0],
      [3, 0],
    ]);
    expect(seen).toHaveLength(3);
    expect(seen[0]!.counters).toEqual({ fetched: 3 });
    expect(await startsOf(2)).toEqual([`fetch 17-${batch} --parse --shard auto`]);
  });

  test('the message of a wrongly configured worker is returned', async () => {
    await plan(1, '78');
    const { exits } = await runPass(passOf(2));
    expect(exits[0]!.exitCode).toBe(0);
    expect(exits[1]).toMatchObject({ exitCode: 78, message: expect.stringContaining('error [BAD_SETTING]') as string });
  });

  test('a worker that is killed and one that asks for a restart are restarted', async () => {
    await plan(0, 'wait 0');
    await plan(1, '75 0');
    const running = runPass(passOf(2));
    await waits(0);
    process.kill(Number(await readFile(join(folder, '0.pid'), 'utf8')), 'SIGKILL');
    const { exits } = await running;
    expect(exits.map(({ exitCode, restarts }) => [exitCode, restarts])).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(await startsOf(0)).toHaveLength(2);
  });

  test('the tasks of a node that dies are restarted on other nodes', async () => {
    await plan(0, 'wait 0');
    const running = runPass(passOf(1));
    await waits(0);
    const [node = ''] = await slurm.busyNodes();
    await slurm.killNode(node);
    const { exits } = await running;
    expect(exits).toMatchObject([{ shard: 0, exitCode: 0 }]);
    expect(await startsOf(0)).toHaveLength(2);
    await slurm.startNode(node);
  });

  test('a second driver waits for the array of the first', async () => {
    await plan(0, 'wait 0');
    const first = runPass(passOf(1));
    await waits(0);
    const second = runPass(passOf(1));
    process.kill(Number(await readFile(join(folder, '0.pid'), 'utf8')), 'SIGKILL');
    expect([(await first).exits[0]!.exitCode, (await second).exits[0]!.exitCode]).toEqual([0, 0]);
    expect(await startsOf(0)).toHaveLength(2);
  });

  test('a stop ends the array', async () => {
    await plan(0, 'wait wait');
    const stop = new AbortController();
    const running = runPass(passOf(1), stop.signal);
    await waits(0);
    stop.abort();
    expect((await running).exits[0]!.exitCode).not.toBe(0);
    expect(await startsOf(0)).toHaveLength(1);
    await until(async () => (await slurm.busyNodes()).length === 0);
  });
});
