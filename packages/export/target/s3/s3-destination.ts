import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CrawlError } from '../../../errors/index.js';
import type { Destination } from '../destination.js';
import { codeOf, kindOf, thereAlready, type TargetFiles } from '../files.js';
import type { ManifestHead, WholePart } from '../journal.js';
import { MANIFEST } from '../manifest.js';
import { openS3, type S3Options, type S3Store } from './s3-store.js';
import { parseS3 } from './s3-url.js';

/** Files that are uploaded at the same time; a large one is so by itself. */
const TOGETHER = 4;

/** What an export notes at its objects: which one it is, the SHA-256, and at the marker the ids of what it replaces. */
const NOTES = { id: 'webcrawl-export', sha256: 'webcrawl-sha256', replaces: 'webcrawl-replaces' } as const;

/**
 * A place in a store of the kind of S3. Nothing is renamed there, so an export is made on this machine, in a folder for temporary
 * files, and uploaded when it is whole. A marker, `<manifest>.part`, is there before anything else changes and until the manifest is,
 * which comes last. Every object carries the id of its export, by which a later one knows what it may keep, and what to remove.
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
  // The user by number: in some containers it has no name.
  const staging = join(tmpdir(), `webcrawl-export-${process.getuid?.() ?? 'user'}-${shortHash(path)}`);
  const parts = join(staging, 'parts');
  const stagedManifest = join(staging, MANIFEST);
  await makeOwnFolder(files, staging);

  /** Whether anything is there. It finds out about a bucket that is missing, which a single object does not say. */
  async function isTaken(): Promise<boolean> {
    for await (const found of store.list(kind === 'folder' ? under : key)) {
      if (kind === 'folder' || [key, manifest, marker].includes(found)) return true;
    }
    return false;
  }

  async function check(force: boolean): Promise<void> {
    if (!(await isTaken())) return;
    const ids = await Promise.all([manifest, marker].map((name) => idAt(store, name)));
    if (ids.every((id) => id === undefined)) {
      throw new CrawlError('BAD_OUTPUT', `expected an export or nothing at ${path}, found other objects`, {
        hint: '--force replaces only what an export has put there; remove them, or name another place',
      });
    }
    if (force) return;
    if (ids[1] === undefined) throw thereAlready(path);
    throw new CrawlError('BAD_OUTPUT', `expected nothing at ${path}, found an export that is not all there`, {
      hint: 'run the command again that was ended, where it ran; or --force replaces it',
    });
  }

  /** Puts the marker there; says which exports are replaced, and whether a run before has begun to upload this one. */
  async function begin(id: string, force: boolean): Promise<{ replaced: readonly string[]; isBegun: boolean }> {
    const begun = await store.head(marker);
    if (begun?.notes[NOTES.id] === id) return { replaced: replacedBy(begun.notes), isBegun: true };
    await check(force);
    const before = [await idAt(store, manifest), begun?.notes[NOTES.id], ...replacedBy(begun?.notes ?? {})];
    // As many as a store takes; those of more exports that were ended, one on the other, stay as they are.
    const replaced = [...new Set(before.filter((found) => found !== undefined && found !== id))].slice(
      0,
      40,
    ) as string[];
    await store.put(marker, 'This export is not all there yet.\n', {
      [NOTES.id]: id,
      [NOTES.replaces]: replaced.join(),
    });
    return { replaced, isBegun: false };
  }

  async function upload({ name, bytes, sha256 }: WholePart, id: string, isBegun: boolean): Promise<void> {
    const to = keyOf(name);
    const found = isBegun ? await store.head(to) : undefined;
    if (found?.bytes === bytes && found.notes[NOTES.id] === id && found.notes[NOTES.sha256] === sha256) return;
    await store.upload(to, join(parts, name), bytes, { [NOTES.id]: id, [NOTES.sha256]: sha256 });
  }

  /** Removes the objects of exports that are replaced, and no others. */
  async function removeReplaced(replaced: readonly string[]): Promise<void> {
    if (replaced.length === 0 || kind === 'file') return;
    await each(store.list(under), async (found) => {
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
    isStaged: async () => (await kindOf(files, parts)) !== undefined,
    isPlaced: async () => (await kindOf(files, parts)) === undefined,
    exists: async () => (await idAt(store, manifest)) !== undefined,
    async place(force: boolean, head: ManifestHead, whole: () => AsyncIterable<WholePart>) {
      if ((await kindOf(files, parts)) === undefined) return;
      const id = shortHash(JSON.stringify(head));
      if ((await idAt(store, manifest)) !== id) {
        const { replaced, isBegun } = await begin(id, force);
        // A manifest that speaks of what is replaced now would be worse than none.
        await store.remove(manifest);
        await each(whole(), (part) => upload(part, id, isBegun));
        await removeReplaced(replaced);
        const { size } = await files.stat(stagedManifest);
        await store.upload(manifest, stagedManifest, size, { [NOTES.id]: id });
      }
      await store.remove(marker);
      await files.rename(parts, join(staging, 'uploaded'));
    },
    close: () => store.close(),
  };
}

async function idAt(store: S3Store, key: string): Promise<string | undefined> {
  return (await store.head(key))?.notes[NOTES.id];
}

function replacedBy(notes: Readonly<Record<string, string>>): readonly string[] {
  return (notes[NOTES.replaces] ?? '').split(',').filter((id) => id !== '');
}

/** Runs a task for each, some at the same time; after the first that fails no other is begun. */
async function each<T>(items: AsyncIterable<T>, task: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); !next.done && failures.length === 0; next = await iterator.next()) {
        await task(next.value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
  if (failures.length > 0) throw failures[0];
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Makes a folder of a known name where others may write, too: it must not be theirs. */
async function makeOwnFolder(files: TargetFiles, path: string): Promise<void> {
  await files.mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  const found = await files.lstat(path);
  if (found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid())) return;
  throw new CrawlError('BAD_OUTPUT', `expected a folder of this user at ${path}, found another`, {
    hint: 'remove it, or set TMPDIR to a folder of your own',
  });
}
