import type { AuditFinding, AuditSummary } from '../../report.js';
import { clean, evidenceText, momentOf, shortMessage } from '../phrases.js';

/** Maximum number of findings for which the page contains their sources. The sources of a larger report are in a second file. */
const MAX_WITH_SOURCES = 20_000;

const MAX_TEXT = 2000;

/** The values of a finding in the page, in this order. The script reads the values by these names. */
export const FINDING_FIELDS = [
  ...[
    'rule',
    'severity',
    'url',
    'message',
    'state',
    'isNew',
    'impact',
    'since',
    'lastOkAt',
    'lastRequestAt',
    'evidence',
  ],
  'total',
] as const;

export function holdsSources({ counts }: AuditSummary): boolean {
  return counts.error + counts.warn + counts.notice + counts.unverified <= MAX_WITH_SOURCES;
}

/** Returns a finding in the form in which the page contains it. Its text is safe to show. */
export function findingRow(finding: AuditFinding, ruleIndex: number): readonly unknown[] {
  const { severity, url, state, isNew, impact, since, lastOkAt, lastRequestAt, evidence, sources } = finding;
  return [
    ruleIndex,
    severity,
    clean(url, MAX_TEXT),
    shortMessage(finding, MAX_TEXT),
    state,
    isNew ?? '',
    impact,
    ...[since, lastOkAt, lastRequestAt].map((time) => momentOf(time).slice(0, 10)),
    evidenceText(evidence),
    sources.total,
  ];
}

export function sourceRows({ sources }: AuditFinding): readonly unknown[] {
  return sources.shown.map(({ url, anchor, kind, line }) => [
    clean(url, MAX_TEXT),
    clean(anchor, MAX_TEXT),
    clean(kind, 60),
    line ?? 0,
  ]);
}

/** Returns a value as JSON for a script element. It cannot end the element, nor begin a comment in it. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
