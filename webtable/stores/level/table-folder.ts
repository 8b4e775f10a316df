import { lstat, mkdir, readdir, readlink, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { safeText } from '../../../packages/errors/index.js';
import { listSegments } from '../../content/segment-files.js';

/**
 * The folders in the folder of a table, in the order in which they are made: the bodies, and the LevelDB with the rows. That
 * comes last: whoever is killed while a table is made leaves no rows without a place for their bodies.
 */
export const TABLE_PARTS = ['content', 'hot'] as const;
/** The name of a folder of a table. */
export type TablePart = (typeof TABLE_PARTS)[number];

/** What the files of one part say, without opening it. */
export interface PartFolder {
  readonly path: string;
  /**
   * `absent`: nothing was ever written to it; `damaged`: it is no folder, or LevelDB would open it without what is missing,
   * or as a new one.
   */
  readonly state: 'absent' | 'present' | 'damaged';
  /** Some of what was written to it is there. */
  readonly hasData: boolean;
  /** Why it is damaged, in words. */
  readonly problem?: string;
}

/** What lies at the place of a table. */
export interface TableFolder extends Readonly<Record<TablePart, PartFolder>> {
  readonly state: 'none' | 'whole' | 'damaged';
  /** What is there where no table is, or what is wrong with it, in words. */
  readonly found: string;
  /** Where no table is: it is no folder, and none can be made there. */
  readonly isBlocked: boolean;
}

/** A log of the database, or one of its sorted tables. */
const DATA_FILE = /^\d+\.(?:log|ldb|sst)$/;
/** LevelDB writes the first list of files before CURRENT, which leads to it. */
const LATER_LIST = /^MANIFEST-(?!0*1$)\d+$/;

/**
 * Looks at the files in the folder of a table, and changes nothing.
 * @throws what the file system throws where it may not be looked at
 */
export async function lookAtTable(directory: string): Promise<TableFolder> {
  const table = await lookOnce(directory);
  // Another process may have made or opened the table between the looks at its folders.
  return table.state === 'damaged' ? lookOnce(directory) : table;
}

async function lookOnce(directory: string): Promise<TableFolder> {
  const place = await lookAtPlace(directory);
  const [content, hot] = [await lookAtContent(directory), await lookAtRows(directory)];
  const problems = [hot, content].flatMap(({ problem }) => problem ?? []);
  if (problems.length === 0) {
    if (hot.state === 'present' && content.state === 'absent') problems.push('content, with the bodies, is missing');
    if (hot.state === 'absent' && content.hasData) problems.push('hot, with the rows, is missing');
    if (hot.state === 'present' && !hot.hasData && content.hasData) problems.push('hot, with the rows, is empty');
  }
  if (problems.length > 0) {
    return { state: 'damaged', found: problems.join(', and '), isBlocked: false, hot, content };
  }
  return { state: hot.state === 'present' ? 'whole' : 'none', ...place, hot, content };
}

async function lookAtPlace(directory: string): Promise<Pick<TableFolder, 'found' | 'isBlocked'>> {
  const found = await statIfThere(directory);
  if (found?.isDirectory()) {
    const isEmpty = (await readdir(directory)).length === 0;
    return { found: isEmpty ? 'an empty folder' : 'a folder without one', isBlocked: false };
  }
  if (found) return { found: 'a file', isBlocked: true };
  const link = await lstat(directory).catch(() => undefined);
  if (!link?.isSymbolicLink()) return { found: 'nothing there', isBlocked: false };
  const target = safeText(await readlink(directory));
  return { found: `a link to ${target}, which is not there (is its disk mounted?)`, isBlocked: true };
}

async function lookAtContent(directory: string): Promise<PartFolder> {
  const folder = await lookAtFolder(directory, 'content');
  if (folder.state !== 'present') return folder;
  return { ...folder, hasData: (await listSegments(folder.path)).size > 0 };
}

async function lookAtRows(directory: string): Promise<PartFolder> {
  const folder = await lookAtFolder(directory, 'hot');
  if (folder.state !== 'present') return folder;
  const { path } = folder;
  const files = await readdir(path);
  let hasData = false;
  for (const file of files.filter((file) => DATA_FILE.test(file))) {
    // A log is made empty, and nothing is lost with one.
    hasData ||= !file.endsWith('.log') || ((await statIfThere(join(path, file)))?.size ?? 0) > 0;
  }
  if (files.includes('CURRENT')) {
    // LevelDB begins a log before its second list of files, and removes one only after it has begun the next.
    const isWhole = files.some((file) => file.endsWith('.log')) || !files.some((file) => LATER_LIST.test(file));
    if (isWhole) return { path, state: 'present', hasData };
    return { path, state: 'damaged', hasData, problem: 'the log of hot is missing' };
  }
  if (!hasData && !files.some((file) => LATER_LIST.test(file))) return { path, state: 'absent', hasData };
  return { path, state: 'damaged', hasData, problem: 'hot/CURRENT is missing' };
}

/** Where a part of the table in a directory is. */
export function partPath(directory: string, name: TablePart): string {
  return join(directory, name);
}

async function lookAtFolder(directory: string, name: TablePart): Promise<PartFolder> {
  const path = partPath(directory, name);
  const folder = await statIfThere(path);
  if (!folder) return { path, state: 'absent', hasData: false };
  if (folder.isDirectory()) return { path, state: 'present', hasData: false };
  return { path, state: 'damaged', hasData: false, problem: `${name} is a file and no folder` };
}

async function statIfThere(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Makes a folder that only its owner may enter, and those above it that are missing, as they are usually made. One that
 * is there stays as it is. Node's own recursive mkdir tries for ever where nothing can be made, such as in /proc.
 * @throws what the file system throws
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolder(path, 0o700);
}

async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdirIfMissing(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent, 0o777);
    await mkdirIfMissing(path, mode);
  }
}

async function mkdirIfMissing(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await statIfThere(path))?.isDirectory()) throw error;
  }
}
