export type * from './public.js';
export { audit } from './audit.js';
export { auditFacts } from './facts/plugin.js';
export { auditRules } from './rules/index.js';
export { ignoreFindings, ignoreRules, tellFindings } from './ignoring.js';
export { AUDIT_FORMATS, AUDIT_FORMAT_NAMES, auditFormatOf, type AuditFormat } from './formats/audit-formats.js';
export { auditOutput } from './formats/write-audit.js';
