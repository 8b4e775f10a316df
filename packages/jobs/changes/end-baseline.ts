import type { CrawlContext } from '../context.js';

/**
 * Ends the baseline of the change log if the table is completely crawled: no row is due, and no batch is open. After that, a page that is
 * fetched for the first time counts as new.
 */
export async function endBaseline({
  tables,
  settings,
  clock,
}: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>): Promise<void> {
  if (settings.db.changesKept === 0) return;
  const { changes, frontier, batches } = tables;
  const { begun, baselineEnd } = await changes.state();
  if (begun === undefined || baselineEnd !== undefined) return;
  const now = clock();
  if ((await frontier.countDue(now, 1)) > 0 || (await batches.list()).length > 0) return;
  await changes.endBaseline(now);
}
