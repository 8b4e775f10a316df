import { join } from 'node:path';
import { onDisk } from '../../scan/index.js';
import type { Destination } from './destination.js';
import { DISK, kindOf, syncFile, type TargetFiles } from './files.js';
import { takeLock } from './lock.js';
import { MANIFEST, createPartList, writeManifest, type ManifestHead, type Totals } from './manifest.js';
import { openPart, type PartFile } from './part-file.js';
import { diskDestination } from './disk-destination.js';
import { s3Destination } from './s3/s3-destination.js';
import { isS3 } from './s3/s3-url.js';
import type { TargetOptions } from './target.js';

export type Staging = Awaited<ReturnType<typeof createStaging>>;

type StagingOptions = Pick<TargetOptions, 'kind' | 'files' | 'signal' | 'onUpload'> & { readonly force: boolean };

const LIST = 'parts.jsonl';
const SCRATCH = 'scratch';
/** Names that only earlier versions of this program have left in the staging folder. */
const EARLIER = ['uploaded', 'journal'];
/**
 * The names in the order of their removal. The manifest is removed first: a manifest without a part would mean that the part is at the
 * target already. The list is removed late, because it shows that a run was interrupted.
 */
const STAGED = [MANIFEST, 'replaced', 'parts', SCRATCH, LIST, ...EARLIER];

/**
 * Begins an export, and removes the files of an interrupted one.
 * @throws CrawlError USAGE, BAD_OUTPUT, STORE_FULL; Stopped
 */
export async function openStaging(path: string, options: StagingOptions) {
  const { kind, force, files = DISK } = options;
  return onDisk(path, async () => {
    const to = isS3(path) ? await s3Destination(files, path, kind, options) : diskDestination(files, path, kind);
    let unlock: (() => Promise<void>) | undefined;
    try {
      unlock = await takeLock(files, to.staging, path);
      await to.settle();
      const restarted = (await kindOf(files, join(to.staging, LIST))) !== undefined;
      await clear(files, to);
      await to.check(force);
      return await createStaging(files, to, { unlock, force, restarted });
    } catch (error) {
      await release(files, to, unlock);
      throw error;
    }
  });
}

async function createStaging(
  files: TargetFiles,
  to: Destination,
  {
    unlock,
    force,
    restarted,
  }: { readonly unlock: () => Promise<void>; readonly force: boolean; readonly restarted: boolean },
) {
  const { path, parts, staging, name } = to;
  const scratchFolder = join(staging, SCRATCH);
  await files.mkdir(parts, { recursive: true });
  const list = await createPartList(files, join(staging, LIST));
  const open = new Set<PartFile>();

  async function begin(folder: string, name: string): Promise<PartFile> {
    const part: PartFile = await openPart(files, join(folder, name), name, async (whole) => {
      open.delete(part);
      if (folder === parts) await list.add(whole);
    });
    open.add(part);
    return part;
  }

  return {
    name,
    /** Whether an earlier export to the target was interrupted. If so, the files of that export were removed. */
    restarted,
    scratchFolder,
    part: (name: string): Promise<PartFile> => onDisk(path, () => begin(parts, name)),
    scratch: (name: string): Promise<PartFile> => onDisk(path, () => begin(scratchFolder, name)),
    commit: (head: ManifestHead): Promise<Readonly<Totals>> =>
      onDisk(path, async () => {
        for (const part of [...open]) await part.end();
        for await (const { name } of list.read()) await syncFile(files, join(parts, name));
        await writeManifest(files, to.stagedManifest, head, list.totals, list.read());
        await to.check(force);
        await to.place(head, () => list.read(), force);
        return list.totals;
      }),
    async [Symbol.asyncDispose](): Promise<void> {
      // Complete parts are closed already. Unfinished ones are removed, even if closing them fails.
      await Promise.allSettled([...open, list].map((each) => each.close()));
      try {
        await onDisk(path, async () => {
          await to.settle();
          await clear(files, to);
        });
      } finally {
        await release(files, to, unlock);
      }
    },
  };
}

/** Removes staged files, but no file of another program. */
async function clear(files: TargetFiles, { staging }: Destination): Promise<void> {
  for (const name of STAGED) await files.rm(join(staging, name), { recursive: true, force: true });
}

async function release(files: TargetFiles, to: Destination, unlock: (() => Promise<void>) | undefined): Promise<void> {
  to.close();
  if (!unlock) return;
  await unlock();
  await files.rmdir(to.staging).catch(() => undefined);
}
