import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isSoak } from '../support/runs.js';

const execute = promisify(execFile);

/** Manuals as their makers generated them, by different generators: Sphinx and one of its own; in a soak DocBook as well. */
const PACKAGES = ['python3-doc', 'sqlite3-doc', ...(isSoak ? ['postgresql-doc'] : [])];

/**
 * Downloads and unpacks the manuals below `folder`; nothing is installed. Needs apt-get and dpkg.
 * @returns the folder that holds one folder for each manual
 * @throws Error with what the command said, when a package is not available
 */
export async function unpackDebianDocs(folder: string): Promise<string> {
  const unpacked = join(folder, 'unpacked');
  await mkdir(unpacked, { recursive: true });
  try {
    await download(folder);
  } catch {
    // The lists of packages are missing or out of date.
    await execute('apt-get', ['update', '-qq']);
    await download(folder);
  }
  for (const name of await readdir(folder)) {
    if (name.endsWith('.deb')) await execute('dpkg', ['-x', join(folder, name), unpacked]);
  }
  return join(unpacked, 'usr/share/doc');
}

/** The names above may stand for the packages of a certain version: those hold the files. */
async function download(folder: string): Promise<void> {
  const { stdout } = await execute('apt-cache', ['depends', '--important', ...PACKAGES]);
  const versions = [...stdout.matchAll(/Depends: (\S+-doc(?:-[\d.]+)?)$/gm)].map(([, name = '']) => name);
  await execute('apt-get', ['download', '-qq', ...new Set([...PACKAGES, ...versions])], { cwd: folder });
}
