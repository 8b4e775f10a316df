import { csvRecord, looksLikeFormula } from '../../export/index.js';
import type { AuditFinding, AuditSource } from '../report.js';
import { FINDING_COLUMNS, SOURCE_COLUMNS, findingRows, sourceCells } from './finding-rows.js';
import { momentOf } from './phrases.js';
import { inPieces, type AuditWriter } from './writer.js';

const namesOf = (columns: readonly { readonly name: string }[]): string[] => columns.map(({ name }) => name);

/** Writes a row for each finding. With `sources`, it writes a row for each link of a finding, and one row for a finding without links. */
export const writeCsv: AuditWriter = async (report, put, { sources = false }) => {
  const columns = sources ? [...FINDING_COLUMNS, ...SOURCE_COLUMNS] : FINDING_COLUMNS;
  const out = inPieces(put);
  await out.add(csvRecord(namesOf(columns)));
  for await (const row of findingRows(report, sources)) {
    const cells = row.map((cell, i) =>
      columns[i]!.type === 'TIMESTAMP' ? momentOf(cell as number | undefined) : cell,
    );
    await out.add(safeRecord(cells));
  }
  await out.end();
  return undefined;
};

export const SOURCES_HEAD = csvRecord(['finding', 'rule', 'url', ...namesOf(SOURCE_COLUMNS)]);

export function sourceRecord({ id, rule, url }: AuditFinding, source: AuditSource): string {
  return safeRecord([id, rule, url, ...sourceCells(source)]);
}

/** Returns a CSV record safe from formula injection: a string that begins like a formula gets an apostrophe in front. */
function safeRecord(cells: readonly unknown[]): string {
  return csvRecord(cells.map((cell) => (looksLikeFormula(cell) ? `'${cell as string}` : cell)));
}
