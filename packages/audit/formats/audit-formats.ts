/** The formats of an audit report: the file endings that choose the format, and its use. The first format is the default. */
export const AUDIT_FORMATS = {
  text: { endings: ['.txt'], use: 'for the terminal: each rule with its first findings' },
  html: { endings: ['.html', '.htm'], use: 'one page to search and filter, for people' },
  csv: { endings: ['.csv'], use: 'a row for each finding, or with --sources for each link of a finding' },
  xlsx: { endings: ['.xlsx'], use: 'an Excel workbook with the rows of csv; needs the package fflate' },
  json: { endings: ['.json'], use: 'one object, for programs' },
  ndjson: { endings: ['.ndjson', '.jsonl'], use: 'the summary, then a line for each finding' },
  sarif: { endings: ['.sarif'], use: 'SARIF 2.1.0, for code scanning, such as that of GitHub' },
  junit: { endings: ['.xml'], use: 'JUnit XML, for the test pages of CI services' },
  markdown: { endings: ['.md'], use: 'at most 60,000 characters, for an issue or a summary' },
} as const satisfies Readonly<Record<string, { readonly endings: readonly string[]; readonly use: string }>>;

/** A format of a report. */
export type AuditFormat = keyof typeof AUDIT_FORMATS;

/** The names of the formats. */
export const AUDIT_FORMAT_NAMES = Object.keys(AUDIT_FORMATS) as AuditFormat[];

/** Returns the format for the ending of a file name, in any letter case. Undefined: no format has this ending. */
export function auditFormatOf(path: string): AuditFormat | undefined {
  const lower = path.toLowerCase();
  return AUDIT_FORMAT_NAMES.find((name) => AUDIT_FORMATS[name].endings.some((ending) => lower.endsWith(ending)));
}
