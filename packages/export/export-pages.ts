import type { Field, PageRow, CrawlContext, JobContext, Report, Tracker } from '../core/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { DUMP_FIELDS, type PageQuery } from '../answers/index.js';
import { needsMainContent, type PageDump, type PageField } from './pages/computed-fields.js';
import { csvRecord, looksLikeFormula } from './pages/csv.js';
import { writeHostFiles } from './pages/host-files.js';
import { columnsOf, typeOfColumn } from './pages/page-columns.js';
import { withTypes, type TypeSelection } from './pages/page-types.js';
import { DOCUMENT_FIELDS } from './stated/page-view.js';
import { pageLines, type PageLines } from './pages/page-lines.js';
import { PRESENT_FIELDS, leftOutOf, removedBy, type PresentSelection, type WhyNot } from './pages/left-out.js';
import {
  FRONT_MATTER_FIELDS,
  loadMarkdownFile,
  MARKDOWN_FILE_FIELDS,
  writeMarkdownFiles,
} from './pages/markdown-files.js';
import { loadParquet } from './pages/parquet-file.js';
import { writeParquet } from './pages/parquet-files.js';
import {
  checkSelection,
  selectedRows,
  aboutSelection,
  type ExportSelection,
  type RangedSelection,
} from './pages/selected-rows.js';
import { JSON_LINES_ENDINGS, writeText } from './pages/text-file.js';
import { writeWithSites } from './site/sites.js';
import { endingOf, isGzipName } from './target/file-name.js';
import { runExport, type ExportOptions } from './target/run-export.js';
import type { Target, TargetResult } from './target/target.js';
import { LINK_LISTS, PAGE_FORMATS, type LinkList, type PageFormat } from './pages/page-formats.js';
import { loadWorkbook, writeWorkbook } from './pages/workbook.js';

/** Options of {@link exportPages}. */
export interface ExportPagesOptions
  extends ExportOptions, ExportSelection, PresentSelection, TypeSelection, Pick<PageQuery, 'sort'> {
  /**
   * `jsonl` and `csv`: one file, compressed if its name ends in `.gz`. `xlsx`: a workbook of Excel, for people. `parquet`: one file if its
   * name ends in `.parquet`, else a folder of files. `hosts`: a folder with one JSON Lines file for each host. `markdown`: a folder with
   * one Markdown file for each page. Default: the format that the name implies, else `jsonl`.
   */
  readonly format?: PageFormat;
  /**
   * Fields to export, stored or computed. `url` and `status` are always included; `key` is included too, except with `xlsx` or `each`.
   * Default: `DUMP_FIELDS`; with `each` or `markdown`, no other fields. With `markdown`, the fields are added to the front matter, which
   * has title, url, author, published, date and language.
   */
  readonly fields?: readonly PageField[];
  /**
   * Write one line for each link of this list, and no line for a page without links: see `pageLines`. Only for `jsonl`, `csv` and `xlsx`.
   */
  readonly each?: LinkList;
}

/**
 * Exports pages in key order. By default it exports pages that exist, have no `noindex` and are no duplicates; `all` or the selection may
 * include others. With `since`, it also exports pages that are left out now, but may be in an earlier copy. For such a page, the field
 * `removed` gives the reason to remove the page from the copy. `writeTarget` describes the output, and what happens after a kill.
 *
 * Counters: those of every export; damaged (rows that cannot be read in full); lost_body (rows whose body is lost); not_there, noindex,
 * duplicate and other_type (rows that were left out); broken_json_ld: blocks of JSON-LD that computed fields skipped; field_over_limit:
 * computed fields that were left out; formulas: cells of CSV that a spreadsheet may take for a formula; cut_cells: cells of `xlsx` that
 * were too long; links: lines with `each`; no_markdown: pages without a file of `markdown`; sites_learned, sites_changed: sites whose
 * template was learned, or is of another kind than before.
 * @throws CrawlError USAGE, BAD_URL for a wrong selection; MISSING_PACKAGE; BAD_OUTPUT, STORE_FULL
 */
export async function exportPages(crawl: JobContext, options: ExportPagesOptions): Promise<Report> {
  const { each, limit } = options;
  const format = options.format ?? formatOf(options.output);
  const { fields = each !== undefined || format === 'markdown' ? [] : DUMP_FIELDS } = options;
  if (!PAGE_FORMATS.includes(format)) {
    throw new CrawlError(
      'USAGE',
      `expected a format of ${PAGE_FORMATS.join(', ')}, found ${safeText(String(format), 80)}`,
    );
  }
  if (each !== undefined && !(LINK_LISTS.includes(each) && LINE_FORMATS.has(format))) {
    const found = safeText(`${String(each)} and the format ${format}`, 80);
    throw new CrawlError(
      'USAGE',
      `expected each link of ${LINK_LISTS.join(' or ')}, as jsonl, csv or xlsx, found ${found}`,
    );
  }
  const rules = await checkSelection(crawl, options);
  const isFolder =
    ENDINGS[format].length === 0 ||
    (format === 'parquet' && options.output !== '-' && endingOf(options.output) !== 'parquet');
  // In Parquet the body is a column of bytes.
  const shown = format === 'parquet' ? fields.filter((field) => field !== 'content') : fields;
  const lineFields = format === 'markdown' ? [...new Set([...FRONT_MATTER_FIELDS, ...shown])] : shown;
  const made = await pageLines(crawl.settings, lineFields, each);
  const notShown = leftOutOf(options);
  const { type, since } = options;
  const leftOut = type === undefined ? notShown : await withTypes(type, crawl.settings, notShown);
  const removed = since !== undefined && notShown && leftOut ? removedBy(leftOut) : undefined;
  const lines = removed ? withRemoved(made.lines, removed) : made.lines;
  const columns = [...(format === 'parquet' ? columnsOf(fields) : made.columns), ...(removed ? ['removed'] : [])];
  const asked: readonly Field[] = [
    'status',
    ...made.reads,
    ...(fields.includes('content') ? (['content'] as const) : []),
    ...(removed ? PRESENT_FIELDS : []),
    ...(removed && type !== undefined ? DOCUMENT_FIELDS : []),
    ...(format === 'markdown' ? MARKDOWN_FILE_FIELDS : []),
  ];
  const { output } = options;
  const write = await WRITERS[format]({ settings: crawl.settings, columns, lines, each, output, isFolder });
  const selection: RangedSelection = {
    ...options,
    leftOut: leftOut && ((row, count) => (removed?.(row, count) ? undefined : leftOut(row, count))),
    ...(type !== undefined && { leftOutReads: DOCUMENT_FIELDS }),
  };
  return runExport(
    crawl,
    'export pages',
    options,
    {
      kind: isFolder ? 'folder' : 'file',
      endings: ENDINGS[format],
      about: {
        export: 'pages',
        format,
        fields,
        ...(each && { each }),
        ...(options.sort && { sort: options.sort }),
        ...(type !== undefined && { type }),
        selection: aboutSelection(crawl, options),
      },
      total: limit,
    },
    (target, tracker, began) =>
      writeWithSites(crawl, format === 'markdown' || needsMainContent(fields), { tracker, began }, (sites) =>
        write(target, selectedRows(crawl, rules, { ...selection, sites }, asked, tracker), tracker),
      ),
  );
}

const ENDINGS: Readonly<Record<PageFormat, readonly string[]>> = {
  jsonl: JSON_LINES_ENDINGS,
  csv: ['csv', 'txt', 'gz'],
  xlsx: ['xlsx'],
  parquet: ['parquet'],
  hosts: [],
  markdown: [],
};

const LINE_FORMATS: ReadonlySet<PageFormat> = new Set(['jsonl', 'csv', 'xlsx']);

/** Returns the format that a name implies. @throws CrawlError USAGE for a name with the ending of another format */
function formatOf(output: string): PageFormat {
  const ending = endingOf(output);
  const format = ending === undefined ? 'jsonl' : PAGE_FORMATS.find((each) => ENDINGS[each].includes(ending));
  if (format) return format;
  const found = safeText(output, 200);
  throw new CrawlError('USAGE', `expected a name that ends in .jsonl, .csv, .xlsx or .parquet, found ${found}`, {
    hint: 'the format markdown, for a folder of Markdown files, takes a name without such an ending',
  });
}

interface Output extends Pick<PageLines, 'columns' | 'lines'> {
  readonly settings: CrawlContext['settings'];
  readonly each: LinkList | undefined;
  readonly output: string;
  readonly isFolder: boolean;
}
type Write = (target: Target, rows: AsyncIterable<PageRow<Field>>, tracker: Tracker) => Promise<TargetResult>;

/** Makes the writer of each format. If a package is missing, this fails before anything is written. */
const WRITERS: Readonly<Record<PageFormat, (output: Output) => Write | Promise<Write>>> = {
  jsonl: (given) => (target, rows, tracker) => {
    const record = textOf(given, tracker, jsonLine);
    return writeText(target, given.output, rows, { head: '', record }, tracker);
  },
  csv: (given) => (target, rows, tracker) => {
    const { columns, output } = given;
    const record = textOf(given, tracker, (line) => {
      const values = columns.map((column) => line[column]);
      tracker.count('formulas', values.filter(looksLikeFormula).length);
      return csvRecord(values);
    });
    return writeText(target, output, rows, { head: csvRecord(columns), record }, tracker);
  },
  xlsx: async ({ columns, lines, each, output }) => {
    const make = await loadWorkbook();
    // A workbook is for human readers. So the URL comes first, and columns that only programs need are omitted.
    const shown = columns.filter((name) => !['key', 'readableUrl', 'damaged'].includes(name));
    const typed = shown.map((name) => ({ name, type: typeOfColumn(name) }));
    return (target, rows, tracker) => {
      const onLine = (): void => void (each && tracker.count('links'));
      return writeWorkbook(target, output, rows, { make, columns: typed, lines, tracker, onLine });
    };
  },
  parquet: async ({ columns: names, lines, output, isFolder }) => {
    if (isGzipName(output)) {
      throw new CrawlError('USAGE', 'expected a name for Parquet without .gz', {
        hint: 'a Parquet file is compressed inside, so that programs can read parts of it',
      });
    }
    const parquet = await loadParquet();
    const columns = names.map((name) => ({ name, type: typeOfColumn(name) }));
    const dump: PageDump['dump'] = (row, count) => lines(row, count)[0]!;
    return (target, rows, tracker) => writeParquet(target, rows, { parquet, columns, dump, tracker, isFolder });
  },
  hosts: (given) => (target, rows, tracker) => writeHostFiles(target, rows, textOf(given, tracker, jsonLine), tracker),
  markdown: async ({ settings, lines }) => {
    const fileOf = await loadMarkdownFile(settings);
    return (target, rows, tracker) => {
      const textOfRow = (row: PageRow<Field>) => fileOf(row, lines(row, tracker.count)[0]!, tracker.count);
      return writeMarkdownFiles(target, rows, textOfRow, tracker);
    };
  },
};

const jsonLine = (line: object): string => `${JSON.stringify(line)}\n`;

/** Adds `removed` to the lines of a page: the reason why copies have to remove the page. Without a reason, the lines stay unchanged. */
function withRemoved(lines: PageLines['lines'], removed: WhyNot): PageLines['lines'] {
  return (row, count) => {
    const reason = removed(row, count);
    const found = lines(row, count);
    return reason === undefined ? found : found.map((line) => ({ ...line, removed: reason }));
  };
}

function textOf(
  { lines, each }: Pick<Output, 'lines' | 'each'>,
  tracker: Tracker,
  write: (line: Readonly<Record<string, unknown>>) => string,
): (row: PageRow<Field>) => string {
  return (row) => {
    const found = lines(row, tracker.count);
    if (each) tracker.count('links', found.length);
    return found.length === 1 ? write(found[0]!) : found.map(write).join('');
  };
}
