import { createSetAside } from '../hosts/backoff-record.js';
import type { CrawlContext } from '../context.js';
import type { Count } from '../reporting/counters.js';
import { makeTooLateDue } from './due-too-late.js';

/**
 * Whether generate would find a page now: a due page of a host that is not in back-off. Like generate, it first moves newly due rows into
 * the order of selection. Then it reads one entry of each host until it finds such a page.
 * @param wasSetBack whether the clock was set back since the last call; see {@link makeTooLateDue}
 */
export async function isAnyDue(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>,
  count: Count = () => {},
  wasSetBack = false,
): Promise<boolean> {
  const { tables, settings, clock } = crawl;
  const { frontier } = tables;
  return tables.exclusive('generate', async () => {
    const now = clock();
    await makeTooLateDue(crawl, count, { wasSetBack });
    await frontier.promote(now, now);
    const isSetAside = createSetAside(crawl, now);
    for await (const { host, score } of frontier.heads()) {
      if (score < settings.generate.minScore) return false;
      if (await isSetAside(host)) continue;
      // After a crash, a head may be left whose host has no due row.
      if ((await frontier.due(host, score, 1)).length > 0) return true;
    }
    return false;
  });
}
