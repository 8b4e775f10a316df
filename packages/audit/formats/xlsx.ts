import { loadWorkbook } from '../../export/index.js';
import { FINDING_COLUMNS, SOURCE_COLUMNS, findingRows } from './finding-rows.js';
import { missing } from './phrases.js';
import type { AuditWriter } from './writer.js';

export const writeXlsx: AuditWriter = async (report, put, { sources = false }) => {
  const columns = sources ? [...FINDING_COLUMNS, ...SOURCE_COLUMNS] : FINDING_COLUMNS;
  let cut = 0;
  const workbook = (await loadWorkbook())({ write: put }, columns, () => (cut += 1), { name: 'Findings' });
  const messageAt = columns.findIndex(({ name }) => name === 'message');
  for (const reason of missing(report.summary)) {
    await workbook.add(columns.map((_, i) => (i === messageAt ? `NOT COMPLETE: ${reason}` : undefined)));
  }
  for await (const row of findingRows(report, sources)) await workbook.add(row);
  await workbook.end();
  return cut === 0 ? undefined : `Cut to the length of a cell: ${cut}.`;
};
