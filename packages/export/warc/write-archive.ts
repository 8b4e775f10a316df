import { bodyGroups, type JsonValue } from '../../../webtable/index.js';
import type { CrawlContext, Tracker } from '../../jobs/index.js';
import { SIZES, type ExportSizes } from '../pages/sizes.js';
import type { Part } from '../target/part-file.js';
import type { Target } from '../target/target.js';
import { cdxjLine } from './cdxj.js';
import { fileHead, pageRecords, type ArchiveRecord, type ArchiveRow } from './page-records.js';
import { pageLine } from './page-list.js';

/** How an archive is written. */
export interface ArchiveOptions {
  /** Bytes of a file; a page whose records are more together is in one alone. Default: 1 GB. */
  readonly fileBytes?: number | undefined;
  /** What the names of files begin with. Default: `webcrawl`. */
  readonly name?: string | undefined;
  /** Where a file goes. Default: into the target. */
  readonly begin?: ((name: string) => Promise<Part>) | undefined;
  /** Counts, and says when to stop. */
  readonly tracker: Tracker;
  readonly sizes?: Pick<ExportSizes, 'checkpoint'> | undefined;
}

/** What became of the rows, and the records that were written. */
export interface ArchiveCounts {
  /** Rows that are through. */
  selected: number;
  /** Pages in the archive. */
  pages: number;
  responses: number;
  revisits: number;
  metadata: number;
  /** Pages that have no body: those that were not fetched, redirect, or failed. */
  no_body: number;
  /** Pages whose body is lost, and earlier bodies that are. */
  lost_body: number;
  lost_versions: number;
  /** Rows that cannot be read in full. */
  damaged: number;
}

/** How far an archive has got; what a checkpoint remembers. */
export interface ArchiveState {
  readonly counts: ArchiveCounts;
  /** The names of the files, in order. */
  readonly files: readonly string[];
  /** The last of them is open. */
  readonly isOpen: boolean;
  /** All records are written. */
  readonly isWhole: boolean;
  /** The latest `WARC-Date`. */
  readonly latest: string;
}

const FILE_BYTES = 1_000_000_000;
/** The lines of the index, unsorted, and the list of pages: parts that are needed only meanwhile. */
const LINES = 'lines.cdxj';
const PAGES = 'pages.jsonl';

/** An archive that is written: its files, and what an index is made of. */
export interface Archive extends ArchiveState {
  /** The files of the unsorted lines of the index, and of the lines of the page list. */
  readonly linesPath: string;
  readonly pagesPath: string;
}

/** The name of a file of an archive, from 0 on. */
function fileName(name: string, number: number): string {
  return `${name}-${String(number).padStart(5, '0')}.warc.gz`;
}

/**
 * Writes the records of rows into WARC files, and notes what an index needs. It goes on where an earlier run was ended.
 * @param rowsOf the rows behind the last checkpoint of a target, of which so many are kept, in key order
 * @returns `stopped` when the tracker is aborted
 * @throws CrawlError STORE_FULL, BAD_OUTPUT
 */
export async function writeArchive(
  { tables }: Pick<CrawlContext, 'tables'>,
  target: Target,
  rowsOf: (from: Pick<Target, 'resumed' | 'kept'>) => AsyncIterable<ArchiveRow>,
  {
    fileBytes = FILE_BYTES,
    name = 'webcrawl',
    begin = (name) => target.part(name),
    tracker,
    sizes = SIZES,
  }: ArchiveOptions,
): Promise<Archive | 'stopped'> {
  const { counts } = stateOf(target);
  let { files, isOpen, isWhole, latest } = stateOf(target);
  let lastKey = target.resumed?.lastKey;
  tracker.add({ ...counts });
  if (isWhole) return archiveOf();
  const lines = await target.scratch(LINES);
  const pages = await target.scratch(PAGES);
  let file = isOpen ? await begin(files.at(-1)!) : undefined;
  let unsafe = 0;

  for await (const rows of bodyGroups(rowsOf({ ...target, kept: { ...target.kept, rows: counts.selected } }))) {
    const written = await pageRecords(tables, rows);
    for (const [i, row] of rows.entries()) {
      const { records, lostVersions } = written[i]!;
      if (row.damaged) count('damaged');
      if (!row.contentAt) count('no_body');
      else if (records.length === 0) count('lost_body');
      else await addPage(row, records);
      count('lost_versions', lostVersions);
    }
    lastKey = rows.at(-1)!.key;
    count('selected', rows.length);
    tracker.done(rows.length);
    if (unsafe >= sizes.checkpoint) await checkpoint();
  }
  if (tracker.aborted) {
    await checkpoint();
    return 'stopped';
  }
  await file?.end();
  await lines.end();
  await pages.end();
  isOpen = false;
  isWhole = true;
  await checkpoint();
  return archiveOf();

  async function addPage(row: ArchiveRow, records: readonly ArchiveRecord[]): Promise<void> {
    const bytes = records.reduce((sum, { member }) => sum + member.length, 0);
    if (file && file.bytes + bytes > fileBytes) {
      await file.end();
      file = undefined;
    }
    const filename = file ? files.at(-1)! : fileName(name, files.length);
    if (!file) {
      file = await begin(filename);
      files = [...files, filename];
      await file.write(await fileHead(filename, records[0]!));
    }
    for (const record of records) {
      const offset = file.bytes;
      const { length } = record.member;
      await file.write(record.member);
      const line = cdxjLine(record, { filename, offset, length });
      if (line !== undefined) await lines.write(line);
      note(record);
    }
    await file.write('', 1);
    const line = pageLine(row, records);
    if (line !== undefined) await pages.write(line);
    count('pages');
    unsafe += bytes;
  }

  function note({ headers }: ArchiveRecord): void {
    const type = headers.get('warc-type');
    count(type === 'revisit' ? 'revisits' : type === 'metadata' ? 'metadata' : 'responses');
    const date = headers.get('warc-date') ?? '';
    if (date > latest) latest = date;
  }

  function count(name: keyof ArchiveCounts, n = 1): void {
    counts[name] += n;
    tracker.count(name, n);
  }

  async function checkpoint(): Promise<void> {
    unsafe = 0;
    const state = { counts: { ...counts }, files, isOpen: file !== undefined && !isWhole, isWhole, latest };
    await target.checkpoint({
      ...(lastKey !== undefined && { lastKey }),
      state: state satisfies ArchiveState as JsonValue,
    });
  }

  function archiveOf(): Archive {
    const [linesPath, pagesPath] = [target.scratchPath(LINES), target.scratchPath(PAGES)];
    return { counts, files, isOpen, isWhole, latest, linesPath, pagesPath };
  }
}

function stateOf({ resumed }: Target): ArchiveState {
  const state = resumed?.state as unknown as ArchiveState | undefined;
  if (state) return { ...state, counts: { ...state.counts } };
  const counts = {
    selected: 0,
    pages: 0,
    responses: 0,
    revisits: 0,
    metadata: 0,
    no_body: 0,
    lost_body: 0,
    lost_versions: 0,
    damaged: 0,
  };
  return { counts, files: [], isOpen: false, isWhole: false, latest: '' };
}
