import { withWorkFolder } from '../../graph/index.js';
import type { CrawlContext, Report } from '../../jobs/index.js';
import type { ExportSizes } from '../pages/sizes.js';
import { checkSelection, selectedRows, selectionIdentity, type ExportSelection } from '../pages/selected-rows.js';
import { partOfShard, shardName } from '../pages/shard-part.js';
import type { Part } from '../target/part-file.js';
import { runExport, type ExportOptions } from '../target/run-export.js';
import type { Target } from '../target/target.js';
import { uncounted } from '../target/uncounted.js';
import { ARCHIVE_FIELDS } from './page-records.js';
import { sortedLines } from './sorted-lines.js';
import { writeArchive, type Archive } from './write-archive.js';

/** What {@link exportWarc} and `exportWacz` take. */
export interface ExportArchiveOptions extends ExportOptions, ExportSelection {
  /** Bytes of a WARC file; a page whose records are more together is in one alone. Default: 1 GB. */
  readonly fileBytes?: number;
}

/** The index over all files of a folder. */
const INDEX = 'index.cdxj';

/**
 * Writes the selected pages into a folder of WARC 1.1 files, each record a gzip member, with a CDXJ index over all of them that
 * is sorted by its bytes. The records are those of the table: answers with their headers as received, bodies with their codings
 * undone, and digests; of a page whose last answer was 304 a `revisit`; and `metadata` with title, language and links. The same rows
 * give the same bytes. See `writeTarget` for what becomes of the output, also when it is killed.
 *
 * Counters: those of every export; selected, pages, responses, revisits, metadata (records), no_body, lost_body, lost_versions,
 * damaged.
 * @param sizes only tests need others than the defaults
 * @throws CrawlError USAGE, BAD_URL for a selection that is wrong; BAD_OUTPUT, STORE_FULL
 */
export function exportWarc(
  crawl: CrawlContext,
  options: ExportArchiveOptions,
  sizes?: Pick<ExportSizes, 'checkpoint'>,
): Promise<Report> {
  const format = { name: 'warc', kind: 'folder', sizes } as const;
  return exportArchive(crawl, options, format, async (target, { linesPath }, workFolder) => {
    const index = await target.part(INDEX);
    for await (const line of sortedLines(linesPath, workFolder)) {
      options.signal?.throwIfAborted();
      await index.write(Buffer.from(line));
    }
    await index.end();
  });
}

/** What the formats of an archive differ in. */
export interface ArchiveFormat {
  readonly name: string;
  readonly kind: 'file' | 'folder';
  /** Of a file: what its name may end in. */
  readonly endings?: readonly string[];
  /** Where a WARC file goes. Default: into the target. */
  readonly begin?: (target: Target, name: string) => Promise<Part>;
  readonly sizes?: Pick<ExportSizes, 'checkpoint'> | undefined;
}

/**
 * Writes the files of an archive, and then what goes with them.
 * @param complete is called when all records are written, and again where it was ended by a kill; it takes an existing folder for what
 *   is sorted
 */
export async function exportArchive(
  crawl: CrawlContext,
  options: ExportArchiveOptions,
  { name, kind, endings, begin, sizes }: ArchiveFormat,
  complete: (target: Target, archive: Archive, workFolder: string) => Promise<void>,
): Promise<Report> {
  const { fileBytes, limit, shard } = options;
  const ruled = await checkSelection(crawl, options);
  const part = await partOfShard(crawl, options, { ending: '' });
  const identity = { export: name, fileBytes, selection: selectionIdentity(options), ...part.identity };
  return runExport(
    crawl,
    `export ${name}`,
    { ...options, output: part.output },
    { kind, endings, identity, total: limit },
    async (target, tracker) => {
      const rowsOf = (from: Pick<Target, 'resumed' | 'kept'>) =>
        selectedRows(ruled, { ...options, ...part }, ['status', ...ARCHIVE_FIELDS], from, uncounted(tracker));
      const toFile = begin && ((file: string) => begin(target, file));
      const archive = await writeArchive(crawl, target, rowsOf, {
        fileBytes,
        // Programs that read all archives together know a file by its name alone.
        ...(shard && { name: `webcrawl-${shardName(shard)}` }),
        begin: toFile,
        tracker,
        sizes,
      });
      if (archive === 'stopped') return archive;
      await withWorkFolder(target.scratchFolder, (folder) => complete(target, archive, folder));
      return {};
    },
  );
}
