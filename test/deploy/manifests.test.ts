import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../packages/errors/index.js';
import { DEPLOY, hasYaml, readYaml, unknownIn } from '../support/deploy-files.js';
import { ROOT } from '../support/docs/source-files.js';

/** The folder where .ci/run puts the packages of requirements.txt. */
const PACKAGES = join(ROOT, '.cache/python');
const hasValidator = existsSync(join(PACKAGES, 'kubernetes_validate'));

/** Exit statuses of failures that may be temporary. */
const TEMPORARY: ReadonlySet<number> = new Set([68, 69, 70, 74, 75]);

function run(command: string, ...args: string[]) {
  const env = { ...process.env, PYTHONPATH: PACKAGES };
  const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
  return { status, text: stdout + stderr };
}
const has = (program: string): boolean => run('which', program).status === 0;
const textOf = (name: string): string => readFileSync(join(DEPLOY, name), 'utf8');

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}
interface Job {
  readonly spec: {
    readonly completions: number;
    readonly parallelism: number;
    readonly template: { readonly spec: { readonly containers: readonly Container[] } };
  };
}
interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

describe('config/deploy/kubernetes', () => {
  test.runIf(hasValidator).each(['namespace.yaml', 'workers.yaml'])(
    '%s is valid by the schema of Kubernetes',
    (name) => {
      const path = join(DEPLOY, 'kubernetes', name);
      const { status, text } = run('python3', '-m', 'kubernetes_validate', '--strict', path);
      expect([status, text]).toEqual([0, expect.stringContaining('passed')]);
    },
  );

  test.runIf(has('kubectl'))('is combined by kubectl, with the seeds', () => {
    const { status, text } = run('kubectl', 'kustomize', join(DEPLOY, 'kubernetes'));
    expect(status, text).toBe(0);
    expect(text).toContain('seeds.txt: |');
  });

  test.runIf(hasYaml)('starts as many workers as each of them expects', () => {
    const { spec } = readYaml(textOf('kubernetes/workers.yaml')) as Job;
    const [{ args, env }] = spec.template.spec.containers as [Container];
    expect(unknownIn(args)).toEqual([]);
    expect(env).toContainEqual({ name: 'WEBCRAWL_SHARDS', value: String(spec.completions) });
    expect(spec.parallelism).toBe(spec.completions);
  });

  test('the statuses that end a worker for good are those that are not worth a retry', () => {
    const statuses = [...new Set(Object.values(ERROR_CODES).map(({ exitCode }) => exitCode))];
    const forGood = statuses.filter((status) => !TEMPORARY.has(status)).sort((a, b) => a - b);
    const [, values = ''] = /values: \[([\d, ]+)\]/.exec(textOf('kubernetes/workers.yaml')) ?? [];
    expect(values.split(', ').map(Number)).toEqual(forGood);
  });
});

test.runIf(hasYaml)('config/deploy/compose starts each part of the table once', () => {
  const { services } = readYaml(textOf('compose/compose.yaml')) as { services: Readonly<Record<string, Service>> };
  const workers = Object.entries(services).filter(([name]) => name.startsWith('worker-'));
  expect(workers.map(([, { environment }]) => environment['WEBCRAWL_SHARD'])).toEqual(
    workers.map((_, i) => `${i}/${workers.length}`),
  );
  for (const [, { command }] of workers) expect(unknownIn(command)).toEqual([]);
});

test.each(['slurm/worker.sh', 'hadoop/streaming.sh'])('%s is a script that bash can read', (name) => {
  expect(run('bash', '-n', join(DEPLOY, name))).toEqual({ status: 0, text: '' });
  const [, line = ''] = /webcrawl (crawl .*--shard auto)/.exec(textOf(name)) ?? [];
  expect(unknownIn(line.split(' '))).toEqual([]);
});
