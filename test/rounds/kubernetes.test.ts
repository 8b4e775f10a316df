import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { kubernetesRunner, type Pass, type WorkerExit } from '../../packages/rounds/index.js';
import { ROOT } from '../support/docs/source-files.js';
import { until } from '../support/events.js';

const WORKER = fileURLToPath(new URL('../support/fake-worker.mjs', import.meta.url));
const KUBECTL = fileURLToPath(new URL('../support/fake-kubectl.mjs', import.meta.url));
const PACKAGES = join(ROOT, '.cache/python');

/** The same as config/deploy/kubernetes/worker-job.yaml, which a real kubectl reads itself. */
const TEMPLATE = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { generateName: 'any-', labels: { 'app.kubernetes.io/name': 'webcrawl' } },
  spec: {
    completions: 8,
    parallelism: 8,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 2,
    podFailurePolicy: {
      rules: [{ action: 'FailIndex', onExitCodes: { containerName: 'worker', operator: 'In', values: [64, 78] } }],
    },
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'worker', image: 'webcrawl', args: ['--version'], env: [{ name: 'WEBCRAWL_SHARDS', value: '8' }] },
        ],
      },
    },
  },
};

describe('a runner with a fake kubectl', () => {
  let folder: string;
  let batch = 0;
  beforeEach(async () => {
    batch += 1;
    folder = await mkdtemp(join(tmpdir(), 'webcrawl-kubernetes-'));
    await writeFile(join(folder, 'template.json'), JSON.stringify(TEMPLATE));
    await writeFile(join(folder, 'kubectl'), `#!/bin/sh\nexec '${process.execPath}' '${KUBECTL}' "$@"\n`);
    await chmod(join(folder, 'kubectl'), 0o755);
    return () => rm(folder, { recursive: true, force: true });
  });
  const plan = (shard: number, words: string) => writeFile(join(folder, String(shard)), words);
  const startsOf = async (shard: number) => (await readFile(join(folder, `${shard}.log`), 'utf8')).trim().split('\n');
  const waits = (shard: number) => until(() => existsSync(join(folder, `${shard}.pid`)));
  const pidOf = async (shard: number) => Number(await readFile(join(folder, `${shard}.pid`), 'utf8'));

  function runPass(count: number, signal = new AbortController().signal, seen: WorkerExit[] = []) {
    const pass: Pass = {
      step: 'fetch',
      batchId: `17-${batch}`,
      shards: Array.from({ length: count }, (_, i) => i),
      count,
      args: ['fetch', `17-${batch}`, '--parse'],
    };
    const env = {
      ...process.env,
      PATH: `${folder}:${process.env['PATH']}`,
      KUBECTL_FOLDER: folder,
      KUBECTL_COMMAND: JSON.stringify([process.execPath, WORKER, folder]),
    };
    const runner = kubernetesRunner({ template: join(folder, 'template.json'), poll: 20, env });
    return runner(pass, { signal, onExit: (exit) => void seen.push(exit) }).then((exits) => ({ exits, seen }));
  }

  test('gives each pod its shard, and follows the schema of Kubernetes', async () => {
    const { exits, seen } = await runPass(3);
    expect(exits.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(seen).toHaveLength(3);
    expect(await startsOf(2)).toEqual([`fetch 17-${batch} --parse --shard auto`]);
    const [name = ''] = await readdir(join(folder, 'jobs'));
    const { status: _, ...sent } = JSON.parse(await readFile(join(folder, 'jobs', name), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(sent).toMatchObject({
      metadata: {
        name: `webcrawl-17-${batch}-fetch`,
        labels: { 'webcrawl/batch': `17-${batch}`, 'webcrawl/step': 'fetch' },
      },
      spec: { completions: 3, parallelism: 3, completionMode: 'Indexed' },
    });
    if (!existsSync(join(PACKAGES, 'kubernetes_validate'))) return;
    await writeFile(join(folder, 'sent.json'), JSON.stringify(sent));
    const checked = spawnSync('python3', ['-m', 'kubernetes_validate', '--strict', join(folder, 'sent.json')], {
      env: { ...process.env, PYTHONPATH: PACKAGES },
      encoding: 'utf8',
    });
    expect([checked.status, `${checked.stdout}${checked.stderr}`]).toEqual([0, expect.stringContaining('passed')]);
  });

  test('a pod that is killed and one that asks for a restart are restarted', async () => {
    await plan(0, 'kill 0');
    await plan(1, '75 75 0');
    const { exits } = await runPass(3);
    expect(exits.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect([(await startsOf(0)).length, (await startsOf(1)).length]).toEqual([2, 3]);
  });

  test('a failure is returned with the last lines of the worker', async () => {
    await plan(0, '64');
    await plan(1, '78');
    await plan(2, '75 75 75');
    const { exits } = await runPass(3);
    expect(exits.map(({ exitCode }) => exitCode)).toEqual([64, 78, 75]);
    expect(exits[1]!.message).toContain('error [BAD_SETTING]');
    expect((await startsOf(0)).length).toBe(1);
  });

  test('the Job of a killed driver is awaited, and an ended Job is made again', async () => {
    await plan(0, 'wait 0 0');
    // Like a killed driver: nothing waits for its result.
    void runPass(2).catch(() => undefined);
    await waits(0);
    const seen: WorkerExit[] = [];
    const second = runPass(2, undefined, seen);
    // The second driver has found the Job; the other pod has ended.
    await until(() => seen.length > 0);
    process.kill(await pidOf(0), 'SIGKILL');
    expect((await second).exits.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(await startsOf(0)).toHaveLength(2);
    expect((await runPass(2)).exits.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(await startsOf(0)).toHaveLength(3);
  });

  test('a stop ends the pods and removes the Job', async () => {
    await plan(0, 'wait wait');
    const stop = new AbortController();
    const running = runPass(1, stop.signal);
    await waits(0);
    stop.abort();
    expect((await running).exits).toEqual([{ shard: 0, exitCode: null }]);
    expect(await readdir(join(folder, 'jobs'))).toEqual([]);
    expect(await startsOf(0)).toHaveLength(1);
  });
});
