import type { AuditRule } from '../../audit/index.js';
import { late } from '../late.js';

export type * from '../../audit/public.js';
export { AUDIT_FORMATS, AUDIT_FORMAT_NAMES, auditFormatOf, type AuditFormat } from '../names.js';

/** See `audit` of packages/audit. */
export const audit = late(async () => (await import('../../audit/index.js')).audit);
/** See `auditRules` of packages/audit. */
export const auditRules = async (): Promise<readonly AuditRule[]> =>
  (await import('../../audit/index.js')).auditRules();
/** See `auditOutput` of packages/audit. */
export const auditOutput = late(async () => (await import('../../audit/index.js')).auditOutput);
/** See `ignoreRules` of packages/audit. */
export const ignoreRules = late(async () => (await import('../../audit/index.js')).ignoreRules);
/** See `ignoreFindings` of packages/audit. */
export const ignoreFindings = late(async () => (await import('../../audit/index.js')).ignoreFindings);
/** See `tellFindings` of packages/audit. */
export const tellFindings = late(async () => (await import('../../audit/index.js')).tellFindings);
