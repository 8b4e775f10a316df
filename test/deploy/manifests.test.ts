import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../packages/errors/index.js';
import { MAY_PASS } from '../../packages/rounds/index.js';
import { ROOT } from '../support/docs/source-files.js';

const FOLDER = join(ROOT, 'config/deploy');
/** The folder where .ci/run puts the packages of requirements.txt. */
const PACKAGES = join(ROOT, '.cache/python');
const hasValidator = existsSync(join(PACKAGES, 'kubernetes_validate'));
const manifests = readdirSync(join(FOLDER, 'kubernetes')).filter(
  (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
);

function run(command: string, ...args: string[]) {
  const env = { ...process.env, PYTHONPATH: PACKAGES };
  const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
  return { status, text: stdout + stderr };
}
const has = (program: string): boolean => run('which', program).status === 0;

describe('the files in config/deploy', () => {
  test.runIf(hasValidator).each(manifests)('%s is valid by the schema of Kubernetes', (name) => {
    const { status, text } = run('python3', '-m', 'kubernetes_validate', '--strict', join(FOLDER, 'kubernetes', name));
    expect([status, text]).toEqual([0, expect.stringContaining('passed')]);
  });

  test.runIf(has('kubectl'))('are combined by kubectl, with the names that the driver uses', () => {
    const { status, text } = run('kubectl', 'kustomize', join(FOLDER, 'kubernetes'));
    expect(status, text).toBe(0);
    expect(text).toContain('worker-job.yaml: |');
    for (const name of ['webcrawl-driver', 'webcrawl-worker']) expect(text).toContain(`name: ${name}`);
  });

  test.each(['slurm/worker.sh', 'slurm/driver.sh', 'hadoop/streaming.sh'])(
    '%s is a script that bash can read',
    (name) => {
      expect(run('bash', '-n', join(FOLDER, name))).toEqual({ status: 0, text: '' });
    },
  );

  test('the statuses that end a worker for good are those that are not worth a retry', () => {
    const statuses = [...new Set(Object.values(ERROR_CODES).map(({ exitCode }) => exitCode))];
    const forGood = statuses.filter((status) => !MAY_PASS.has(status)).sort((a, b) => a - b);
    for (const name of ['worker-job.yaml', 'driver-job.yaml']) {
      const [, values = ''] =
        /values: \[([\d, ]+)\]/.exec(readFileSync(join(FOLDER, 'kubernetes', name), 'utf8')) ?? [];
      expect(values.split(', ').map(Number), name).toEqual(forGood);
    }
  });
});
