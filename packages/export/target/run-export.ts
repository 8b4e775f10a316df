import { createTracker, type CrawlContext, type JobOptions, type Report, type Tracker } from '../../jobs/index.js';
import type { JsonValue } from '../../../webtable/index.js';
import { VERSION } from '../../util/index.js';
import { checkEnding } from './file-name.js';
import { checkOutside } from './outside.js';
import { writeTarget, type Target, type TargetResult } from './target.js';

/** Where an export goes. */
export interface ExportOptions extends JobOptions {
  /**
   * The file or folder that is made, `s3://bucket/key` for one in a store of the kind of S3, or `-` for standard output where the
   * format is one file.
   */
  readonly output: string;
  /** Replaces an earlier export there, when this one is whole. Default: false. */
  readonly force?: boolean;
  /** Takes the data of the output `-`. */
  readonly stdout?: (data: Uint8Array) => Promise<void>;
}

/** What an export makes. */
export interface ExportKind {
  readonly kind: 'file' | 'folder';
  /** Of a file: the endings of known formats that its name may have, see {@link checkEnding}. Absent: any. */
  readonly endings?: readonly string[] | undefined;
  /** Format, selection and options, plain JSON: where they differ nothing of an earlier run is kept. */
  readonly identity: Readonly<Record<string, JsonValue | undefined>>;
  /** Rows at the most, where that is known. */
  readonly total?: number | undefined;
}

/**
 * Runs an export as a job: it is watched, counts, and returns a report.
 *
 * Counters: rows, parts and bytes of the export; kept_rows, kept_parts and kept_bytes of these were made by an earlier run that
 * was ended; uploaded_bytes of this run; and what `write` counts, which the manifest has, too.
 * @param write writes the parts, and calls `tracker.done` for its rows; `stopped` once the tracker is aborted
 * @throws CrawlError as `writeTarget`; USAGE for a name that is one of another kind
 */
export async function runExport(
  crawl: CrawlContext,
  job: string,
  { output, force = false, stdout, ...options }: ExportOptions,
  { kind, endings, identity, total }: ExportKind,
  write: (target: Target, tracker: Tracker) => Promise<TargetResult>,
): Promise<Report> {
  const tracker = createTracker(crawl, job, options, total === undefined ? {} : { total });
  const { clock, tables } = crawl;
  await checkOutside(tables, output);
  const allowed = kind === 'folder' ? [] : endings;
  if (allowed && typeof output === 'string') checkEnding(output, allowed);
  const written = await writeTarget(
    output,
    {
      kind,
      identity,
      // Another table has other rows, and another version may write other bytes.
      origin: output === '-' ? null : { table: await tables.id(), version: VERSION },
      force,
      clock,
      signal: options.signal,
      onUpload(bytes) {
        tracker.count('uploaded_bytes', bytes);
        tracker.done(0);
      },
      ...(stdout && { stdout }),
    },
    async (target) => {
      tracker.done(target.kept.rows);
      const result = await write(target, tracker);
      return result === 'stopped' ? result : { ...result, counters: inOrder(tracker.progress().counters) };
    },
  );
  tracker.add((written.finished?.['counters'] ?? {}) as Record<string, number>);
  const { rows, parts, bytes, kept } = written;
  tracker.count('rows', rows);
  tracker.count('parts', parts);
  tracker.count('bytes', bytes);
  tracker.count('kept_rows', kept.rows);
  tracker.count('kept_parts', kept.parts);
  tracker.count('kept_bytes', kept.bytes);
  return tracker.report();
}

/** By name: a run that goes on counts first what the one before has counted, and its manifest is to be the same. */
function inOrder(counters: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counters).sort(([a], [b]) => (a < b ? -1 : 1)));
}
