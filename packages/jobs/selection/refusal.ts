import { safeText } from '../../errors/index.js';
import { RULES_PLUGIN, filterUrl, type UrlVerdict } from '../../plugin-api/index.js';
import { matchesStatus, urlOf, type PageRow } from '../../../webtable/index.js';
import type { ScopedCrawl } from '../context.js';
import type { CounterName } from '../reporting/counters.js';
import type { RulesInForce } from '../rules/rules-now.js';

export const REFUSAL_FIELDS = ['status', 'distance', 'score', 'sitemap'] as const;

/** Why generate does not select a row, even if the row is due. */
interface SelectionRefusal {
  /** The counter of generate under which the row is counted. */
  readonly reason: CounterName;
  /** The rule that the URL filter names, if a filter rejects the row. */
  readonly rule?: string;
  /** Returns the reason in words. Untrusted parts are made safe for a terminal. */
  readonly why: () => string;
}

/**
 * Returns why generate does not select a row, if the row is due and not damaged. Returns undefined if generate may select it. Both generate
 * and explain use this function.
 * @param filter false: URL filters and the patterns of the scope are not checked
 */
export function refusalOf(
  crawl: Pick<ScopedCrawl, 'settings' | 'scope'>,
  rules: RulesInForce,
  row: PageRow<(typeof REFUSAL_FIELDS)[number]>,
  filter = true,
): SelectionRefusal | undefined {
  const { restrictStatus, maxDistance, minScore } = crawl.settings.generate;
  const { status, distance = 0, score = 0 } = row;
  if (restrictStatus.length > 0 && !matchesStatus(restrictStatus, status)) {
    const allowed = restrictStatus.join(', ');
    return {
      reason: 'status',
      why: () => `its status is ${status ?? 'unknown'}, and generate.restrictStatus is ${allowed}`,
    };
  }
  if (maxDistance >= 0 && distance > maxDistance) {
    const why = (): string => `it is ${distance} links from a seed, and generate.maxDistance is ${maxDistance}`;
    return { reason: 'distance', why };
  }
  if (score < minScore) {
    return { reason: 'low_score', why: () => `its score is ${score}, and generate.minScore is ${minScore}` };
  }
  if (!filter) return undefined;
  const url = urlOf(row.key);
  // Seeds and their redirect targets are exempt, because the operator has named the seeds.
  const excluded = row.distance === 0 ? undefined : crawl.scope.excludes(url, row.sitemap);
  if (excluded !== undefined) return { reason: 'excluded', why: () => safeText(excluded) };
  // Rules may have become stricter since the row was created.
  const verdict = filterUrl(rules.plugins, url, 'generate', row);
  if (verdict.accepted) return undefined;
  const { rejectedBy, rule } = verdict;
  return { reason: `rejected_${rejectedBy}`, rule, why: () => `it is now ${rejection(rules, verdict)}` };
}

/** Returns a verdict in words, which are safe for a terminal. If a rule of the table decided, the words include its id, its text and its age. */
export function rejection({ ruleSet }: RulesInForce, verdict: UrlVerdict): string {
  if (verdict.accepted) return 'accepted';
  const { rejectedBy, rule } = verdict;
  const ofTable = rejectedBy === RULES_PLUGIN ? ruleSet.describe(rule) : undefined;
  if (ofTable !== undefined) return `rejected by rule ${ofTable}`;
  return `rejected by ${safeText(rejectedBy, 80)} (${safeText(rule)})`;
}
