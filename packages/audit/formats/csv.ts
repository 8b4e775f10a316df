import { csvRecord, looksLikeFormula } from '../../export/index.js';
import type { AuditFinding, AuditSource } from '../report.js';
import { momentOf } from './phrases.js';
import { inPieces, rulesById, type AuditWriter } from './writer.js';

const COLUMNS = [
  ...['rule', 'group', 'severity', 'state', 'new', 'url', 'message', 'impact', 'since', 'last_ok', 'last_asked'],
  ...['evidence', 'sources', 'help', 'id'],
];
const SOURCE_COLUMNS = ['source', 'anchor', 'kind', 'line'];

/** Writes a row for each finding. With `sources`, it writes a row for each link of a finding, and one row for a finding without links. */
export const writeCsv: AuditWriter = async ({ summary, findings, sourcesOf }, put, { sources = false }) => {
  const ruleOf = rulesById(summary);
  const out = inPieces(put);
  await out.add(csvRecord(sources ? [...COLUMNS, ...SOURCE_COLUMNS] : COLUMNS));
  for await (const finding of findings) {
    const { group, help } = ruleOf(finding);
    const cells = [
      ...[finding.rule, group, finding.severity, finding.state, finding.isNew, finding.url, finding.message],
      ...[finding.impact, ...timesOf(finding), evidenceOf(finding), finding.sources.total, help, finding.id],
    ];
    if (!sources) await out.add(safeRecord(cells));
    else if (finding.sources.total === 0) await out.add(safeRecord([...cells, ...SOURCE_COLUMNS.map(() => undefined)]));
    else for await (const source of sourcesOf(finding)) await out.add(safeRecord([...cells, ...sourceCells(source)]));
  }
  await out.end();
  return undefined;
};

/** The header line of the second file, which has a row for each link to the URL of a finding. */
export const SOURCES_HEAD = csvRecord(['finding', 'rule', 'url', ...SOURCE_COLUMNS]);

/** Returns one row for a link to the URL of a finding. The row is for a second file, which has only the sources of findings. */
export function sourceRecord({ id, rule, url }: AuditFinding, source: AuditSource): string {
  return safeRecord([id, rule, url, ...sourceCells(source)]);
}

function sourceCells({ url, anchor, kind, line }: AuditSource): unknown[] {
  return [url, anchor, kind, line];
}

function timesOf({ since, lastOk, lastAsked }: AuditFinding): string[] {
  return [since, lastOk, lastAsked].map(momentOf);
}

function evidenceOf({ evidence }: AuditFinding): unknown {
  return Object.keys(evidence).length === 0 ? undefined : evidence;
}

/** Returns a record whose text no spreadsheet runs: it puts an apostrophe before text that begins like a formula. */
function safeRecord(cells: readonly unknown[]): string {
  return csvRecord(cells.map((cell) => (looksLikeFormula(cell) ? `'${cell as string}` : cell)));
}
