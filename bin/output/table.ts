import { oneLine } from './output.js';

type Rows = readonly (readonly string[])[];
interface TableOptions {
  readonly indent?: string;
  /** The last column is shortened, so that the table fits a terminal with this number of columns. */
  readonly columns?: number;
  /** Headings of columns that are left out, one after the other, while the last column has to be shortened. */
  readonly spare?: readonly string[];
}

const MIN_LAST_COLUMN_CHARACTERS = 12;

/** Aligns columns by spaces. Each cell is made safe for a terminal. */
export function table(rows: Rows, { indent = '', columns, spare = [] }: TableOptions = {}): string {
  const safe = rows.map((row) => row.map(oneLine));
  const cells = columns === undefined ? safe : fitted(safe, columns, spare);
  const widths = widthsOf(cells);
  return cells
    .map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join('  '))
    .map((line) => `${indent}${line.trimEnd()}\n`)
    .join('');
}

function fitted(rows: Rows, columns: number, [heading, ...spare]: readonly string[]): Rows {
  const widths = widthsOf(rows.map((row) => row.slice(0, -1)));
  const left = Math.max(MIN_LAST_COLUMN_CHARACTERS, columns - widths.reduce((sum, width) => sum + width + 2, 0) - 1);
  const at = heading === undefined ? -1 : rows[0]!.indexOf(heading);
  if (at >= 0 && rows.some((row) => row.at(-1)!.length > left)) {
    const others = rows.map((row) => row.toSpliced(at, 1));
    return fitted(others, columns, spare);
  }
  return rows.map((row) => [...row.slice(0, -1), shortened(row.at(-1) ?? '', left)]);
}

function widthsOf(rows: Rows): number[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return widths;
}

export function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
