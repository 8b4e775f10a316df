import { tmpdir } from 'node:os';
import type { JsonValue } from '../../core/index.js';
import { CrawlError } from '../../errors/index.js';
import { VERSION } from '../../util/index.js';
import { isStop, type TargetFiles } from './files.js';
import type { Totals } from './manifest.js';
import type { Part } from './part-file.js';
import type { S3Options } from './s3/s3-store.js';
import { openStaging } from './staging.js';

export interface Target {
  /**
   * @param name path relative to the target, with `/` between folders; the name is ignored if the target is a file
   * @throws CrawlError STORE_FULL, BAD_OUTPUT
   */
  part(name: string): Promise<Part>;
  /**
   * Begins a file in {@link scratchFolder}, for data that is needed only during the export. The file is not counted in any total, and is
   * removed with the staging folder. An export to standard output has no such files.
   */
  scratch(name: string): Promise<Part>;
  /**
   * A folder for temporary files of this run. The folder may not exist yet. When the export goes to standard output, this is the temporary
   * folder of the system.
   */
  readonly scratchFolder: string;
}

export interface TargetOptions extends S3Options {
  readonly kind: 'file' | 'folder';
  /** A description of the export: format, selection, options; plain JSON. The manifest begins with it. */
  readonly about: Readonly<Record<string, JsonValue | undefined>>;
  /** Replace an earlier export at the target when this export is complete. Default: false. */
  readonly force?: boolean;
  /** Called with the data of the target `-`. */
  readonly stdout?: (data: Uint8Array) => Promise<void>;
  /** When the export began, in ms since the epoch, for the manifest. Default: now. */
  readonly began?: number;
  readonly clock: () => number;
  readonly files?: TargetFiles | undefined;
}

export interface WrittenTarget extends Readonly<Totals> {
  /** false: the export was stopped, and nothing was placed at the target. */
  readonly complete: boolean;
  /** Whether an earlier export to this target was interrupted. If so, this export started over. */
  readonly restarted: boolean;
}

/** The result of the function that writes a target: more fields of the manifest, or `stopped` if the export was stopped. */
export type TargetResult = Readonly<Record<string, JsonValue>> | 'stopped';

/**
 * Writes an export. The export is prepared in a folder beside the target, `.<name>.part`, and moved to the target at the end. Each export
 * has a manifest: `manifest.json` in a folder, `<name>.manifest.json` beside a file. The process may be killed at any moment, and run
 * again: it then starts over, and removes the files of the killed run. A second run to the same target at the same time is refused. `-`
 * means standard output, without a manifest. An export to `s3://bucket/key` is uploaded at the end, the manifest last.
 * @param write writes the parts. If `write` throws the reason of the signal, the export counts as stopped
 * @throws CrawlError USAGE for an empty path; BAD_OUTPUT when the target exists and `force` is not given, is a folder and not a file or the
 * reverse, cannot be written, or is being written by another process; STORE_FULL; USAGE for a folder on standard output. After an error the
 * target is unchanged
 */
export async function writeTarget(
  path: string,
  options: TargetOptions,
  write: (target: Target) => Promise<TargetResult>,
): Promise<WrittenTarget> {
  const { kind, about, force = false, clock, files, signal, onUpload } = options;
  if (typeof path !== 'string' || path === '') {
    throw new CrawlError('USAGE', 'expected a path as output, found none', { hint: '- is standard output' });
  }
  if (path === '-') return writeStream(options, write);
  const began = new Date(options.began ?? clock()).toISOString();
  const nothing = { parts: 0, rows: 0, bytes: 0, complete: false, restarted: false };
  try {
    await using staging = await openStaging(path, { kind, force, signal, onUpload, files });
    const { name, restarted } = staging;
    const result = await write(kind === 'folder' ? staging : { ...staging, part: () => staging.part(name) });
    if (result === 'stopped') return { ...nothing, restarted };
    const ended = new Date(clock()).toISOString();
    const given = JSON.parse(JSON.stringify(about)) as Record<string, JsonValue>;
    const totals = await staging.commit({ webcrawl: VERSION, ...given, ...result, began, ended });
    return { ...totals, complete: true, restarted };
  } catch (thrown) {
    // If the clean-up fails too, only the first failure is reported, because it tells more.
    const error = thrown instanceof Error && 'suppressed' in thrown ? thrown.suppressed : thrown;
    if (isStop(error, signal)) return nothing;
    throw error;
  }
}

/** Writes to standard output: nothing is replaced, and there is no manifest. */
async function writeStream(
  { kind, stdout, signal }: TargetOptions,
  write: (target: Target) => Promise<TargetResult>,
): Promise<WrittenTarget> {
  if (kind === 'folder') {
    throw new CrawlError('USAGE', 'expected a path for an export of many files, found - for standard output', {
      hint: 'name a folder, or use a format of one file',
    });
  }
  if (!stdout) {
    throw new CrawlError('USAGE', 'expected stdout, a function for the data of the output -, found none', {
      hint: 'give a function as stdout, or a path as output',
    });
  }
  const totals = { parts: 0, rows: 0, bytes: 0 };
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
    part: () => Promise.resolve(part),
    scratch: notToStream,
    scratchFolder: tmpdir(),
  }).catch((error: unknown) => {
    if (isStop(error, signal)) return 'stopped' as const;
    throw error;
  });
  return { ...totals, complete: result !== 'stopped', restarted: false };
}
