import { basename, dirname, join, resolve, sep } from 'node:path';
import { CrawlError } from '../../errors/index.js';
import type { Destination } from './destination.js';
import { codeOf, kindOf, syncFolder, thereAlready, type TargetFiles } from './files.js';
import { MANIFEST } from './manifest.js';

/**
 * A target on disk. Staged files are in the folder `.<name>.part` beside the target. At the end they are renamed.
 * @throws CrawlError BAD_OUTPUT for a path that cannot be the name of the export
 */
export function diskDestination(files: TargetFiles, path: string, kind: 'file' | 'folder'): Destination {
  checkName(path, kind);
  const paths = pathsOf(path, kind);
  return {
    ...paths,
    settle: () => settle(files, paths),
    check: (force) => checkTarget(files, paths, force),
    async place(_head, _parts, force) {
      if (kind === 'folder') await installFolder(files, paths);
      else await installFile(files, paths, force);
      await syncFolder(files, dirname(paths.target));
    },
    close: () => undefined,
  };
}

interface DiskPaths extends Pick<Destination, 'path' | 'staging' | 'parts' | 'stagedManifest' | 'name'> {
  readonly target: string;
  readonly kind: 'file' | 'folder';
  readonly manifest: string;
  /** The temporary path of the files that the new ones replace: the whole folder, or the manifest of a file. */
  readonly replaced: string;
}

function pathsOf(path: string, kind: 'file' | 'folder'): DiskPaths {
  // This also resolves `.` and `a/..`, which have no name.
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
 * Checks that a path can be the name of an export. Without this check, the error would come only at the end.
 * @throws CrawlError BAD_OUTPUT for an empty path, a file whose path ends in a slash, and a folder that contains the working folder of this
 * process
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
 * @throws CrawlError BAD_OUTPUT when the target exists and `force` is not given. Also with `force`: when the target is a folder and not a
 * file or the reverse, when it is not an export, or when it is a symbolic link that is broken or has the name of a folder to write
 */
async function checkTarget(files: TargetFiles, paths: DiskPaths, force: boolean): Promise<void> {
  const { path, target, kind, manifest } = paths;
  const found = await kindOf(files, target);
  // Renaming a file replaces the link itself, not its target. A folder cannot replace a link.
  if ((found === undefined || kind === 'folder') && (await isLink(files, target))) {
    throw new CrawlError('BAD_OUTPUT', `${path} is a symbolic link`, {
      hint: 'name the target of the link',
    });
  }
  // This is checked with --force too: the check fails if the longer name of the manifest is too long for the file system.
  const hasManifest = kind === 'file' && (await kindOf(files, manifest)) !== undefined;
  if (found === undefined) {
    if (!force && hasManifest) throw thereAlready(manifest);
    return;
  }
  if (found !== kind) throw otherKind(path, kind, found);
  if (kind === 'folder' && (await files.readdir(target)).length === 0) return;
  if (await isExport(files, paths)) {
    if (force) return;
    throw thereAlready(path);
  }
  const what = kind === 'folder' ? 'a folder of other files' : 'another file';
  throw new CrawlError('BAD_OUTPUT', `${path} is ${what}, not an export`, {
    hint: `--force replaces only an export that its manifest describes; remove the ${kind}, or name another target`,
  });
}

export function otherKind(path: string, kind: string, found: 'file' | 'folder' | 'other'): CrawlError {
  const what = found === 'other' ? 'something that is neither file nor folder' : `a ${found}`;
  const hint = found === 'other' ? '-o - writes to standard output' : 'name another target';
  return new CrawlError('BAD_OUTPUT', `${path} is ${what}, not a ${kind}`, { hint });
}

async function installFolder(
  files: TargetFiles,
  { path, target, parts, manifest, replaced }: DiskPaths,
): Promise<void> {
  if ((await manifestAt(files, manifest)) !== undefined) await files.rename(target, replaced);
  try {
    await files.rename(parts, target);
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(String(codeOf(error)))) throw thereAlready(path);
    throw error;
  }
}

async function installFile(files: TargetFiles, paths: DiskPaths, force: boolean): Promise<void> {
  const { target, parts, name, stagedManifest, manifest, replaced } = paths;
  const part = join(parts, name);
  if (force) {
    // The manifest is moved away just before the file is replaced. A manifest must never be beside a file that it does not describe.
    if ((await kindOf(files, manifest)) !== undefined) await files.rename(manifest, replaced);
    await files.rename(part, target);
  } else await nameNew(files, part, target);
  await files.rename(stagedManifest, manifest);
}

/**
 * Completes or reverts an interrupted {@link installFolder} or {@link installFile}. If the new export is not in place yet, the old one is
 * restored. If a new file is in place, its manifest is moved there too.
 */
async function settle(files: TargetFiles, { target, staging, parts, name, replaced }: DiskPaths): Promise<void> {
  const part = join(parts, name);
  if (await isSame(files, part, target)) await files.rm(part);
  const isPlaced = (await kindOf(files, part)) === undefined;
  const manifest = `${target}.${MANIFEST}`;
  const old = await kindOf(files, replaced);
  if (old === 'folder' && (await kindOf(files, target)) === undefined) await files.rename(replaced, target);
  if (old === 'file' && !isPlaced) await files.rename(replaced, manifest);
  const stagedManifest = join(staging, MANIFEST);
  if (isPlaced && (await kindOf(files, stagedManifest)) !== undefined) await files.rename(stagedManifest, manifest);
}

/**
 * Gives a file its final name, and fails if the name exists. The name is given by a link, because a rename would replace a file that was
 * created meanwhile. A rename is used only if the file system has no links.
 */
export async function nameNew(files: Pick<TargetFiles, 'link' | 'rename' | 'rm' | 'stat'>, part: string, path: string) {
  try {
    await files.link(part, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return files.rename(part, path);
    if (!(await isSame(files, part, path))) throw thereAlready(path);
  }
  await files.rm(part, { force: true });
}

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

/** Whether the target is an unchanged export. A folder must have a manifest. A file must have a manifest with its name and size. */
async function isExport(files: TargetFiles, { kind, target, name, manifest }: DiskPaths): Promise<boolean> {
  const found = await manifestAt(files, manifest);
  if (kind === 'folder' || !found) return found !== undefined;
  const { size } = await files.stat(target);
  return found.parts?.some((part) => part.name === name && part.bytes === size) ?? false;
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
