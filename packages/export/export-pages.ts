import type { Field, PageRow } from '../../webtable/index.js';
import type { Settings } from '../../config/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { DUMP_FIELDS, type CrawlContext, type Report, type Tracker } from '../jobs/index.js';
import { pageDump, type PageDump, type PageField } from './pages/computed-fields.js';
import { csvRecord, looksLikeFormula } from './pages/csv.js';
import { writeHostFiles } from './pages/host-files.js';
import { columnsOf, typeOfColumn } from './pages/page-columns.js';
import { loadParquet } from './pages/parquet-file.js';
import { writeParquet } from './pages/parquet-files.js';
import { SIZES, type ExportSizes } from './pages/sizes.js';
import { checkSelection, selectedRows, selectionIdentity, type ExportSelection } from './pages/selected-rows.js';
import { writeText } from './pages/text-file.js';
import { runExport, type ExportOptions } from './target/run-export.js';
import type { Target, TargetResult } from './target/target.js';

/** The formats of {@link exportPages}. */
export const PAGE_FORMATS = ['jsonl', 'csv', 'parquet', 'hosts'] as const;

/** A format of {@link exportPages}. */
export type PageFormat = (typeof PAGE_FORMATS)[number];

/** What {@link exportPages} takes. */
export interface ExportPagesOptions extends ExportOptions, ExportSelection {
  /**
   * `jsonl` and `csv` are one file, compressed where its name ends in `.gz`; `parquet` is one where its name ends in `.parquet`,
   * else a folder of files; `hosts` is a folder with a JSON Lines file per host. Default: by the name, else `jsonl`.
   */
  readonly format?: PageFormat;
  /** What of a page, stored or computed; key, url and status are always there. Default: `DUMP_FIELDS`. */
  readonly fields?: readonly PageField[];
}

/**
 * Exports pages, in key order. See `writeTarget` for what becomes of the output, also when it is killed.
 *
 * Counters: those of every export; damaged, lost_body; formulas: cells of CSV that a spreadsheet may take for one.
 * @throws CrawlError USAGE, BAD_URL for a selection that is wrong; USAGE where a package is missing; BAD_OUTPUT, STORE_FULL
 */
export async function exportPages(
  crawl: CrawlContext,
  options: ExportPagesOptions,
  sizes: ExportSizes = SIZES,
): Promise<Report> {
  const { output, fields = DUMP_FIELDS, limit } = options;
  const format = options.format ?? formatOf(output);
  if (!PAGE_FORMATS.includes(format)) {
    throw new CrawlError(
      'USAGE',
      `expected a format of ${PAGE_FORMATS.join(', ')}, found ${safeText(String(format), 80)}`,
    );
  }
  checkSelection(crawl, options);
  const isFolder = format === 'hosts' || (format === 'parquet' && output !== '-' && !output.endsWith('.parquet'));
  const { reads } = await pageDump(crawl.settings, fields);
  const write = await WRITERS[format](fields, { output, isFolder, sizes, settings: crawl.settings });
  return runExport(
    crawl,
    'export',
    options,
    {
      kind: isFolder ? 'folder' : 'file',
      identity: { export: 'pages', format, fields, selection: selectionIdentity(options) },
      total: limit,
    },
    (target, tracker) => {
      return write(target, selectedRows(crawl, options, ['status', ...reads], target, tracker), tracker);
    },
  );
}

/** The format that a name speaks of. */
function formatOf(output: string): PageFormat {
  const [, ending] = /\.(csv|parquet)(?:\.gz)?$/.exec(output) ?? [];
  return ending === 'csv' || ending === 'parquet' ? ending : 'jsonl';
}

interface Output {
  readonly output: string;
  readonly isFolder: boolean;
  readonly sizes: ExportSizes;
  readonly settings: Settings;
}
type Write = (target: Target, rows: AsyncIterable<PageRow<Field>>, tracker: Tracker) => Promise<TargetResult>;

/** By format, what writes it; it finds out what is missing before anything is written. */
const WRITERS: Readonly<Record<PageFormat, (fields: readonly PageField[], output: Output) => Promise<Write>>> = {
  jsonl: async (fields, { output, sizes, settings }) => {
    const format = { head: '', record: jsonLine(await pageDump(settings, fields)) };
    return (target, rows, tracker) =>
      writeText(target, output, rows, format, { gzip: output.endsWith('.gz'), tracker, sizes });
  },
  csv: async (fields, { output, sizes, settings }) => {
    const { dump } = await pageDump(settings, fields);
    const columns = columnsOf(fields);
    return (target, rows, tracker) => {
      const record = (row: PageRow<Field>): string => {
        const page = dump(row);
        const values = columns.map((column) => page[column]);
        tracker.count('formulas', values.filter(looksLikeFormula).length);
        return csvRecord(values);
      };
      const format = { head: csvRecord(columns), record };
      return writeText(target, output, rows, format, { gzip: output.endsWith('.gz'), tracker, sizes });
    };
  },
  parquet: async (fields, { output, isFolder, sizes, settings }) => {
    if (output.endsWith('.gz')) {
      throw new CrawlError('USAGE', 'expected a name for Parquet without .gz', {
        hint: 'Parquet is compressed in itself, and read in pieces',
      });
    }
    const parquet = await loadParquet();
    const columns = columnsOf(fields).map((name) => ({ name, type: typeOfColumn(name) }));
    // Bytes stay bytes there.
    const { dump } = await pageDump(
      settings,
      fields.filter((field) => field !== 'content'),
    );
    return (target, rows, tracker) => writeParquet(target, rows, { parquet, columns, dump, tracker, isFolder, sizes });
  },
  hosts: async (fields, { sizes, settings }) => {
    const line = jsonLine(await pageDump(settings, fields));
    return (target, rows, tracker) => writeHostFiles(target, rows, line, { tracker, sizes });
  },
};

function jsonLine({ dump }: PageDump): (row: PageRow<Field>) => string {
  return (row) => `${JSON.stringify(dump(row))}\n`;
}
