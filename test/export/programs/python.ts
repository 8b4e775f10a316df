import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder with the packages of `requirements.txt`: `pip install --target .cache/python -r test/export/programs/requirements.txt`. */
export const PYTHON_PACKAGES = fileURLToPath(new URL('../../../.cache/python', import.meta.url));

/** Whether a Python package is installed; its tests are skipped otherwise. */
export function hasPython(module: string): boolean {
  return existsSync(PYTHON_PACKAGES) && python(['-c', `import ${module}`]).status === 0;
}

/** Runs Python with these packages. */
export function python(args: readonly string[]): {
  readonly status: number | null;
  readonly out: string;
  readonly errors: string;
} {
  const { status, stdout, stderr } = spawnSync('python3', args, {
    encoding: 'utf8',
    maxBuffer: 1e9,
    env: { ...process.env, PYTHONPATH: PYTHON_PACKAGES, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
  });
  return { status, out: stdout ?? '', errors: stderr ?? '' };
}
