import {
  createTracker,
  type JobContext,
  type JobOptions,
  type Report,
  type Tracker,
  type JsonValue,
} from '../../core/index.js';
import { checkEnding } from './file-name.js';
import { checkOutside } from './outside.js';
import { writeTarget, type Target, type TargetResult } from './target.js';

/** Options for the target of an export. */
export interface ExportOptions extends JobOptions {
  /** The file or folder to make, `s3://bucket/key` for an S3-compatible store, or `-` for standard output if the format is one file. */
  readonly output: string;
  /** Replace an earlier export at the output, when this export is complete. Default: false. */
  readonly force?: boolean;
  /** Called with the data of the output `-`. */
  readonly stdout?: (data: Uint8Array) => Promise<void>;
}

interface ExportKind {
  readonly kind: 'file' | 'folder';
  /** The known endings that the name of a file may have, see {@link checkEnding}. Absent: all endings are allowed. */
  readonly endings?: readonly string[] | undefined;
  /** Format, selection and options as plain JSON, for the start of the manifest. */
  readonly about: Readonly<Record<string, JsonValue | undefined>>;
  readonly total?: number | undefined;
}

/**
 * Runs an export as a job, with visible progress, counters and a report.
 *
 * Counters: rows, parts and bytes of the export; uploaded_bytes; restarted, which is 1 if an earlier export to this target was interrupted;
 * and the counters of `write`, which are also in the manifest.
 * @param write writes the parts, and calls `tracker.done` for the rows; returns `stopped` once the tracker is aborted. `began` is the time in
 * the manifest
 * @throws CrawlError as `writeTarget`; USAGE for a name whose ending is of another format
 */
export async function runExport(
  crawl: JobContext,
  job: string,
  { output, force = false, stdout, ...options }: ExportOptions,
  { kind, endings, about, total }: ExportKind,
  write: (target: Target, tracker: Tracker, began: number) => Promise<TargetResult>,
): Promise<Report> {
  const tracker = createTracker(crawl, job, options, total === undefined ? {} : { total });
  const { clock, tables } = crawl;
  const began = clock();
  await checkOutside(tables, output);
  const allowed = kind === 'folder' ? [] : endings;
  if (allowed && typeof output === 'string') checkEnding(output, allowed);
  const written = await writeTarget(
    output,
    {
      kind,
      about,
      force,
      began,
      clock,
      signal: options.signal,
      onUpload(bytes) {
        tracker.count('uploaded_bytes', bytes);
        tracker.done(0);
      },
      ...(stdout && { stdout }),
    },
    async (target) => {
      const result = await write(target, tracker, began);
      return result === 'stopped' ? result : { ...result, counters: tracker.progress().counters };
    },
  );
  const { rows, parts, bytes, restarted } = written;
  tracker.count('rows', rows);
  tracker.count('parts', parts);
  tracker.count('bytes', bytes);
  tracker.count('restarted', Number(restarted));
  return tracker.report();
}
