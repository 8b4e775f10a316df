import { table } from './output.js';

const MIN_LAST_COLUMN_CHARACTERS = 12;

/**
 * Formats rows as a table. The last column is shortened, so that the table fits a terminal with this number of columns.
 * @param spare headings of columns that are left out, one after the other, while the last column has to be shortened
 */
export function fittedTable(
  rows: readonly (readonly string[])[],
  columns: number,
  [heading, ...spare]: readonly string[] = [],
): string {
  const widths: number[] = [];
  for (const row of rows) row.slice(0, -1).forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  const left = Math.max(MIN_LAST_COLUMN_CHARACTERS, columns - widths.reduce((sum, width) => sum + width + 2, 0) - 1);
  const at = heading === undefined ? -1 : rows[0]!.indexOf(heading);
  if (at >= 0 && rows.some((row) => row.at(-1)!.length > left)) {
    return fittedTable(
      rows.map((row) => row.toSpliced(at, 1)),
      columns,
      spare,
    );
  }
  return table(rows.map((row) => [...row.slice(0, -1), shortened(row.at(-1) ?? '', left)]));
}

export function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
