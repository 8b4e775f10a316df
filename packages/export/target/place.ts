import { basename, dirname, join, sep } from 'node:path';
import { CrawlError } from '../../errors/index.js';
import { codeOf, kindOf, syncFolder, thereAlready, type TargetFiles } from './files.js';

/** The name of the manifest in a folder, and behind the name of a file. */
export const MANIFEST = 'manifest.json';

/** Where an export to a path is made, and where it goes. */
export interface Places {
  readonly path: string;
  readonly kind: 'file' | 'folder';
  /** Beside the target, so that it can be renamed onto it. */
  readonly staging: string;
  /** In it: the parts. */
  readonly parts: string;
  /** In it: the manifest, before the target is in its place. */
  readonly stagedManifest: string;
  /** Where the manifest goes in the end. */
  readonly manifest: string;
}

/** The places of an export to a path. */
export function placesOf(path: string, kind: 'file' | 'folder'): Places {
  const staging = join(dirname(path), `.${basename(path)}.part`);
  const parts = join(staging, 'parts');
  return {
    path,
    kind,
    staging,
    parts,
    stagedManifest: join(kind === 'folder' ? parts : staging, MANIFEST),
    manifest: kind === 'folder' ? join(path, MANIFEST) : `${path}.${MANIFEST}`,
  };
}

/**
 * Whether a path can name what is to be made, which else is found out at the end only.
 * @throws CrawlError BAD_OUTPUT for an empty path, and for one of a file that ends as that of a folder
 */
export function checkName(path: string, kind: 'file' | 'folder'): void {
  if (path !== '' && !(kind === 'file' && (path.endsWith('/') || path.endsWith(sep)))) return;
  const found = path === '' ? 'nothing' : path;
  throw new CrawlError('BAD_OUTPUT', `expected the name of a ${kind} as output, found ${found}`, {
    hint: 'name the output, such as pages.jsonl',
  });
}

/**
 * Whether the target may be written.
 * @throws CrawlError BAD_OUTPUT where something is there and `force` is not given; and always where it is of the other kind,
 *   a folder that no export has made, or a symbolic link that leads to nothing or takes the place of a folder
 */
export async function checkTarget(files: TargetFiles, { path, kind, manifest }: Places, force: boolean): Promise<void> {
  const found = await kindOf(files, path);
  // Renaming replaces a link, not what it leads to; and no link by a folder.
  if ((found === undefined || kind === 'folder') && (await isLink(files, path))) {
    throw new CrawlError('BAD_OUTPUT', `expected a ${kind} or nothing at ${path}, found a symbolic link`, {
      hint: 'name what it leads to',
    });
  }
  if (found === undefined) {
    if (!force && kind === 'file' && (await kindOf(files, manifest)) !== undefined) throw thereAlready(manifest);
    return;
  }
  if (found !== kind) {
    const what = found === 'other' ? 'something that is neither file nor folder' : `a ${found}`;
    const hint = found === 'other' ? '-o - writes to standard output' : 'name another target';
    throw new CrawlError('BAD_OUTPUT', `expected a ${kind} or nothing at ${path}, found ${what}`, { hint });
  }
  if (kind === 'folder') {
    if ((await files.readdir(path)).length === 0) return;
    if (!(await isExport(files, manifest))) {
      throw new CrawlError('BAD_OUTPUT', `expected an export or nothing at ${path}, found a folder of other files`, {
        hint: '--force replaces only what an export has made; name another target',
      });
    }
  }
  if (!force) throw thereAlready(path);
}

/** Whether the data are not in their place yet. */
export async function isStaged(files: TargetFiles, { kind, parts, path }: Places): Promise<boolean> {
  return (await kindOf(files, kind === 'folder' ? parts : join(parts, basename(path)))) !== undefined;
}

/**
 * Puts what is staged in the place of the target. It may be ended between any two steps and done again.
 * @throws CrawlError BAD_OUTPUT where something came to be there meanwhile, and `force` is not given
 */
export async function placeTarget(files: TargetFiles, places: Places, force: boolean): Promise<void> {
  if (places.kind === 'folder') await placeFolder(files, places, force);
  else await placeFile(files, places, force);
  await syncFolder(files, dirname(places.path));
}

async function placeFolder(files: TargetFiles, places: Places, force: boolean): Promise<void> {
  const { path, parts, staging } = places;
  if (!(await isStaged(files, places))) return;
  await checkTarget(files, places, force);
  const before = join(staging, 'replaced');
  if (await isExport(files, places.manifest)) {
    await files.rm(before, { recursive: true, force: true });
    await files.rename(path, before);
  }
  try {
    await files.rename(parts, path);
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(String(codeOf(error)))) throw thereAlready(path);
    throw error;
  }
}

async function placeFile(files: TargetFiles, places: Places, force: boolean): Promise<void> {
  const { path, parts, stagedManifest, manifest } = places;
  const part = join(parts, basename(path));
  if (await isStaged(files, places)) {
    if (!(await isSame(files, part, path))) await checkTarget(files, places, force);
    // A manifest beside a file that it does not speak of would be worse than none.
    if (force) {
      await files.rm(manifest, { force: true });
      await files.rename(part, path);
    } else await nameNew(files, part, path);
  }
  if ((await kindOf(files, stagedManifest)) !== undefined) await files.rename(stagedManifest, manifest);
}

/** A link fails where a rename would replace what came to be there meanwhile; some file systems have none. */
export async function nameNew(files: Pick<TargetFiles, 'link' | 'rename' | 'rm' | 'stat'>, part: string, path: string) {
  try {
    await files.link(part, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return files.rename(part, path);
    if (!(await isSame(files, part, path))) throw thereAlready(path);
  }
  await files.rm(part, { force: true });
}

/** Whether two names are of one file. */
async function isSame(files: Pick<TargetFiles, 'stat'>, a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([a, b].map((path) => files.stat(path).catch(() => undefined)));
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

async function isLink(files: TargetFiles, path: string): Promise<boolean> {
  return files.lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

async function isExport(files: TargetFiles, manifest: string): Promise<boolean> {
  try {
    const found = JSON.parse(await files.readFile(manifest, 'utf8')) as { webcrawl?: unknown } | null;
    return typeof found?.webcrawl === 'string';
  } catch {
    return false;
  }
}
