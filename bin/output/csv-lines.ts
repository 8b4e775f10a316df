import { csvRecord, looksLikeFormula } from '../../packages/webcrawl/names.js';
import { number, safeLines, say } from './output.js';
import type { Io } from '../io.js';

/** Makes a function that returns objects as CSV records. On a terminal, control characters are escaped. */
export function csvLines(columns: readonly string[], isTerminal: boolean) {
  const line = (values: readonly unknown[]): string => {
    const record = csvRecord(values);
    return isTerminal ? `${safeLines(record.trimEnd(), Infinity)}\n` : record;
  };
  return {
    head: line(columns),
    formulas: 0,
    record(values: Readonly<Record<string, unknown>>): string {
      const cells = columns.map((column) => values[column]);
      this.formulas += cells.filter(looksLikeFormula).length;
      return line(cells);
    },
  };
}

export function noteFormulas(io: Pick<Io, 'stderr'>, formulas: number): void {
  if (formulas === 0) return;
  say(io, `Cells that a spreadsheet may read as a formula (they begin with =, +, -, @ or a tab): ${number(formulas)}`);
}
