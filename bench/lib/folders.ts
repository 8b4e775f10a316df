import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this checkout, from this file or from its compiled form in dist/bench/lib. */
export const ROOT = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../' : '../../../', import.meta.url));
export const BENCH = join(ROOT, 'bench');
/** The folder into which `bench/install.sh` puts programs, packages and sets of pages. */
export const PEERS = join(BENCH, '.peers');

/** Runs a task with an empty folder, and removes the folder at the end. */
export async function inEmptyFolder<T>(folder: string, task: (folder: string) => Promise<T>): Promise<T> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    return await task(folder);
  } finally {
    // A process that used it may still be ending.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
