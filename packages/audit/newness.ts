import { rowKeyOf, type CrawlContext } from '../core/index.js';
import { readChanges } from '../changes/index.js';
import { ROW, type RowTable } from './collect/row-table.js';
import type { AuditFinding } from './report.js';
import type { AuditedPage, Found, Target } from './rule.js';

/**
 * Whether a finding is new since a moment: its target failed after the moment, or every page with the link has changed since. A page that
 * has not changed already had the link at that moment.
 */
export function newnessOf(
  { sources, since: failedAt = 0 }: Found,
  of: Target | AuditedPage | undefined,
  since: number,
  rows: RowTable,
): AuditFinding['isNew'] {
  const isLinkNew = sources !== undefined && sources.total > 0 && sources.oldestChange > since;
  if (!of) return isLinkNew ? 'link' : undefined;
  if ('facts' in of) return (of.row.changedAt ?? 0) > since ? 'target' : undefined;
  const changedAt = of.ending?.since ?? (of.row === undefined ? failedAt : Math.max(failedAt, rows.changedAt(of.row)));
  const worked = of.asked?.lastOk !== undefined || (of.row !== undefined && rows.is(of.row, ROW.wasPage));
  if (changedAt > since && (worked || !isLinkNew)) return 'target';
  return isLinkNew ? 'link' : undefined;
}

/** A moment, and the link changes after it. */
interface News {
  readonly since: number | undefined;
  /** The keys of pages whose links have changed since the moment. Undefined: the change log does not cover this time. */
  readonly linksChanged: ReadonlySet<string> | undefined;
}

/** Reads the changes since a moment. The cost depends on the number of changes. @throws CrawlError USAGE for an unknown mark */
export async function newsSince(crawl: CrawlContext, moment: number | string | undefined): Promise<News> {
  if (moment === undefined) return { since: undefined, linksChanged: undefined };
  const changes = readChanges(crawl, { since: moment, kinds: ['links', 'new', 'back'] });
  const { since, because } = await changes.summary();
  if (because.some(({ reason }) => reason !== 'due')) return { since, linksChanged: undefined };
  const linksChanged = new Set<string>();
  for await (const change of changes) if (change.type === 'page') linksChanged.add(rowKeyOf(change.url));
  return { since, linksChanged };
}
