import type { Field, PageRow } from '../../webtable/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { DUMP_FIELDS, type CrawlContext, type Report, type Tracker } from '../jobs/index.js';
import { pageDump, type PageDump, type PageField } from './pages/computed-fields.js';
import { csvRecord, looksLikeFormula } from './pages/csv.js';
import { writeHostFiles } from './pages/host-files.js';
import { columnsOf, typeOfColumn } from './pages/page-columns.js';
import { loadParquet } from './pages/parquet-file.js';
import { writeParquet } from './pages/parquet-files.js';
import { SIZES, type ExportSizes } from './pages/sizes.js';
import { withCounters } from './pages/kept-counters.js';
import {
  checkSelection,
  selectedRows,
  selectionIdentity,
  type ExportSelection,
  type RangedSelection,
} from './pages/selected-rows.js';
import { partOfShard } from './pages/shard-part.js';
import { JSON_LINES_ENDINGS, writeText } from './pages/text-file.js';
import { endingOf } from './target/file-name.js';
import { runExport, type ExportOptions } from './target/run-export.js';
import type { Target, TargetResult } from './target/target.js';
import { PAGE_FORMATS, type PageFormat } from './pages/page-formats.js';

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
 * @throws CrawlError USAGE, BAD_URL for a selection that is wrong; MISSING_PACKAGE; BAD_OUTPUT, STORE_FULL
 */
export async function exportPages(
  crawl: CrawlContext,
  options: ExportPagesOptions,
  sizes: ExportSizes = SIZES,
): Promise<Report> {
  const { fields = DUMP_FIELDS, limit } = options;
  const format = options.format ?? formatOf(options.output);
  if (!PAGE_FORMATS.includes(format)) {
    throw new CrawlError(
      'USAGE',
      `expected a format of ${PAGE_FORMATS.join(', ')}, found ${safeText(String(format), 80)}`,
    );
  }
  const ruled = await checkSelection(crawl, options);
  const isFolder =
    format === 'hosts' || (format === 'parquet' && options.output !== '-' && endingOf(options.output) !== 'parquet');
  // Of Parquet bytes stay bytes.
  const shown = format === 'parquet' ? fields.filter((field) => field !== 'content') : fields;
  const { reads, dump } = await pageDump(crawl.settings, shown);
  const asked: readonly Field[] = ['status', ...reads, ...(fields.includes('content') ? (['content'] as const) : [])];
  const part = await partOfShard(crawl, options, {
    ending: isFolder ? '' : `.${ENDINGS[format][0]}`,
    isByHost: format === 'hosts',
  });
  const { output } = part;
  const write = await WRITERS[format]({ fields, dump, output, isFolder, sizes });
  const selection: RangedSelection = { ...options, ...part };
  return runExport(
    crawl,
    'export pages',
    { ...options, output },
    {
      kind: isFolder ? 'folder' : 'file',
      endings: ENDINGS[format],
      identity: { export: 'pages', format, fields, selection: selectionIdentity(options), ...part.identity },
      total: limit,
    },
    (given, tracker) => {
      const target = withCounters(given, tracker);
      return write(target, selectedRows(ruled, selection, asked, target, tracker), tracker);
    },
  );
}

/** By format, what the name of a file of it may end in. */
const ENDINGS: Readonly<Record<PageFormat, readonly string[]>> = {
  jsonl: JSON_LINES_ENDINGS,
  csv: ['csv', 'txt', 'gz'],
  parquet: ['parquet'],
  hosts: [],
};

/** The format that a name speaks of. */
function formatOf(output: string): PageFormat {
  const ending = endingOf(output);
  return ending === 'csv' || ending === 'parquet' ? ending : 'jsonl';
}

interface Output {
  readonly fields: readonly PageField[];
  readonly dump: PageDump['dump'];
  readonly output: string;
  readonly isFolder: boolean;
  readonly sizes: ExportSizes;
}
type Write = (target: Target, rows: AsyncIterable<PageRow<Field>>, tracker: Tracker) => Promise<TargetResult>;

/** By format, what writes it; it finds out what is missing before anything is written. */
const WRITERS: Readonly<Record<PageFormat, (output: Output) => Write | Promise<Write>>> = {
  jsonl:
    ({ dump, output, sizes }) =>
    (target, rows, tracker) => {
      const format = { head: '', record: jsonLine(dump) };
      return writeText(target, output, rows, format, { gzip: output.endsWith('.gz'), tracker, sizes });
    },
  csv: ({ fields, dump, output, sizes }) => {
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
  parquet: async ({ fields, dump, output, isFolder, sizes }) => {
    if (output.endsWith('.gz')) {
      throw new CrawlError('USAGE', 'expected a name for Parquet without .gz', {
        hint: 'Parquet is compressed in itself, and read in pieces',
      });
    }
    const parquet = await loadParquet();
    const columns = columnsOf(fields).map((name) => ({ name, type: typeOfColumn(name) }));
    return (target, rows, tracker) => writeParquet(target, rows, { parquet, columns, dump, tracker, isFolder, sizes });
  },
  hosts:
    ({ dump, sizes }) =>
    (target, rows, tracker) =>
      writeHostFiles(target, rows, jsonLine(dump), { tracker, sizes }),
};

function jsonLine(dump: PageDump['dump']): (row: PageRow<Field>) => string {
  return (row) => `${JSON.stringify(dump(row))}\n`;
}
