export type { AuditOptions, OpenAuditReport } from './audit.js';
export type { IgnoreRule } from './ignoring.js';
export type { AuditOutput, AuditOutputOptions, AuditWritten } from './formats/write-audit.js';
export type { FileBeside, Put } from './formats/writer.js';
export type { AuditOutcome } from './gate/outcome.js';
export type * from './report.js';
