import { lstat, readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { safeText } from '../../../packages/errors/index.js';
import { listSegments } from '../../content/segment-files.js';

/**
 * The sub-folders of a table, in the order of their creation: the bodies, then the LevelDB with the rows. The LevelDB is created last. So
 * even if a kill stops the creation, a table with rows always has a folder for their bodies.
 */
export const TABLE_PARTS = ['content', 'hot'] as const;
/** The name of a folder of a table. */
export type TablePart = (typeof TABLE_PARTS)[number];

/** The state of one part, by its files. The part is not opened. */
export interface PartFolder {
  readonly path: string;
  /**
   * `absent`: no data was written to the part. `damaged`: the part is not a folder, or files are missing and LevelDB would not notice this.
   */
  readonly state: 'absent' | 'present' | 'damaged';
  /** Whether some of the written data exists. */
  readonly hasData: boolean;
  /** Why the part is damaged, as a text for messages. */
  readonly problem?: string;
}

interface TableFolder extends Readonly<Record<TablePart, PartFolder>> {
  readonly state: 'none' | 'whole' | 'damaged';
  /** Describes what exists at the path if there is no table, or what is wrong with the table. Empty: nothing exists. */
  readonly found: string;
  /** Whether there is no table and none can be created, because the path is not a folder. */
  readonly isBlocked: boolean;
}

/** The message that there is no table in a folder, with what was found there. */
export function noTableText(directory: string, found: string): string {
  return `no table in ${directory}${found === '' ? '' : `: found ${found}`}`;
}

/** Matches a log of the database, or a file with sorted keys. */
const DATA_FILE = /^\d+\.(?:log|ldb|sst)$/;
/** Matches a list of files that is not the first one. LevelDB writes the first list before CURRENT, which points to it. */
const LATER_LIST = /^MANIFEST-(?!0*1$)\d+$/;

/**
 * Inspects the files in the folder of a table, and changes nothing.
 * @throws the error of the file system if a file may not be read
 */
export async function inspectTable(directory: string): Promise<TableFolder> {
  const table = await inspectOnce(directory);
  // Another process may have created or opened the table between the inspections of its folders.
  return table.state === 'damaged' ? inspectOnce(directory) : table;
}

async function inspectOnce(directory: string): Promise<TableFolder> {
  const place = await inspectFolders(directory);
  const [content, hot] = [await inspectContent(directory), await inspectRows(directory)];
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

async function inspectFolders(directory: string): Promise<Pick<TableFolder, 'found' | 'isBlocked'>> {
  const found = await statIfThere(directory);
  if (found?.isDirectory()) {
    const isEmpty = (await readdir(directory)).length === 0;
    return { found: isEmpty ? 'an empty folder' : 'a folder without a table', isBlocked: false };
  }
  if (found) return { found: 'a file', isBlocked: true };
  const link = await lstat(directory).catch(() => undefined);
  if (!link?.isSymbolicLink()) return { found: '', isBlocked: false };
  const target = safeText(await readlink(directory));
  return { found: `a link to ${target}, which does not exist (is its disk mounted?)`, isBlocked: true };
}

async function inspectContent(directory: string): Promise<PartFolder> {
  const folder = await inspectFolder(directory, 'content');
  if (folder.state !== 'present') return folder;
  return { ...folder, hasData: (await listSegments(folder.path)).size > 0 };
}

async function inspectRows(directory: string): Promise<PartFolder> {
  const folder = await inspectFolder(directory, 'hot');
  if (folder.state !== 'present') return folder;
  const { path } = folder;
  const files = await readdir(path);
  let hasData = false;
  for (const file of files.filter((file) => DATA_FILE.test(file))) {
    // A log is created empty, and an empty log holds no data.
    hasData ||= !file.endsWith('.log') || ((await statIfThere(join(path, file)))?.size ?? 0) > 0;
  }
  if (files.includes('CURRENT')) {
    // LevelDB begins a log before its second list of files. It removes a log only after it has begun the next log. So with a second list
    // there must be a log.
    const isWhole = files.some((file) => file.endsWith('.log')) || !files.some((file) => LATER_LIST.test(file));
    if (isWhole) return { path, state: 'present', hasData };
    return { path, state: 'damaged', hasData, problem: 'the log of hot is missing' };
  }
  if (!hasData && !files.some((file) => LATER_LIST.test(file))) return { path, state: 'absent', hasData };
  return { path, state: 'damaged', hasData, problem: 'hot/CURRENT is missing' };
}

export function partPath(directory: string, name: TablePart): string {
  return join(directory, name);
}

async function inspectFolder(directory: string, name: TablePart): Promise<PartFolder> {
  const path = partPath(directory, name);
  const folder = await statIfThere(path);
  if (!folder) return { path, state: 'absent', hasData: false };
  if (folder.isDirectory()) return { path, state: 'present', hasData: false };
  return { path, state: 'damaged', hasData: false, problem: `${name} is a file, not a folder` };
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
