import { join } from 'node:path';
import { chunked, recordGroups, type CrawlContext, type Tracker } from '../../core/index.js';
import { createRecordSorter, type RecordSorter } from '../../scan/index.js';
import type { Part } from '../target/part-file.js';
import type { Target } from '../target/target.js';
import { cdxjLine } from './cdxj.js';
import { fileHead, pageRecords, type ArchiveRecord, type ArchiveRow } from './page-records.js';
import { pageLine } from './page-list.js';

export interface ArchiveOptions {
  /** Maximum number of bytes of a file. A page with larger records gets a separate file. Default: 1 GB. */
  readonly fileBytes?: number | undefined;
  /** Begins a file. Default: in the target. */
  readonly begin?: ((name: string) => Promise<Part>) | undefined;
  /**
   * The tracker that gets the counters, and says when to stop. Counters: selected (processed rows); pages in the archive; responses,
   * revisits, answers (redirects and errors) and metadata, which are records; no_body (rows without any record); lost_body and
   * lost_versions (pages whose body is lost, and lost earlier bodies); damaged (rows that cannot be read in full).
   */
  readonly tracker: Pick<Tracker, 'aborted' | 'count' | 'done'>;
  readonly folder: string;
}

/** Maximum number of rows whose bodies are read together, and maximum bytes of these bodies as they are stored. */
const [CHUNK, MAX_BYTES] = [100, 262_144];
const FILE_BYTES = 1_000_000_000;
/** Bytes of memory to sort the lines of the index. */
const SORT_BYTES = 16 * 2 ** 20;
const PAGES_FILE = 'pages.jsonl';

export interface Archive {
  readonly files: readonly string[];
  readonly pages: number;
  readonly latest: string;
  /** The lines of the index, each with its line break. */
  readonly lines: RecordSorter;
  readonly pagesPath: string;
}

function fileName(number: number): string {
  return `webcrawl-${String(number).padStart(5, '0')}.warc.gz`;
}

/**
 * Writes the records of rows into WARC files, and collects the data for an index.
 * @param rows in key order
 * @returns `stopped` when the tracker is aborted
 * @throws CrawlError STORE_FULL, BAD_OUTPUT
 */
export async function writeArchive(
  { tables }: Pick<CrawlContext, 'tables'>,
  target: Target,
  rows: AsyncIterable<ArchiveRow>,
  { fileBytes = FILE_BYTES, begin = (name) => target.part(name), tracker, folder }: ArchiveOptions,
): Promise<Archive | 'stopped'> {
  const { count } = tracker;
  const files: string[] = [];
  let latest = '';
  let pages = 0;
  const lines = createRecordSorter({ folder, memory: SORT_BYTES });
  const list = await target.scratch(PAGES_FILE);
  let file: Part | undefined;

  for await (const chunk of chunked(rows, CHUNK)) {
    for (const group of recordGroups(chunk, MAX_BYTES, (row) => [row.contentLocation])) {
      const written = await pageRecords(tables, group);
      for (const [i, row] of group.entries()) {
        const { records, lostVersions, isLost } = written[i]!;
        if (row.damaged) count('damaged');
        if (isLost) count('lost_body');
        else if (records.length === 0) count('no_body');
        if (records.length > 0) await addPage(row, records);
        count('lost_versions', lostVersions);
      }
      count('selected', group.length);
      tracker.done(group.length);
    }
  }
  if (tracker.aborted) return 'stopped';
  for (const part of [file, list]) await part?.end();
  return { files, pages, latest, lines, pagesPath: join(target.scratchFolder, PAGES_FILE) };

  async function addPage(row: ArchiveRow, records: readonly ArchiveRecord[]): Promise<void> {
    const bytes = records.reduce((sum, { member }) => sum + member.length, 0);
    if (file && file.bytes + bytes > fileBytes) {
      await file.end();
      file = undefined;
    }
    const filename = file ? files.at(-1)! : fileName(files.length);
    if (!file) {
      file = await begin(filename);
      files.push(filename);
      await file.write(await fileHead(filename, records[0]!));
    }
    for (const record of records) {
      const offset = file.bytes;
      const { length } = record.member;
      await file.write(record.member);
      const line = cdxjLine(record, { filename, offset, length });
      if (line !== undefined) await lines.add(Buffer.from(line));
      note(record);
    }
    await file.write('', 1);
    const line = pageLine(row, records);
    if (line !== undefined) await list.write(line);
    pages += 1;
    count('pages');
  }

  function note({ headers, isFromRow }: ArchiveRecord): void {
    const type = headers.get('warc-type');
    count(isFromRow ? 'answers' : type === 'revisit' ? 'revisits' : type === 'metadata' ? 'metadata' : 'responses');
    const date = headers.get('warc-date') ?? '';
    if (date > latest) latest = date;
  }
}
