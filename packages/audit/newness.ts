import { rowKeyOf, type ChangeKind, type CrawlContext } from '../core/index.js';
import { readChanges } from '../changes/index.js';
import { ROW, type RowTable } from './collect/row-table.js';
import type { AuditFinding } from './report.js';
import type { ChangedPages } from './collect/scan.js';
import type { AuditedPage, Found, Group, Rule, Target } from './rule.js';

/**
 * Whether a finding is new since a moment: its target failed after the moment, or every page with the link has changed since. A page that
 * has not changed already had the link at that moment, and a URL that the audit had already requested was already named by a page.
 */
export function newnessOf(
  rule: Rule,
  { sources, since: failedAt = 0 }: Found,
  of: Target | AuditedPage | Group | undefined,
  since: number,
  rows: RowTable,
): AuditFinding['isNew'] {
  const hasLinks = sources !== undefined && sources.total > 0 && sources.oldestChange > since;
  if (!of) return hasLinks ? 'link' : undefined;
  const hasChanged = (row: number): boolean =>
    rows.changedAt(row) > since && !(rule.isOfTitle && rows.is(row, ROW.titleSame));
  if ('facts' in of) return hasChanged(of.number) ? 'target' : undefined;
  if ('members' in of) {
    const least = rule.on === 'group' ? (rule.least ?? 1) : 1;
    const same = of.members.filter(({ row }) => row === undefined || !hasChanged(row)).length;
    // Members that are not kept count as unchanged.
    return same + of.total - of.members.length < least ? 'target' : undefined;
  }
  const firstAsked = Math.min(of.asked?.since ?? Infinity, of.asked?.lastOk ?? Infinity);
  const isLinkNew = hasLinks && firstAsked > since;
  const changedAt = of.ending?.since ?? (of.row === undefined ? failedAt : Math.max(failedAt, rows.changedAt(of.row)));
  const worked = of.asked?.lastOk !== undefined || (of.row !== undefined && rows.is(of.row, ROW.wasPage));
  if (changedAt > since && (worked || !isLinkNew)) return 'target';
  return isLinkNew ? 'link' : undefined;
}

/** A moment, and the changes after it. */
interface News {
  readonly since: number | undefined;
  /** Undefined: the change log does not cover this time. */
  readonly changed: ChangedPages | undefined;
}

/** The kinds of changes after which the whole page counts as changed. */
const WHOLE: readonly ChangeKind[] = ['new', 'back'];

/** Reads the changes since a moment. The cost depends on the number of changes. @throws CrawlError USAGE for an unknown mark */
export async function newsSince(crawl: CrawlContext, moment: number | string | undefined): Promise<News> {
  if (moment === undefined) return { since: undefined, changed: undefined };
  const changes = readChanges(crawl, { since: moment, kinds: ['links', 'title', ...WHOLE] });
  const { since, because } = await changes.summary();
  if (because.some(({ reason }) => reason !== 'due')) return { since, changed: undefined };
  const changed = { links: new Set<string>(), titles: new Set<string>() };
  for await (const change of changes) {
    if (change.type !== 'page') continue;
    const key = rowKeyOf(change.url);
    const isWhole = change.kinds.some((kind) => WHOLE.includes(kind));
    if (isWhole || change.kinds.includes('links')) changed.links.add(key);
    if (isWhole || change.kinds.includes('title')) changed.titles.add(key);
  }
  return { since, changed };
}
