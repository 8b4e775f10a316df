import type { CrawlContext } from '../context.js';

/**
 * Ends the baseline of the change log if the table is completely crawled: a page was found, no row is due, and no batch is open. After
 * that, a page that is fetched for the first time counts as new. As long as no page was found, for example because the site does not
 * answer, its pages are not new.
 */
export async function endBaseline({
  tables,
  settings,
  clock,
}: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>): Promise<void> {
  if (settings.db.changesKeptDays === 0) return;
  const { changes, frontier, batches } = tables;
  const { begun, baselineEnd, removedBefore } = await changes.state();
  if (begun === undefined || baselineEnd !== undefined) return;
  const now = clock();
  if ((await frontier.countDue(now, 1)) > 0 || (await batches.list()).length > 0) return;
  // Entries were removed because they were old. The entries of the baseline are the oldest.
  if (removedBefore !== undefined || (await hasPages(changes, begun))) await changes.endBaseline(now);
}

/** Whether the baseline has a page. The first entries of the log tell it. */
async function hasPages(changes: CrawlContext['tables']['changes'], begun: number): Promise<boolean> {
  for await (const entries of changes.read({ at: begun }, Infinity)) {
    if (entries.some(({ kind }) => kind === 'baseline')) return true;
  }
  return false;
}
