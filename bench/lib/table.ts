import type { Spread } from './rounds.js';

/** A column of a table: the key of its cells, its heading, and the number of digits after the point. */
export interface Column {
  readonly key: string;
  readonly head: string;
  readonly digits?: number;
}

/** Cells by key: a text, a number, or a spread, shown as its median with its range. Absent: a dash. */
export type Row = Readonly<Record<string, string | number | Spread | undefined>>;

/** The table as lines for a terminal. The first column is aligned to the left, the others to the right. */
export function formatTable(columns: readonly Column[], rows: readonly Row[]): string {
  const cells = [columns.map(({ head }) => head), ...rows.map((row) => columns.map((column) => cell(row, column)))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]!.length)));
  const lines = cells.map((line) =>
    line.map((text, i) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join('  '),
  );
  lines.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '));
  return lines.join('\n');
}

function cell(row: Row, { key, digits = 0 }: Column): string {
  const value = row[key];
  if (value === undefined) return '–';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatNumber(value, digits);
  const { median, min, max } = value;
  if (min === max) return formatNumber(median, digits);
  return `${formatNumber(median, digits)} [${formatNumber(min, digits)}–${formatNumber(max, digits)}]`;
}

/** `12,345.6`; a dash for NaN. */
export function formatNumber(value: number, digits: number): string {
  if (!Number.isFinite(value)) return '–';
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
