import { constants } from 'node:fs';
import { cp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Level } from 'level';
import { CrawlError } from '../../../packages/errors/index.js';
import { toCrawlError } from '../../store-errors.js';
import { DATABASE_OPTIONS } from './database.js';
import { makePrivateFolder } from '../../private-folder.js';
import { TABLE_PARTS, inspectTable, noTableText, type PartFolder, type TablePart } from './table-folder.js';

/** The damage of one part of a table, by its files, and the step that repairs the part. */
export interface PartRepair {
  readonly name: TablePart;
  /** `looks whole`, or why the part cannot be opened. */
  readonly found: string;
  /**
   * `check`: the repair reads the part, and rebuilds it if that fails. `rebuild`: the part is rebuilt from the readable files. `create`:
   * the part is created empty. `keep`: the part stays unchanged, because a repair changes no files with bodies. In a report, this is the
   * step that was done; `check` then means that the files were not damaged.
   */
  readonly step: 'check' | 'rebuild' | 'create' | 'keep';
}

/** The plan of a repair of a table's files, or its result. */
export interface FileRepair {
  readonly directory: string;
  /** A folder inside `directory`. Before a repair changes files with rows, it copies all of them into this folder. */
  readonly copy: string;
  /** The size of the copy in bytes. */
  readonly bytes: number;
  readonly parts: readonly PartRepair[];
  /** false: nothing was changed. */
  readonly done: boolean;
}

/** The prefix of the names of copies. */
const COPY = 'before-repair-';
/** The folder into which LevelDB moves files that it has rebuilt or could not read. The copy of the repair has these files too. */
const LEFTOVERS = 'lost';
const KEYS_AT_ONCE = 1000;

/**
 * Repairs the files of a damaged table as far as they can be read. A dry run inspects the files and returns what a repair would do. A
 * repair first copies the files with the rows. If the database of the rows cannot be read completely, LevelDB then rebuilds it. The rebuilt
 * database lacks the unreadable data, and may again have rows that were deleted shortly before. Files with bodies stay unchanged. The
 * repair can be killed at any moment and run again. No other process may have the table open. `jobs.repair` repairs indexes and lost
 * bodies.
 * @param options.dryRun default: true
 * @throws CrawlError NO_TABLE, TABLE_LOCKED, STORE_FULL, STORE_FAILED; TABLE_DAMAGED if no row can be saved
 */
export async function repairLevelFiles(
  directory: string,
  { dryRun = true, now = Date.now() }: { dryRun?: boolean; now?: number } = {},
): Promise<FileRepair> {
  try {
    const plan = await planRepair(directory, now);
    if (dryRun) return plan;
    const path = resolve(directory);
    const folders = await inspectTable(path);
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
  const folders = await inspectTable(path);
  if (folders.state === 'none') {
    throw new CrawlError('NO_TABLE', noTableText(directory, folders.found), {
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

/** Returns a name that is not in use. If a repair was killed and runs again in the same second, its first copy already has this name. */
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
 * Checks that no other process has the database open. It opens the database with options that LevelDB refuses, but LevelDB takes its lock
 * before it checks the options.
 * @throws CrawlError TABLE_LOCKED
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

/** Copies every file. Data blocks are shared if the file system supports this. The copy gets its final name once it is complete. */
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
  // LevelDB does not need this file for a repair. If the repair is killed, the database cannot be opened without this file, so LevelDB
  // removes no other file.
  await rm(join(folder.path, 'CURRENT'), { recursive: true, force: true });
  await LEVELDB.repair(folder.path);
  await withDatabase(folder, async (database) => {
    // LevelDB orders rebuilt files by number and not by age, until they are merged. So they are merged now.
    await database.compactRange('', '\u{10ffff}');
    await readThrough(database);
  });
  await rm(join(folder.path, LEFTOVERS), { recursive: true, force: true });
  return { ...plan, step: 'rebuild' };
}

/** On Node, `Level` has this method. The types of `Level` lack it, because browsers do not have the method. */
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
  return new CrawlError('TABLE_DAMAGED', `no rows to save in ${directory}: ${found}`, {
    hint: 'restore the whole directory from a copy; bodies alone make no table',
  });
}
