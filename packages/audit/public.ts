export { auditRules } from './rules/index.js';
export { auditOutput } from './formats/write-audit.js';
export { AUDIT_FORMATS, AUDIT_FORMAT_NAMES, auditFormatOf, type AuditFormat } from './formats/audit-formats.js';
export type { AuditOptions, OpenAuditReport } from './audit.js';
export type { IgnoreRule } from './ignoring.js';
export type { AuditOutput, AuditOutputOptions, AuditWritten } from './formats/write-audit.js';
export type { FileBeside, Put } from './formats/writer.js';
export type { AuditOutcome } from './gate/outcome.js';
export type * from './report.js';
