import { basename, dirname, join, resolve, sep } from 'node:path';
import { CrawlError } from '../../errors/index.js';
import type { Destination } from './destination.js';
import { codeOf, kindOf, syncFolder, thereAlready, type TargetFiles } from './files.js';
import { MANIFEST } from './manifest.js';

/**
 * A path of the disk. What is staged is beside it, in `.<name>.part`, and renamed onto it.
 * @throws CrawlError BAD_OUTPUT for a path that cannot name what is to be made
 */
export function diskDestination(files: TargetFiles, path: string, kind: 'file' | 'folder'): Destination {
  checkName(path, kind);
  const places = placesOf(path, kind);
  const isStaged = (): Promise<boolean> => isPartStaged(files, places);
  return {
    ...places,
    check: (force) => checkTarget(files, places, force),
    isStaged,
    isPlaced: async () => !(await isStaged()) && (await kindOf(files, places.stagedManifest)) === undefined,
    exists: async () => (await kindOf(files, places.target)) === kind,
    place: (force) => placeTarget(files, places, force),
    close: () => undefined,
  };
}

/** The places of an export to a path. */
interface Places extends Pick<Destination, 'path' | 'staging' | 'parts' | 'stagedManifest' | 'name'> {
  /** The path, from the root on. */
  readonly target: string;
  readonly kind: 'file' | 'folder';
  /** Where the manifest goes in the end. */
  readonly manifest: string;
  /** Where what is replaced goes meanwhile: of a folder all, of a file its manifest. */
  readonly replaced: string;
}

function placesOf(path: string, kind: 'file' | 'folder'): Places {
  // Also of `.` and `a/..`, which have no name.
  const target = resolve(path);
  const name = basename(target);
  const staging = join(dirname(target), `.${name}.part`);
  const parts = join(staging, 'parts');
  return {
    path,
    target,
    kind,
    name,
    staging,
    parts,
    stagedManifest: join(kind === 'folder' ? parts : staging, MANIFEST),
    manifest: kind === 'folder' ? join(target, MANIFEST) : `${target}.${MANIFEST}`,
    replaced: join(staging, 'replaced'),
  };
}

/**
 * Whether a path can name what is to be made, which else is found out at the end only.
 * @throws CrawlError BAD_OUTPUT for an empty path, one of a file that ends as that of a folder, and a folder that this process works in
 */
export function checkName(path: string, kind: 'file' | 'folder'): void {
  const isFolderName = path.endsWith('/') || path.endsWith(sep);
  const isAround = `${process.cwd()}${sep}`.startsWith(resolve(path).replace(/[\\/]*$/, sep));
  if (path !== '' && !(kind === 'file' && isFolderName) && !isAround) return;
  const found = path === '' ? 'nothing' : isAround ? `${path}, in which this command runs` : path;
  throw new CrawlError('BAD_OUTPUT', `expected the name of a ${kind} as output, found ${found}`, {
    hint: `name the output, such as ${kind === 'file' ? 'pages.jsonl' : 'exports/pages'}`,
  });
}

/**
 * Whether the target may be written.
 * @throws CrawlError BAD_OUTPUT where something is there and `force` is not given; and always where it is of the other kind,
 *   no export has made it, or it is a symbolic link that leads to nothing or takes the place of a folder
 */
async function checkTarget(files: TargetFiles, places: Places, force: boolean): Promise<void> {
  const { path, target, kind, manifest } = places;
  const found = await kindOf(files, target);
  // Renaming replaces a link, not what it leads to; and no link by a folder.
  if ((found === undefined || kind === 'folder') && (await isLink(files, target))) {
    throw new CrawlError('BAD_OUTPUT', `expected a ${kind} or nothing at ${path}, found a symbolic link`, {
      hint: 'name what it leads to',
    });
  }
  // Asked for with --force, too: its name is longer, and may be too long.
  const hasManifest = kind === 'file' && (await kindOf(files, manifest)) !== undefined;
  if (found === undefined) {
    if (!force && hasManifest) throw thereAlready(manifest);
    return;
  }
  if (found !== kind) throw otherKind(path, kind, found);
  if (kind === 'folder' && (await files.readdir(target)).length === 0) return;
  if (!force) throw thereAlready(path);
  if (await isExport(files, places)) return;
  const what = kind === 'folder' ? 'a folder of other files' : 'a file of something else';
  throw new CrawlError('BAD_OUTPUT', `expected an export or nothing at ${path}, found ${what}`, {
    hint: `--force replaces only what an export has made, as its manifest says; remove it, or name another target`,
  });
}

/** The error for a target of the other kind. */
export function otherKind(path: string, kind: string, found: 'file' | 'folder' | 'other'): CrawlError {
  const what = found === 'other' ? 'something that is neither file nor folder' : `a ${found}`;
  const hint = found === 'other' ? '-o - writes to standard output' : 'name another target';
  return new CrawlError('BAD_OUTPUT', `expected a ${kind} or nothing at ${path}, found ${what}`, { hint });
}

/** Whether the data are not in their place yet. */
async function isPartStaged(files: TargetFiles, { kind, parts, name }: Places): Promise<boolean> {
  return (await kindOf(files, kind === 'folder' ? parts : join(parts, name))) !== undefined;
}

/**
 * Puts what is staged in the place of the target. It may be ended between any two steps and done again.
 * @throws CrawlError BAD_OUTPUT where something came to be there meanwhile, and `force` is not given
 */
async function placeTarget(files: TargetFiles, places: Places, force: boolean): Promise<void> {
  if (places.kind === 'folder') await placeFolder(files, places, force);
  else await placeFile(files, places, force);
  await syncFolder(files, dirname(places.target));
}

async function placeFolder(files: TargetFiles, places: Places, force: boolean): Promise<void> {
  const { path, target, parts, replaced } = places;
  if (!(await isPartStaged(files, places))) return;
  await checkTarget(files, places, force);
  if (await isExport(files, places)) {
    await files.rm(replaced, { recursive: true, force: true });
    await files.rename(target, replaced);
  }
  try {
    await files.rename(parts, target);
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(String(codeOf(error)))) throw thereAlready(path);
    throw error;
  }
}

async function placeFile(files: TargetFiles, places: Places, force: boolean): Promise<void> {
  const { target, parts, name, stagedManifest, manifest, replaced } = places;
  const part = join(parts, name);
  if (await isPartStaged(files, places)) {
    if (!(await isSame(files, part, target))) await checkTarget(files, places, force);
    if (force) {
      // A manifest beside a file that it does not speak of would be worse than none; it still says whose the file is.
      if ((await kindOf(files, manifest)) !== undefined) await files.rename(manifest, replaced);
      await files.rename(part, target);
    } else await nameNew(files, part, target);
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

/** Whether what is there is an export as it was made: its manifest says so, of a file with name and size. */
async function isExport(files: TargetFiles, { kind, target, name, manifest, replaced }: Places): Promise<boolean> {
  if (kind === 'folder') return (await manifestAt(files, manifest)) !== undefined;
  const { size } = await files.stat(target);
  for (const path of [manifest, replaced]) {
    const found = await manifestAt(files, path);
    if (found?.parts?.some((part) => part.name === name && part.bytes === size)) return true;
  }
  return false;
}

interface FoundManifest {
  readonly parts?: readonly { readonly name?: unknown; readonly bytes?: unknown }[];
}

async function manifestAt(files: TargetFiles, path: string): Promise<FoundManifest | undefined> {
  try {
    const found = JSON.parse(await files.readFile(path, 'utf8')) as (FoundManifest & { webcrawl?: unknown }) | null;
    return typeof found?.webcrawl === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}
