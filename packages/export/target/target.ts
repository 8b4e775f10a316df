import { tmpdir } from 'node:os';
import type { JsonValue } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { VERSION } from '../../util/index.js';
import { isStop, type TargetFiles } from './files.js';
import type { Checkpoint, ManifestHead, WholePart } from './journal.js';
import type { Part } from './part-file.js';
import { openStaging, type Staging } from './staging.js';

/** Sums over the parts of an export. */
export interface Totals {
  parts: number;
  rows: number;
  bytes: number;
}

/** Where an export writes its parts, and what it finds there of an earlier run that was ended. */
export interface Target {
  /**
   * How far an earlier run has got; the export goes on behind that. Its whole parts stay as they are, and those that were
   * open go on at {@link part} where that checkpoint left them. Absent: it begins.
   */
  readonly resumed?: Checkpoint;
  /** What is kept of that run. Parts that are open count with their rows and bytes only. */
  readonly kept: Readonly<Totals>;
  /** The parts that were whole at the last checkpoint, in the order in which they became so. */
  wholeParts(): AsyncIterable<WholePart>;
  /**
   * Begins a part, or goes on with one.
   * @param name relative to the target, with `/` between folders; of a target that is a file it does not matter
   * @throws CrawlError STORE_FULL, BAD_OUTPUT
   */
  part(name: string): Promise<Part>;
  /**
   * As {@link part}, for what is needed only while the export is made: it is kept by checkpoints as a part is, is in no sum, and goes
   * with the staging at the end. Standard output has none.
   */
  scratch(name: string): Promise<Part>;
  /** Where a scratch part of this name is. What was written is there after its end, or a checkpoint. */
  scratchPath(name: string): string;
  /** A folder for what only this run needs; it may have to be made. On standard output that of the system for temporary files. */
  readonly scratchFolder: string;
  /**
   * Makes all that was written safe, and notes how far the export has got. A run that is killed goes on from here. For the same
   * bytes in the end, how often this is called may depend on rows and bytes, and never on time.
   * @throws CrawlError STORE_FULL, BAD_OUTPUT
   */
  checkpoint(at?: Checkpoint): Promise<void>;
}

/** What {@link writeTarget} takes. */
export interface TargetOptions {
  /** Whether the format makes one file or a folder of them. */
  readonly kind: 'file' | 'folder';
  /**
   * What is exported: format, selection, options; plain JSON. Where an earlier run to the same target had another one, nothing
   * of it is kept. The manifest begins with it.
   */
  readonly identity: Readonly<Record<string, JsonValue | undefined>>;
  /** Replaces an earlier export at the target, at the end. Default: false. */
  readonly force?: boolean;
  /** Takes the data of the target `-`. */
  readonly stdout?: (data: Uint8Array) => Promise<void>;
  /** What an earlier run must have in common, too, so that what it has made is kept; plain JSON. The manifest does not have it. */
  readonly origin?: JsonValue;
  /** Ends an upload, and what throws its reason; the export is not complete then. */
  readonly signal?: AbortSignal | undefined;
  /** Is called for bytes that were uploaded. */
  readonly onUpload?: ((bytes: number) => void) | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The disk. Default: `node:fs/promises`. */
  readonly files?: TargetFiles;
}

/** What became of an export. */
export interface WrittenTarget extends Readonly<Totals> {
  /** What was kept of an earlier run. */
  readonly kept: Readonly<Totals>;
  /** false: it was stopped, and the same call goes on from the last checkpoint. */
  readonly complete: boolean;
  /** What the manifest begins with, of an earlier run that was ended when all was written. Absent: all was written now. */
  readonly finished?: ManifestHead;
}

/** What the work on a target returns: what the manifest says besides, or `stopped` where it was asked to stop. */
export type TargetResult = Readonly<Record<string, JsonValue>> | 'stopped';

/**
 * Writes an export. All is made in a folder beside the target, `.<name>.part`, and put in its place at the end, with a manifest:
 * `manifest.json` in a folder, `<name>.manifest.json` beside a file. It may be killed at any moment and run again: what the last
 * checkpoint has is kept. Two at a time to one target are refused. `-` is standard output, with nothing beside it. `s3://bucket/key`
 * is uploaded at the end, the manifest last.
 * @param write writes the parts; it is not called where an earlier run was ended after that. Where it throws the reason of the signal, it
 *   was stopped
 * @throws CrawlError USAGE for an empty path; BAD_OUTPUT where the target is there and `force` is not given, is of the other kind, cannot be written or is
 *   being written by another; STORE_FULL; USAGE for a folder on standard output. The target is as it was then
 */
export async function writeTarget(
  path: string,
  options: TargetOptions,
  write: (target: Target) => Promise<TargetResult>,
): Promise<WrittenTarget> {
  const { kind, force = false, clock, files, signal, onUpload, origin = null } = options;
  if (typeof path !== 'string' || path === '') {
    throw new CrawlError('USAGE', 'expected a path as output, found none', { hint: '- is standard output' });
  }
  const identity = JSON.parse(JSON.stringify(options.identity)) as Record<string, JsonValue>;
  if (path === '-') return writeStream(options, write);
  const began = new Date(clock()).toISOString();
  let kept: Readonly<Totals> = { parts: 0, rows: 0, bytes: 0 };
  let staging: Staging | undefined;
  try {
    staging = await openStaging(path, {
      kind,
      force,
      identity: { ...identity, origin },
      signal,
      onUpload,
      ...(files && { files }),
    });
    kept = staging.kept;
    const { finished } = staging;
    if (finished) return { ...(await staging.commit({})), kept, complete: true, finished };
    const { name } = staging;
    const target: Target = kind === 'folder' ? staging : { ...staging, part: () => staging!.part(name) };
    const result = await write(target);
    if (result === 'stopped') return { ...kept, kept, complete: false };
    const head = { webcrawl: VERSION, ...identity, ...result, began, ended: new Date(clock()).toISOString() };
    return { ...(await staging.commit(head)), kept, complete: true };
  } catch (error) {
    if (isStop(error, signal)) return { ...kept, kept, complete: false };
    throw error;
  } finally {
    await staging?.close();
  }
}

/** To standard output: nothing is kept and nothing replaced. */
async function writeStream(
  { kind, stdout, signal }: TargetOptions,
  write: (target: Target) => Promise<TargetResult>,
): Promise<WrittenTarget> {
  if (kind === 'folder') {
    throw new CrawlError('USAGE', 'expected a path for an export of many files, found - for standard output', {
      hint: 'name a folder, or take a format of one file',
    });
  }
  if (!stdout) {
    throw new CrawlError('USAGE', 'expected stdout, which takes the data of the output -, found none', {
      hint: 'give a function as stdout, or a path as output',
    });
  }
  const kept = { parts: 0, rows: 0, bytes: 0 };
  const totals = { ...kept };
  const part: Part = {
    name: '-',
    get rows() {
      return totals.rows;
    },
    get bytes() {
      return totals.bytes;
    },
    async write(data, rows = 0) {
      const piece = typeof data === 'string' ? Buffer.from(data) : data;
      totals.rows += rows;
      totals.bytes += piece.byteLength;
      await stdout(piece);
    },
    end() {
      totals.parts = 1;
      return Promise.resolve();
    },
  };
  const notToStream = (): never => {
    throw new CrawlError('USAGE', 'expected a path for an export of this format, found - for standard output');
  };
  const result = await write({
    kept,
    async *wholeParts() {},
    part: () => Promise.resolve(part),
    scratch: notToStream,
    scratchPath: notToStream,
    scratchFolder: tmpdir(),
    checkpoint: () => Promise.resolve(),
  }).catch((error: unknown) => {
    if (isStop(error, signal)) return 'stopped' as const;
    throw error;
  });
  return { ...totals, kept, complete: result !== 'stopped' };
}
