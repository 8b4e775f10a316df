import { safeText } from '../../errors/index.js';
import { filterUrl, type UrlVerdict } from '../../plugin-api/index.js';
import { urlOf, type PageRow } from '../../../webtable/index.js';
import { RULES_PLUGIN, describeRuleInFull } from '../../rules/index.js';
import type { CrawlContext } from '../context.js';
import type { CounterName } from '../reporting/counters.js';

/** What {@link refusalOf} goes by. */
export const REFUSAL_FIELDS = ['status', 'distance', 'score', 'sitemap'] as const;

/** Why a row is not selected whenever it is due. */
export interface SelectionRefusal {
  /** The counter of generate. */
  readonly reason: CounterName;
  /** Where a URL filter refuses it, its answer. */
  readonly rule?: string;
  /** In words, for people; untrusted parts are made safe. */
  readonly why: () => string;
}

/**
 * Why generate does not select a row that is due and whole; undefined when it may. generate goes by it and explain shows it.
 * @param filter false: URL filters, and the patterns of the scope, are not asked
 */
export function refusalOf(
  crawl: Pick<CrawlContext, 'settings' | 'plugins' | 'scope' | 'ruleSet'>,
  row: PageRow<(typeof REFUSAL_FIELDS)[number]>,
  filter = true,
): SelectionRefusal | undefined {
  const { restrictStatus, maxDistance, minScore } = crawl.settings.generate;
  const statuses: readonly string[] = restrictStatus;
  const { status = 'unknown', distance = 0, score = 0 } = row;
  if (statuses.length > 0 && !statuses.includes(status)) {
    const allowed = statuses.join(', ');
    return { reason: 'status', why: () => `its status is ${status}, and generate.restrictStatus is ${allowed}` };
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
  // Seeds, and where they redirect to, are what was asked for.
  const excluded = row.distance === 0 ? undefined : crawl.scope?.excludes(url, row.sitemap);
  if (excluded !== undefined) return { reason: 'excluded', why: () => safeText(excluded) };
  // Rules may have become stricter since the row was made.
  const verdict = filterUrl(crawl.plugins, url, 'generate', row);
  if (verdict.accepted) return undefined;
  const { rejectedBy, rule } = verdict;
  return { reason: `rejected_${rejectedBy}`, rule, why: () => `it is now ${rejection(crawl, verdict)}` };
}

/** A verdict in words, made safe. A rule of the table is named by its id, with what it is, and since when. */
export function rejection({ ruleSet }: Pick<CrawlContext, 'ruleSet'>, verdict: UrlVerdict): string {
  if (verdict.accepted) return 'accepted';
  const { rejectedBy, rule } = verdict;
  const ofTable = rejectedBy === RULES_PLUGIN ? ruleSet?.ruleOf(rule) : undefined;
  if (ofTable) return `rejected by rule ${describeRuleInFull(ofTable)}`;
  return `rejected by ${safeText(rejectedBy, 80)} (${safeText(rule)})`;
}
