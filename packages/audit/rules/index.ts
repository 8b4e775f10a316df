import type { AuditRule } from '../report.js';
import type { Rule } from '../rule.js';
import { CANONICAL_RULES } from './canonical.js';
import { FRAGMENT_RULES } from './fragments.js';
import { HREFLANG_RULES } from './hreflang.js';
import { INDEXING_RULES } from './indexing.js';
import { EXTERNAL_RULES, LINK_RULES } from './links.js';
import { DATA_RULES, DUPLICATE_RULES, SPEED_RULES } from './pages.js';
import { REDIRECT_RULES } from './redirects.js';
import { SECURITY_RULES } from './security.js';
import { SITEMAP_RULES } from './sitemaps.js';
import { TITLE_RULES } from './titles.js';

export const RULES: readonly Rule[] = [
  ...LINK_RULES,
  ...FRAGMENT_RULES,
  ...EXTERNAL_RULES,
  ...REDIRECT_RULES,
  ...CANONICAL_RULES,
  ...HREFLANG_RULES,
  ...TITLE_RULES,
  ...INDEXING_RULES,
  ...SITEMAP_RULES,
  ...DUPLICATE_RULES,
  ...SECURITY_RULES,
  ...SPEED_RULES,
  ...DATA_RULES,
];

/** The rules in the form for lists. */
export function auditRules(): readonly AuditRule[] {
  return RULES.map(({ id, group, severity, title, help }) => ({ id, group, severity, title, help }));
}
