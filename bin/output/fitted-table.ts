import { table } from './output.js';

/** Columns that the last cell has at least. */
const LEAST = 12;

/** Rows as a table of which the last column is shortened, so that it fits a terminal of so many columns. */
export function fittedTable(rows: readonly (readonly string[])[], columns: number): string {
  const widths: number[] = [];
  for (const row of rows) row.slice(0, -1).forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  const left = Math.max(LEAST, columns - widths.reduce((sum, width) => sum + width + 2, 0) - 1);
  return table(rows.map((row) => [...row.slice(0, -1), shortened(row.at(-1) ?? '', left)]));
}

/** A text of at most so many characters, with `…` where something was cut. */
export function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
