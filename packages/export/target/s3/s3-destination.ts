import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CrawlError } from '../../../errors/index.js';
import { inParallel } from '../../../util/index.js';
import type { Destination } from '../destination.js';
import { codeOf, thereAlready, type TargetFiles } from '../files.js';
import { MANIFEST, type ManifestHead, type WholePart } from '../manifest.js';
import { openS3, type S3Options, type S3Store } from './s3-store.js';
import { parseS3 } from './s3-url.js';

const UPLOADS_AT_ONCE = 4;

/** Metadata of objects. Each object has the id of its export. The marker also has the ids of the exports that are replaced. */
const NOTES = { id: 'webcrawl-export', replaces: 'webcrawl-replaces' } as const;

/**
 * Makes a target in an S3-compatible store. Such a store cannot rename. So an export is made in a temporary folder on this machine, and
 * uploaded when it is complete. Before anything else changes, a marker, `<manifest>.part`, is put into the store. The manifest is the last
 * object that is uploaded. Then the marker is removed. Every object carries the id of its export, so that a later export knows which
 * objects to remove.
 * @throws CrawlError USAGE, BAD_OUTPUT
 */
export async function s3Destination(
  files: TargetFiles,
  path: string,
  kind: 'file' | 'folder',
  options: S3Options,
): Promise<Destination> {
  const { bucket, key } = parseS3(path, kind);
  const store = await openS3(bucket, options);
  const under = key === '' ? '' : `${key}/`;
  const manifest = kind === 'folder' ? `${under}${MANIFEST}` : `${key}.${MANIFEST}`;
  const marker = `${manifest}.part`;
  const keyOf = (name: string): string => (kind === 'folder' ? `${under}${name}` : key);
  // Uses the number of the user, because users in some containers have no name.
  const staging = join(tmpdir(), `webcrawl-export-${process.getuid?.() ?? 'user'}-${shortHash(path)}`);
  const parts = join(staging, 'parts');
  const stagedManifest = join(staging, MANIFEST);
  await makeOwnFolder(files, staging);

  /**
   * Whether the target has any object. Objects are listed, because a listing also fails for a missing bucket. A request for one object
   * would not show that the bucket is missing.
   */
  async function isTaken(): Promise<boolean> {
    for await (const found of store.list(kind === 'folder' ? under : key)) {
      if (kind === 'folder' || [key, manifest, marker].includes(found)) return true;
    }
    return false;
  }

  async function check(force: boolean): Promise<void> {
    if (!(await isTaken())) return;
    const [whole, begun] = await Promise.all([manifest, marker].map((name) => idAt(store, name)));
    // If manifest and marker have the same id, the export was interrupted after its last upload. So only the marker must be removed.
    if (whole !== undefined && whole === begun) await store.remove(marker);
    if (whole === undefined && begun === undefined) {
      throw new CrawlError('BAD_OUTPUT', `${path} has other objects, not an export`, {
        hint: '--force replaces only the objects of an export; remove these objects, or name another target',
      });
    }
    // A marker without a manifest is left from an interrupted upload, which may be replaced without `force`.
    if (!force && whole !== undefined) throw thereAlready(path);
  }

  /** Puts the marker at the target. @returns the ids of the exports to replace */
  async function begin(id: string): Promise<readonly string[]> {
    const begun = (await store.head(marker))?.metadata ?? {};
    const before = [await idAt(store, manifest), begun[NOTES.id], ...(begun[NOTES.replaces] ?? '').split(',')];
    // The metadata of a store can hold 40 ids. If more exports were interrupted one after another, the objects of the others are not removed.
    const replaced = [...new Set(before.filter((found) => found !== undefined && found !== '' && found !== id))].slice(
      0,
      40,
    ) as string[];
    await store.put(marker, 'This export is not complete yet.\n', {
      [NOTES.id]: id,
      [NOTES.replaces]: replaced.join(),
    });
    return replaced;
  }

  /**
   * Checks that no other export to the target has begun after this export. A marker does not show whether its export was interrupted or
   * still runs on another machine. If two exports run at the same time, the one that began later is written, and the other fails.
   * @throws CrawlError BAD_OUTPUT when another export has begun
   */
  async function mustBeLatest(id: string): Promise<void> {
    if ((await idAt(store, marker)) === id) return;
    throw new CrawlError('BAD_OUTPUT', `another export to ${path} has begun since this one began`, {
      hint: 'wait until it has ended; then the same command with --force replaces the objects of both',
    });
  }

  /** Removes the objects of replaced exports only. */
  async function removeReplaced(replaced: readonly string[]): Promise<void> {
    if (replaced.length === 0 || kind === 'file') return;
    await inParallel(store.list(under), UPLOADS_AT_ONCE, async (found) => {
      const id = await idAt(store, found);
      if (id !== undefined && replaced.includes(id)) await store.remove(found);
    });
  }

  return {
    path,
    staging,
    parts,
    stagedManifest,
    name: basename(key),
    check,
    settle: () => Promise.resolve(),
    async place(head: ManifestHead, whole: () => AsyncIterable<WholePart>) {
      const id = shortHash(JSON.stringify(head));
      const replaced = await begin(id);
      // The manifest is removed first, because it must not describe objects that are replaced.
      await store.remove(manifest);
      await inParallel(whole(), UPLOADS_AT_ONCE, ({ name, bytes }) =>
        store.upload(keyOf(name), join(parts, name), bytes, { [NOTES.id]: id }),
      );
      await mustBeLatest(id);
      await removeReplaced(replaced);
      const { size } = await files.stat(stagedManifest);
      await store.upload(manifest, stagedManifest, size, { [NOTES.id]: id });
      await store.remove(marker);
    },
    close: () => store.close(),
  };
}

async function idAt(store: S3Store, key: string): Promise<string | undefined> {
  return (await store.head(key))?.metadata[NOTES.id];
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Makes a folder with a predictable name, in a folder that other users may write to. Fails if the new folder belongs to another user. */
async function makeOwnFolder(files: TargetFiles, path: string): Promise<void> {
  await files.mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  const found = await files.lstat(path);
  if (found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid())) return;
  throw new CrawlError('BAD_OUTPUT', `expected a folder of this user at ${path}, found something else`, {
    hint: 'remove it, or set TMPDIR to a folder of your own',
  });
}
