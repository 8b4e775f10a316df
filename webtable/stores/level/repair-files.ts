import { constants } from 'node:fs';
import { cp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Level } from 'level';
import { CrawlError } from '../../../packages/errors/index.js';
import { toCrawlError } from '../../store-errors.js';
import { DATABASE_OPTIONS } from './database.js';
import { makePrivateFolder } from '../../private-folder.js';
import { TABLE_PARTS, lookAtTable, type PartFolder, type TablePart } from './table-folder.js';

/** What is wrong with one part of a table as far as its files show, and what is done about it. */
export interface PartRepair {
  readonly name: TablePart;
  /** `looks whole`, or why it cannot be opened. */
  readonly found: string;
  /**
   * `check`: read through, and rebuilt where that fails; `rebuild`: made anew from the files that can be read; `create`:
   * made empty; `keep`: nothing, since files with bodies are never changed. In the report of a repair what was done, of
   * which `check` means that nothing had to be.
   */
  readonly step: 'check' | 'rebuild' | 'create' | 'keep';
}

/** What a repair of the files of a table is to do, or has done. */
export interface FileRepair {
  readonly directory: string;
  /** A folder within it, which gets a copy of the files with the rows before any is changed. */
  readonly copy: string;
  /** The size of that copy. */
  readonly bytes: number;
  readonly parts: readonly PartRepair[];
  /** false: nothing was changed. */
  readonly done: boolean;
}

/** How the names of these copies begin. */
const COPY = 'before-repair-';
/** LevelDB moves there what it has made anew or could not read; the copy has all of it. */
const LEFTOVERS = 'lost';
const KEYS_AT_ONCE = 1000;

/**
 * Puts the files of a damaged table right as far as they can be read. A dry run looks at the files and says what would be
 * done. Otherwise the files with the rows are copied first; then their database is rebuilt by LevelDB where it cannot be
 * read from end to end, which leaves out what it cannot read, and may bring back what was deleted shortly before. Files
 * with bodies stay as they are. It can be killed at any moment and run again; no other process may have the table open.
 * Indexes and lost bodies are up to `jobs.repair`.
 * @param options.dryRun default: true
 * @throws CrawlError NO_TABLE, TABLE_LOCKED, STORE_FULL, STORE_FAILED; TABLE_DAMAGED where no row is left to save
 */
export async function repairLevelFiles(
  directory: string,
  { dryRun = true, now = Date.now() }: { dryRun?: boolean; now?: number } = {},
): Promise<FileRepair> {
  try {
    const plan = await planRepair(directory, now);
    if (dryRun) return plan;
    const path = resolve(directory);
    const folders = await lookAtTable(path);
    await checkLock(folders.hot);
    await keepCopy(folders.hot, plan.copy);
    const parts: PartRepair[] = [];
    for (const part of plan.parts) parts.push(await repairPart(folders[part.name], part));
    return { ...plan, parts, done: true };
  } catch (error) {
    throw toCrawlError(error, directory);
  }
}

async function planRepair(directory: string, now: number): Promise<FileRepair> {
  const path = resolve(directory);
  const folders = await lookAtTable(path);
  if (folders.state === 'none') {
    throw new CrawlError('NO_TABLE', `expected a table in ${directory}, found ${folders.found}`, {
      hint: 'there is nothing to repair; name another place with --table level:<directory>',
    });
  }
  const { hot } = folders;
  if (!hot.hasData && (hot.state !== 'present' || folders.content.hasData)) {
    throw nothingToSave(directory, hot.problem ?? folders.found);
  }
  const bytes = await sizeOf(hot);
  const copy = join(path, await freeName(path, COPY + new Date(now).toISOString().replace(/[-:]|\..*/g, '')));
  return { directory, copy, bytes, parts: TABLE_PARTS.map((name) => stepOf(name, folders[name])), done: false };
}

/** One that was killed and is run again in the same second finds its own copy there. */
async function freeName(path: string, name: string): Promise<string> {
  const taken = new Set(await readdir(path));
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name}-${n}`;
  return free;
}

function stepOf(name: TablePart, { state, hasData, problem }: PartFolder): PartRepair {
  if (state === 'present') {
    return name === 'hot' ? { name, found: 'looks whole', step: 'check' } : { name, found: 'there', step: 'keep' };
  }
  const found = problem ?? 'missing';
  return { name, found, step: hasData ? 'rebuild' : 'create' };
}

async function sizeOf({ path }: PartFolder): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

/**
 * LevelDB takes the lock before it looks at anything else, and refuses then what it is not to find.
 * @throws CrawlError TABLE_LOCKED where another process has the database open
 */
async function checkLock({ path }: PartFolder): Promise<void> {
  const database = new Level(path, { createIfMissing: false, errorIfExists: true });
  try {
    await database.open();
  } catch (error) {
    const refused = toCrawlError(error, path);
    if (refused.code === 'TABLE_LOCKED') throw refused;
  } finally {
    await database.close();
  }
}

/** Copies every file, by reference where the file system can. The copy has its name once it is whole. */
async function keepCopy({ path }: PartFolder, copy: string): Promise<void> {
  const directory = dirname(copy);
  const partial = `${copy}.partial`;
  for (const name of await readdir(directory)) {
    if (name.startsWith(COPY) && name.endsWith('.partial')) await rm(join(directory, name), { recursive: true });
  }
  try {
    await makePrivateFolder(partial);
    await cp(path, join(partial, basename(path)), { recursive: true, mode: constants.COPYFILE_FICLONE });
    await rename(partial, copy);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function repairPart(folder: PartFolder, plan: PartRepair): Promise<PartRepair> {
  const { step } = plan;
  if (step === 'keep') return plan;
  if (step === 'rebuild') return rebuild(folder, plan);
  if (step === 'create') {
    await makePrivateFolder(folder.path);
    return plan;
  }
  try {
    await withDatabase(folder, readThrough);
    return plan;
  } catch (error) {
    const problem = toCrawlError(error, folder.path);
    if (problem.code !== 'TABLE_DAMAGED') throw problem;
    if (!folder.hasData) throw nothingToSave(folder.path, 'the files with the rows are missing');
    return rebuild(folder, { ...plan, found: problem.message });
  }
}

async function rebuild(folder: PartFolder, plan: PartRepair): Promise<PartRepair> {
  await checkLock(folder);
  // LevelDB repairs without it. A repair that is killed leaves a database that nobody opens, and so removes files of, as it is.
  await rm(join(folder.path, 'CURRENT'), { recursive: true, force: true });
  await LEVELDB.repair(folder.path);
  await withDatabase(folder, async (database) => {
    // LevelDB looks into rebuilt files in the order of their numbers, not of their age, until it has merged them.
    await database.compactRange('', '\u{10ffff}');
    await readThrough(database);
  });
  await rm(join(folder.path, LEFTOVERS), { recursive: true, force: true });
  return { ...plan, step: 'rebuild' };
}

/** What `Level` has on Node, and its types leave out since browsers have none of it. */
const LEVELDB = Level as unknown as { repair(location: string): Promise<void> };
interface LevelOnDisk extends Level<string, Uint8Array> {
  compactRange(start: string, end: string): Promise<void>;
}

async function withDatabase({ path }: PartFolder, task: (database: LevelOnDisk) => Promise<void>): Promise<void> {
  const database = new Level<string, Uint8Array>(path, { ...DATABASE_OPTIONS, createIfMissing: false }) as LevelOnDisk;
  try {
    await database.open();
    await task(database);
  } finally {
    await database.close();
  }
}

async function readThrough(database: LevelOnDisk): Promise<void> {
  const keys = database.keys();
  try {
    while ((await keys.nextv(KEYS_AT_ONCE)).length > 0);
  } finally {
    await keys.close();
  }
}

function nothingToSave(directory: string, found: string): CrawlError {
  return new CrawlError('TABLE_DAMAGED', `expected rows to save in ${directory}, found none: ${found}`, {
    hint: 'restore the whole directory from a copy; bodies alone make no table',
  });
}
