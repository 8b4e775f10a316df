import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { onDisk } from '../../graph/index.js';
import type { Destination } from './destination.js';
import { DISK, type TargetFiles } from './files.js';
import {
  SCRATCH,
  openJournal,
  readJournal,
  wholePartsOf,
  type JournalState,
  type ManifestHead,
  type OpenPart,
  type WholePart,
} from './journal.js';
import { takeLock, type Lock } from './lock.js';
import { SMALL_PART, hashFile, openPart, type PartFile } from './part-file.js';
import { diskDestination } from './place.js';
import { s3Destination } from './s3/s3-destination.js';
import { isS3 } from './s3/s3-url.js';
import { MANIFEST, writeManifest } from './manifest.js';
import type { Target, Totals } from './target.js';

/** An export that is being made beside its target. */
export interface Staging extends Target {
  /** The name of the part of an export that is one file. */
  readonly name: string;
  /**
   * What the manifest of an earlier run begins with, which was ended after all parts were whole; by now the target is in its place.
   * Absent: the parts have to be written.
   */
  readonly finished?: ManifestHead;
  /** Puts the target in its place. */
  commit(head: ManifestHead): Promise<Totals>;
  /** Lets others write to the target. What was checkpointed stays for another run, unless it is committed. */
  close(): Promise<void>;
}

/** What {@link openStaging} takes. */
export interface StagingOptions {
  readonly kind: 'file' | 'folder';
  readonly identity: JsonValue;
  readonly force: boolean;
  readonly files?: TargetFiles;
  /** Ends an upload. */
  readonly signal?: AbortSignal | undefined;
  /** Is called for bytes that were uploaded. */
  readonly onUpload?: ((bytes: number) => void) | undefined;
}

/** What the work on a staging goes by. */
interface Stage extends StagingOptions {
  readonly files: TargetFiles;
  readonly to: Destination;
  readonly lock: Lock;
}

/**
 * Begins an export, or goes on with one of the same identity that was ended.
 * @throws CrawlError USAGE, BAD_OUTPUT, STORE_FULL; Stopped
 */
export async function openStaging(path: string, options: StagingOptions): Promise<Staging> {
  const { kind, force, files = DISK } = options;
  return onDisk(path, async () => {
    const to = await destinationOf(path, kind, options);
    const lock = await takeLock(files, to.staging, path).catch((error: unknown) => {
      to.close();
      throw error;
    });
    const stage = { ...options, files, to, lock };
    try {
      const earlier = await earlierRun(stage);
      if (earlier?.commit) return finishedStaging(stage, earlier.commit);
      await to.check(force);
      if (!earlier) await clear(files, to);
      return await createStaging(stage, earlier);
    } catch (error) {
      await release(stage, { isEmpty: true });
      throw error;
    }
  });
}

async function destinationOf(
  path: string,
  kind: 'file' | 'folder',
  { files = DISK, ...options }: StagingOptions,
): Promise<Destination> {
  return isS3(path) ? s3Destination(files, path, kind, options) : diskDestination(files, path, kind);
}

/** Lets others write to the target. @param isEmpty nothing is to stay of what is staged, unless an earlier run has left it */
async function release({ files, to, lock }: Stage, { isEmpty }: { readonly isEmpty: boolean }): Promise<void> {
  to.close();
  await lock.release();
  if (isEmpty) await files.rmdir(to.staging).catch(() => undefined);
}

/** What is left of an earlier run that can be used. One that was about to end is brought to its end, whatever it was. */
async function earlierRun(stage: Stage): Promise<JournalState | undefined> {
  const { files, to, kind, identity, force } = stage;
  const state = await readJournal(files, to.staging);
  if (!state) return undefined;
  const isSame = state.kind === kind && isDeepStrictEqual(state.identity, identity);
  if (state.commit) {
    const from = state.kind === kind ? to : await destinationOf(to.path, state.kind, stage);
    try {
      // Who replaces an export that is in its place wants a new one, and not to hear of the old.
      const isOld = force && (await from.isPlaced());
      // A power failure may take names, and small parts, which become safe after the journal has them as whole.
      const isGood =
        !isOld &&
        ((await from.isStaged()) ? await areWhole(files, from, partsOf(files, from.staging)) : await from.exists());
      if (isGood) await finish({ ...stage, to: from }, state.commit);
      // It may have been removed since.
      if (isGood && isSame && (await to.exists())) return state;
    } finally {
      if (from !== to) from.close();
    }
    await clear(files, to);
    return undefined;
  }
  if (!isSame || !(await areWhole(files, to, wholePartsOf(files, to.staging), state.open))) return undefined;
  for (const name of state.begun) {
    if (!state.open.some((part) => part.name === name)) await files.rm(join(to.parts, name), { force: true });
  }
  return state;
}

/** Puts an export in its place of which all parts are whole. It may be ended between any two steps and done again. */
async function finish({ files, to, force }: Pick<Stage, 'files' | 'to' | 'force'>, head: ManifestHead): Promise<void> {
  const parts = (): AsyncIterable<WholePart> => partsOf(files, to.staging);
  if (await to.isStaged()) {
    for await (const { name, bytes } of parts()) {
      if (bytes < SMALL_PART) await syncFile(files, join(to.parts, name));
    }
    await writeManifest(files, to.stagedManifest, head, await totalsOf(parts()), parts());
  }
  await to.place(force, head, parts);
}

function scratchFolderOf({ parts }: Destination): string {
  return join(parts, SCRATCH);
}

/** The whole parts that are for the target. */
async function* partsOf(files: TargetFiles, staging: string): AsyncGenerator<WholePart> {
  for await (const part of wholePartsOf(files, staging)) if (!part.name.startsWith(SCRATCH)) yield part;
}

/** Whether all that a journal names is there: a power failure may take what was written last. */
async function areWhole(
  files: TargetFiles,
  { parts }: Destination,
  whole: AsyncIterable<WholePart>,
  open: readonly OpenPart[] = [],
): Promise<boolean> {
  for await (const { name, bytes, sha256 } of whole) {
    const path = join(parts, name);
    if ((await sizeOf(files, path)) !== bytes) return false;
    if (bytes >= SMALL_PART) continue;
    const hash = createHash('sha256');
    await hashFile(files, path, hash, bytes);
    if (hash.digest('hex') !== sha256) return false;
  }
  for (const { name, bytes } of open) if (!((await sizeOf(files, join(parts, name))) >= bytes)) return false;
  return true;
}

async function sizeOf(files: TargetFiles, path: string): Promise<number> {
  return files.stat(path).then(
    ({ size }) => size,
    () => NaN,
  );
}

/** All that an export puts into its folder beside locks; the journal last, since it says what the rest is. */
const STAGED = ['parts', 'scratch', 'replaced', 'uploaded', MANIFEST, 'journal'];

/** Removes what is staged, and nothing that somebody else has put there. */
async function clear(files: TargetFiles, { staging }: Destination): Promise<void> {
  for (const name of STAGED) await files.rm(join(staging, name), { recursive: true, force: true });
}

/** Of an export that needed only to be put in its place. */
function finishedStaging(stage: Stage, finished: ManifestHead): Staging {
  const { files, to } = stage;
  const notNow = (): never => {
    throw new CrawlError('INTERNAL', 'expected nothing more of an export that is finished');
  };
  return {
    finished,
    name: to.name,
    kept: { parts: 0, rows: 0, bytes: 0 },
    wholeParts: () => wholePartsOf(files, to.staging),
    part: notNow,
    scratch: notNow,
    scratchPath: notNow,
    scratchFolder: scratchFolderOf(to),
    checkpoint: notNow,
    commit: () => totalsOf(partsOf(files, to.staging)),
    async close() {
      await clear(files, to);
      await release(stage, { isEmpty: true });
    },
  };
}

async function createStaging(stage: Stage, earlier: JournalState | undefined): Promise<Staging> {
  const { files, to, kind, identity, force } = stage;
  const { path, staging, parts } = to;
  await files.mkdir(parts, { recursive: true });
  const left = new Map((earlier?.open ?? []).map((part) => [part.name, part]));
  const kept = await totalsOf(earlier ? partsOf(files, staging) : [], left.values());
  const journal = await openJournal(files, staging, earlier ? undefined : { kind, identity });
  const open = new Map<string, PartFile>();
  let done: WholePart[] = [];
  let isKept = earlier?.checkpoint !== undefined;

  async function part(name: string): Promise<PartFile> {
    const from = left.get(name) ?? { name, rows: 0, bytes: 0 };
    left.delete(name);
    await journal.begin(name);
    const begun = await openPart(files, join(parts, name), from, (whole) => {
      open.delete(name);
      done.push(whole);
    });
    open.set(name, begun);
    return begun;
  }

  return {
    name: to.name,
    kept,
    ...(earlier?.checkpoint && { resumed: earlier.checkpoint }),
    wholeParts: () => wholePartsOf(files, staging),
    part: (name) => onDisk(path, () => part(name)),
    scratch: (name) => onDisk(path, () => part(`${SCRATCH}${name}`)),
    scratchPath: (name) => join(parts, `${SCRATCH}${name}`),
    scratchFolder: scratchFolderOf(to),
    async checkpoint(at = {}) {
      for (const part of open.values()) await part.flush(true);
      const opened = [...open.values()].map(({ name, rows, bytes }) => ({ name, rows, bytes }));
      await onDisk(path, () => journal.checkpoint(done, [...opened, ...left.values()], at));
      done = [];
      isKept = true;
    },
    commit: (head) =>
      onDisk(path, async () => {
        for (const name of left.keys()) throw new CrawlError('INTERNAL', `expected the part ${name} to be ended`);
        for (const part of [...open.values()]) await part.end();
        await to.check(force);
        isKept = true;
        await journal.commit(done, head);
        const totals = await totalsOf(partsOf(files, staging));
        await finish(stage, head);
        isKept = false;
        return totals;
      }),
    async close() {
      for (const part of open.values()) await part.close();
      await journal.close();
      if (!isKept) await clear(files, to);
      await release(stage, { isEmpty: !isKept });
    },
  };
}

async function totalsOf(
  whole: AsyncIterable<WholePart> | readonly WholePart[],
  open: Iterable<OpenPart> = [],
): Promise<Totals> {
  const totals = { parts: 0, rows: 0, bytes: 0 };
  const add = ({ rows, bytes }: OpenPart): void => {
    totals.rows += rows;
    totals.bytes += bytes;
  };
  for (const part of open) if (!part.name.startsWith(SCRATCH)) add(part);
  for await (const part of whole) {
    totals.parts += 1;
    add(part);
  }
  return totals;
}

async function syncFile(files: TargetFiles, path: string): Promise<void> {
  await using handle = await files.open(path, 'r+');
  await handle.sync();
}
