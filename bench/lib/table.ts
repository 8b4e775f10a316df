import type { Panel } from './chart.js';
import type { Spread } from './rounds.js';

/** A column of a table: the key of its cells, its heading, and the number of digits after the point. */
export interface Column {
  readonly key: string;
  readonly head: string;
  readonly digits?: number;
}

/** A spread is shown as its median with its range. Undefined: a dash. */
export type Cell = string | number | Spread | undefined;

export type Row = Readonly<Record<string, Cell>>;

/** A column with its figure of an item. With `better`, the picture has a panel of it, named by `panel` or else by `head`. */
export interface Figure<T> extends Omit<Column, 'key'> {
  readonly of: (item: T) => Cell;
  readonly better?: 'more' | 'less';
  readonly panel?: string;
}

export type Figures<T> = Readonly<Record<string, Figure<T>>>;

/** The columns and rows of figures of items, and the panels of the picture, with the label and colour that `bar` gives to an item. */
export function tabulate<T>(
  items: readonly T[],
  figures: Figures<T>,
  bar: (item: T) => { readonly label: string; readonly ours?: boolean },
): { readonly columns: readonly Column[]; readonly rows: readonly Row[]; readonly panels: readonly Panel[] } {
  const all = Object.entries(figures);
  return {
    columns: all.map(([key, { head, digits = 0 }]) => ({ key, head, digits })),
    rows: items.map((item) => Object.fromEntries(all.map(([key, { of }]) => [key, of(item)]))),
    panels: all.flatMap(([, { head, panel: title = head, digits = 0, better, of }]) => {
      if (!better) return [];
      const bars = items.map((item) => ({ ours: true, ...bar(item), value: of(item) as Spread | number | undefined }));
      return [{ title, digits, better, bars: bars.map(({ value = NaN, ...rest }) => ({ ...rest, value })) }];
    }),
  };
}

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
export function formatNumber(value: number, digits = 0): string {
  if (!Number.isFinite(value)) return '–';
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
