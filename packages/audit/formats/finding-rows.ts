import type { ColumnType } from '../../export/index.js';
import type { AuditFinding, AuditReport, AuditSource } from '../report.js';
import { rulesById } from './writer.js';

interface FindingColumn {
  readonly name: string;
  readonly type: ColumnType;
}

const column = (type: ColumnType, ...names: readonly string[]): FindingColumn[] =>
  names.map((name) => ({ name, type }));

export const FINDING_COLUMNS: readonly FindingColumn[] = [
  ...column('STRING', 'rule', 'group', 'severity', 'state', 'new', 'url', 'message'),
  ...column('DOUBLE', 'impact'),
  ...column('TIMESTAMP', 'since', 'last_ok', 'last_asked'),
  ...column('JSON', 'evidence'),
  ...column('INT32', 'sources'),
  ...column('STRING', 'help', 'id'),
];
export const SOURCE_COLUMNS: readonly FindingColumn[] = [
  ...column('STRING', 'source', 'anchor', 'kind'),
  ...column('INT32', 'line'),
];

export async function* findingRows(
  { summary, findings, sourcesOf }: AuditReport,
  sources: boolean,
): AsyncGenerator<readonly unknown[]> {
  const ruleOf = rulesById(summary);
  for await (const finding of findings) {
    const { group, help } = ruleOf(finding);
    const { rule, severity, state, isNew, url, message, impact, since, lastOkAt, lastRequestAt, id } = finding;
    const times = [since, lastOkAt, lastRequestAt];
    const row = [rule, group, severity, state, isNew, url, message, impact, ...times, evidenceOf(finding)];
    row.push(finding.sources.total, help, id);
    if (!sources) yield row;
    else if (finding.sources.total === 0) yield [...row, ...SOURCE_COLUMNS.map(() => undefined)];
    else for await (const source of sourcesOf(finding)) yield [...row, ...sourceCells(source)];
  }
}

export function sourceCells({ url, anchor, kind, line }: AuditSource): unknown[] {
  return [url, anchor, kind, line];
}

function evidenceOf({ evidence }: AuditFinding): AuditFinding['evidence'] | undefined {
  return Object.keys(evidence).length === 0 ? undefined : evidence;
}
