import { withWorkFolder } from '../../scan/index.js';
import type { JobContext, Report } from '../../core/index.js';
import { checkSelection, selectedRows, aboutSelection, type ExportSelection } from '../pages/selected-rows.js';
import type { Part } from '../target/part-file.js';
import { runExport, type ExportOptions } from '../target/run-export.js';
import type { Target } from '../target/target.js';
import { uncounted } from '../target/uncounted.js';
import { ARCHIVE_FIELDS } from './page-records.js';
import { writeArchive, type Archive } from './write-archive.js';

/** Options of {@link exportWarc} and `exportWacz`. */
export interface ExportArchiveOptions extends ExportOptions, ExportSelection {
  /** Maximum number of bytes of a WARC file. A page with larger records gets a separate file. Default: 1 GB. */
  readonly fileBytes?: number;
}

const FOLDER_INDEX = 'index.cdxj';

/**
 * Writes the selected pages into a folder of WARC 1.1 files. Each record is a gzip member. A CDXJ index over all files is sorted by its
 * bytes. The records come from the table: responses with their headers as received, bodies without content codings, and digests; a
 * `revisit` for a page whose last response was 304; `metadata` with title, language and links; and for redirects and errors a `response`
 * made from the row, with status and `Location`. The same rows give the same bytes. `writeTarget` describes the output, and what happens
 * after a kill. Counters: those of every export; selected, pages, responses, revisits, answers, metadata (records), no_body, lost_body,
 * lost_versions, damaged.
 * @throws CrawlError USAGE, BAD_URL for a wrong selection; BAD_OUTPUT, STORE_FULL
 */
export function exportWarc(crawl: JobContext, options: ExportArchiveOptions): Promise<Report> {
  const format = { name: 'warc', kind: 'folder' } as const;
  return exportArchive(crawl, options, format, async (target, { lines }) => {
    const index = await target.part(FOLDER_INDEX);
    for await (const line of lines.sorted()) {
      options.signal?.throwIfAborted();
      await index.write(Buffer.from(line));
    }
    await index.end();
  });
}

interface ArchiveFormat {
  readonly name: string;
  readonly kind: 'file' | 'folder';
  readonly endings?: readonly string[];
  /** Begins a WARC file. Default: in the target. */
  readonly begin?: (target: Target, name: string) => Promise<Part>;
}

/**
 * Writes the files of an archive, and then other files, such as the index.
 * @param complete called when all records are written
 */
export async function exportArchive(
  crawl: JobContext,
  options: ExportArchiveOptions,
  { name, kind, endings, begin }: ArchiveFormat,
  complete: (target: Target, archive: Archive) => Promise<void>,
): Promise<Report> {
  const { fileBytes, limit } = options;
  const rules = await checkSelection(crawl, options);
  const about = { export: name, fileBytes, selection: aboutSelection(crawl, options) };
  return runExport(crawl, `export ${name}`, options, { kind, endings, about, total: limit }, (target, tracker) =>
    withWorkFolder(target.scratchFolder, async (folder) => {
      const rows = selectedRows(crawl, rules, options, ARCHIVE_FIELDS, uncounted(tracker));
      const toFile = begin && ((file: string) => begin(target, file));
      const archive = await writeArchive(crawl, target, rows, { fileBytes, begin: toFile, tracker, folder });
      if (archive === 'stopped') return archive;
      await complete(target, archive);
      return {};
    }),
  );
}
