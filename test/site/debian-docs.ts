import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isSoak } from '../support/runs.js';

const execute = promisify(execFile);

/** Manuals made by different generators: Sphinx and the one of SQLite; in a soak also DocBook. */
const PACKAGES = ['python3-doc', 'sqlite3-doc', ...(isSoak ? ['postgresql-doc'] : [])];

/**
 * Downloads and unpacks the manuals below `folder`; nothing is installed. Needs apt-get and dpkg.
 * @returns the folder with one folder for each manual
 * @throws Error with the output of the command if a package is not available
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

/** The packages above may depend on the packages of a certain version, which have the files. */
async function download(folder: string): Promise<void> {
  const { stdout } = await execute('apt-cache', ['depends', '--important', ...PACKAGES]);
  const versions = [...stdout.matchAll(/Depends: (\S+-doc(?:-[\d.]+)?)$/gm)].map(([, name = '']) => name);
  await execute('apt-get', ['download', '-qq', ...new Set([...PACKAGES, ...versions])], { cwd: folder });
}
