import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchOptions } from './bench.js';
import type { TablePlan } from './cycle-table.js';
import { runWorker } from './worker.js';

const DIST = fileURLToPath(new URL('../../', import.meta.url));
/** The code that decides the layout of a table. A table that was made by other code is made again. */
const MAKERS = ['webtable', 'bench/lib/made-page.js'];

/** How to make the tables of one kind of plan. */
export interface TableMaker<P extends object> {
  /** Part of the name in the cache; may be empty. */
  readonly prefix: string;
  /** A file of `bench/workers`. It gets the directory and the plan. */
  readonly worker: string;
  /** The file of `bench/lib` that defines the rows. */
  readonly rowsOf: string;
  readonly count: (plan: P) => number;
}

/** Tables of the benchmark `cycle`. */
const CYCLE: TableMaker<TablePlan> = {
  prefix: '',
  worker: 'load-table.js',
  rowsOf: 'cycle-table.js',
  count: ({ hosts, rowsPerHost, bigHostRows }) => hosts * rowsPerHost + bigHostRows,
};

/** The folder of a table for a plan of the benchmark `cycle`. It is made if the cache has none. */
export function makeTable(options: BenchOptions, plan: TablePlan): Promise<string> {
  return makeTableOf(options, CYCLE, plan);
}

/** Returns the folder of a table for any plan, and makes it if the cache has none. */
export async function makeTableOf<P extends object>(
  { cache, say }: BenchOptions,
  { prefix, worker, rowsOf, count }: TableMaker<P>,
  plan: P,
): Promise<string> {
  const name = prefix + Object.values(plan).join('-');
  const version = await fingerprint([...MAKERS, `bench/workers/${worker}`, `bench/lib/${rowsOf}`]);
  const folder = join(cache, 'tables', name);
  const directory = join(folder, version);
  const isThere = await readdir(directory).then(
    () => true,
    () => false,
  );
  if (isThere) return directory;
  await rm(folder, { recursive: true, force: true });
  say(`making a table of ${count(plan).toLocaleString('en-US')} rows …`);
  const unfinished = `${directory}.new`;
  const { seconds } = await runWorker<{ seconds: number }>(new URL(`../workers/${worker}`, import.meta.url), {
    directory: unfinished,
    plan,
  });
  await rename(unfinished, directory);
  say(`made in ${seconds.toFixed(0)} s`);
  return directory;
}

async function fingerprint(makers: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const maker of makers) {
    const path = join(DIST, maker);
    const files = maker.endsWith('.js') ? [path] : (await readdir(path)).sort().map((name) => join(path, name));
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
