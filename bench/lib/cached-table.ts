import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchOptions } from './bench.js';
import { runJob } from './worker.js';

const DIST = fileURLToPath(new URL('../../', import.meta.url));
/** The code that decides the layout of a table. A table that was made by other code is made again. */
const MAKERS = ['webtable', 'bench/lib/made-page.js', 'bench/lib/fill-table.js'].map((path) => join(DIST, path));

export interface TableKind<P extends object> {
  readonly name: string;
  readonly module: string;
  readonly load: (job: { readonly directory: string; readonly plan: P }) => Promise<void>;
}

/** Returns the folder of a table for a plan, and makes it if the cache has none. */
export async function makeTable<P extends object>(
  { cache, say }: BenchOptions,
  kind: TableKind<P>,
  plan: P,
): Promise<string> {
  const name = `${kind.name}-${Object.values(plan).join('-')}`;
  const version = await fingerprint([...MAKERS, fileURLToPath(kind.module)]);
  const folder = join(cache, 'tables', name);
  const directory = join(folder, version);
  const isThere = await readdir(directory).then(
    () => true,
    () => false,
  );
  if (isThere) return directory;
  await rm(folder, { recursive: true, force: true });
  say(`making the table ${name} …`);
  const unfinished = `${directory}.new`;
  await runJob(kind.module, kind.load, { directory: unfinished, plan });
  await rename(unfinished, directory);
  return directory;
}

async function fingerprint(makers: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of makers) {
    const files = path.endsWith('.js') ? [path] : (await readdir(path)).sort().map((name) => join(path, name));
    for (const file of files) if (file.endsWith('.js')) hash.update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 12);
}

/**
 * Copies a table that no process has open. The table files of LevelDB never change, so they are linked, which takes neither time nor disk
 * space.
 */
export async function copyTable(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const source = join(entry.parentPath, entry.name);
    const target = join(to, source.slice(from.length));
    // A folder of a table may be empty, for example the folder of bodies before the first body.
    if (entry.isDirectory()) await mkdir(target, { recursive: true });
    if (!entry.isFile() || entry.name === 'LOCK') continue;
    await mkdir(dirname(target), { recursive: true });
    await (/\.(ldb|sst)$/.test(entry.name) ? link : copyFile)(source, target);
  }
}
