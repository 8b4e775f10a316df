import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * How many bytes of the segments in a folder no row points at any more, as far as it was counted: it decides only when a
 * compaction is worth while, which counts by itself.
 */
const FILE = 'discarded';

/** 0 where nothing was counted. */
export async function readDiscarded(directory: string): Promise<number> {
  const text = await readFile(join(directory, FILE), 'latin1').catch(() => '');
  return /^\d{1,15}\n?$/.test(text) ? Number(text) : 0;
}

/** Replaces the count in one go. Where that cannot be done, the count is too low, and a compaction comes later. */
export async function writeDiscarded(directory: string, bytes: number): Promise<void> {
  const path = join(directory, FILE);
  try {
    await writeFile(`${path}.new`, `${bytes}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch {
    await rm(`${path}.new`, { force: true }).catch(() => undefined);
  }
}
