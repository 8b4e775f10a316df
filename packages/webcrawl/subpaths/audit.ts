/** The types of audits, their rules, and the writers of their reports. */

export type * from '../../audit/public.js';
export { auditOutput, auditRules } from '../doors/audit.js';
export { AUDIT_FORMATS, AUDIT_FORMAT_NAMES, auditFormatOf, type AuditFormat } from '../names.js';
