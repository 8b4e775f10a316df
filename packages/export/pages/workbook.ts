import type * as Fflate from 'fflate';
import { optionalPackage } from '../../errors/index.js';
import { loadFflate } from '../../util/index.js';
import type { Tracker, Field, PageRow } from '../../core/index.js';
import type { Part } from '../target/part-file.js';
import type { Target, TargetResult } from '../target/target.js';
import type { PageLines } from './page-lines.js';
import type { ColumnType, TypedColumn } from './page-columns.js';

/** Maximum number of lines in a sheet, including its head. A longer list continues in the next sheet. */
const MAX_LINES = 1_048_576;
/** Maximum number of characters in a sheet. So a sheet stays below 4 GiB, the limit of a ZIP without extensions. */
const MAX_SHEET = 2 ** 30;
const MAX_CELL_CHARACTERS = 32_767;
const CHUNK_CHARACTERS = 262_144;
const DAYS_BEFORE_1970 = 25_569;
const DAY = 86_400_000;

export interface SheetOptions {
  readonly name?: string;
  /** Maximum number of lines of a sheet, including its head, and of characters. Default: the limits of Excel and ZIP. */
  readonly lines?: number;
  readonly characters?: number;
}

/**
 * Loads the writer of Excel workbooks (Office Open XML). The head of a sheet stays visible. Numbers are stored as numbers, times as times
 * in UTC, and texts as texts, so that no text becomes a formula. Values that are too long for a cell are cut, and `onCut` is called. Memory
 * is bounded.
 * @throws CrawlError MISSING_PACKAGE if fflate is missing. The hint is the command that installs it
 */
export async function loadWorkbook() {
  const { Zip, ZipDeflate } = (await optionalPackage('fflate', 'XLSX', loadFflate)) as typeof Fflate;
  return (
    part: Pick<Part, 'write'>,
    columns: readonly TypedColumn[],
    onCut: () => void,
    { name = 'Pages', lines: maxLines = MAX_LINES, characters = MAX_SHEET }: SheetOptions = {},
  ) => {
    const encoder = new TextEncoder();
    let ready: Uint8Array[] = [];
    const zip = new Zip((error, data) => {
      // Compression runs in this thread, so this throw reaches the caller.
      if (error) throw error;
      ready.push(data);
    });
    const begin = (path: string) => {
      const entry = new ZipDeflate(path);
      // A ZIP has no time zone. This date is made in local time, so the file is the same in every zone.
      entry.mtime = new Date(1980, 0, 2);
      zip.add(entry);
      return (text: string, isLast = false): void => entry.push(encoder.encode(text), isLast);
    };
    const flush = async (): Promise<void> => {
      const pieces = ready;
      ready = [];
      for (const piece of pieces) await part.write(piece);
    };
    let sheets = 0;
    let lines = 0;
    /** Number of characters of the sheet that were compressed. */
    let written = 0;
    let text = '';
    let sheet = nextSheet();

    function nextSheet(): ReturnType<typeof begin> {
      sheets += 1;
      lines = 1;
      written = 0;
      text = sheetHead(columns);
      return begin(`xl/worksheets/sheet${sheets}.xml`);
    }
    function endSheet(): void {
      sheet(`${text}</sheetData></worksheet>`, true);
      text = '';
    }

    return {
      async add(values: readonly unknown[]): Promise<void> {
        if (lines >= maxLines || written + text.length >= characters) {
          endSheet();
          sheet = nextSheet();
        }
        text += `<row>${values.map((value, i) => cellOf(value, columns[i]!.type, onCut)).join('')}</row>`;
        lines += 1;
        if (text.length < CHUNK_CHARACTERS) return;
        sheet(text);
        written += text.length;
        text = '';
        await flush();
      },
      async end(): Promise<void> {
        endSheet();
        for (const [path, xml] of Object.entries(partsOf(sheets, name))) begin(path)(xml, true);
        zip.end();
        await flush();
      },
    };
  };
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const FONT = '<sz val="11"/><name val="Calibri"/>';
const PLAIN = 'fillId="0" borderId="0"';
const STYLES = { time: 1, head: 2 } as const;

/**
 * All parts of the workbook except the sheets, by path.
 * @param name the name of the first sheet, without characters that XML escapes
 */
function partsOf(sheets: number, name: string): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: sheets }, (_, i) => i + 1);
  const each = (make: (n: number) => string): string => numbers.map(make).join('');
  return {
    'xl/styles.xml':
      `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>` +
      `<fonts count="2"><font>${FONT}</font><font><b/>${FONT}</font></fonts>` +
      '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
      `<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" ${PLAIN}/></cellStyleXfs><cellXfs count="3">` +
      `<xf numFmtId="0" fontId="0" ${PLAIN} xfId="0"/><xf numFmtId="164" fontId="0" ${PLAIN} xfId="0" applyNumberFormat="1"/>` +
      `<xf numFmtId="0" fontId="1" ${PLAIN} xfId="0" applyFont="1"/></cellXfs>` +
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
    'xl/workbook.xml':
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>` +
      `${each((n) => `<sheet name="${name}${n === 1 ? '' : ` ${n}`}" sheetId="${n}" r:id="r${n}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
      `${each((n) => `<Relationship Id="r${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}` +
      `<Relationship Id="styles" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    '_rels/.rels':
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
      `<Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    '[Content_Types].xml':
      `${XML}<Types xmlns="${PACKAGE}/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/>` +
      `<Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/>` +
      `${each((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${CONTENT}.worksheet+xml"/>`)}</Types>`,
  };
}

function sheetHead(columns: readonly TypedColumn[]): string {
  const widths = columns.map(
    ({ name, type }, i) => `<col min="${i + 1}" max="${i + 1}" width="${widthOf(name, type)}"/>`,
  );
  const head = columns.map(({ name }) => textCell(name, ` s="${STYLES.head}"`));
  return (
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols>${widths.join('')}</cols><sheetData><row>${head.join('')}</row>`
  );
}

function widthOf(name: string, type: ColumnType): number {
  if (/^(?:url|source|target|redirectTarget|duplicateOf)$/.test(name)) return 60;
  return type === 'STRING' || type === 'JSON' || type === 'TIMESTAMP' ? 20 : 12;
}

function cellOf(value: unknown, type: ColumnType, onCut: () => void): string {
  if (value === undefined || value === null) return '<c/>';
  if (typeof value === 'number' && Number.isFinite(value)) {
    return type === 'TIMESTAMP'
      ? `<c s="${STYLES.time}"><v>${value / DAY + DAYS_BEFORE_1970}</v></c>`
      : `<c><v>${value}</v></c>`;
  }
  if (typeof value === 'boolean') return `<c t="b"><v>${Number(value)}</v></c>`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= MAX_CELL_CHARACTERS) return textCell(text);
  onCut();
  return textCell(`${text.slice(0, MAX_CELL_CHARACTERS - 1)}…`);
}

/**
 * Characters that XML cannot hold become U+FFFD. Encoding does the same to unpaired surrogates. A text that a spreadsheet would read as an
 * escaped character is written so that it stays unchanged.
 */
function textCell(text: string, style = ''): string {
  const safe = text
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replace(/[&<>\r]/g, (char) => ESCAPES[char]!);
  return `<c t="inlineStr"${style}><is><t xml:space="preserve">${safe}</t></is></c>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

interface PagesAsWorkbook {
  readonly make: Awaited<ReturnType<typeof loadWorkbook>>;
  readonly columns: readonly TypedColumn[];
  readonly lines: PageLines['lines'];
  readonly tracker: Pick<Tracker, 'aborted' | 'count' | 'done'>;
  readonly onLine: () => void;
}

export async function writeWorkbook(
  target: Target,
  name: string,
  rows: AsyncIterable<PageRow<Field>>,
  { make, columns, lines, tracker, onLine }: PagesAsWorkbook,
): Promise<TargetResult> {
  const part = await target.part(name);
  const workbook = make(part, columns, () => tracker.count('cut_cells'));
  for await (const row of rows) {
    for (const line of lines(row, tracker.count)) {
      await workbook.add(columns.map(({ name: column }) => line[column]));
      onLine();
    }
    await part.write('', 1);
    tracker.done();
  }
  if (tracker.aborted) return 'stopped';
  await workbook.end();
  await part.end();
  return {};
}
