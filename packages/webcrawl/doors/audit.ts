import type { AuditOptions, AuditRule, OpenAuditReport } from '../../audit/index.js';
import type { CrawlContext } from '../../core/index.js';
import { start } from '../jobs.js';
import { late } from '../late.js';

export type * from '../../audit/public.js';
export { AUDIT_FORMATS, AUDIT_FORMAT_NAMES, auditFormatOf, type AuditFormat } from '../names.js';

/** Other processes can see its progress. */
export async function audit(crawl: CrawlContext, options?: AuditOptions): Promise<OpenAuditReport> {
  const { audit } = await import('../../audit/index.js');
  return start('audit', crawl, options, audit);
}
/** See `auditRules` of packages/audit. */
export const auditRules = async (): Promise<readonly AuditRule[]> =>
  (await import('../../audit/index.js')).auditRules();
/** See `auditOutput` of packages/audit. */
export const auditOutput = late(async () => (await import('../../audit/index.js')).auditOutput);
export const ignoreRules = late(async () => (await import('../../audit/index.js')).ignoreRules);
export const ignoreFindings = late(async () => (await import('../../audit/index.js')).ignoreFindings);
export const tellFindings = late(async () => (await import('../../audit/index.js')).tellFindings);
