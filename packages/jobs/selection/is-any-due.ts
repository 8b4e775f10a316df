import { createSetAside } from '../hosts/backoff-record.js';
import type { CrawlContext } from '../context.js';

/**
 * Whether generate would find a page now: one that is due, of a host that is not left alone. It moves what has become due into the
 * queues, as generate does, and reads one entry of each host until one is found.
 */
export async function isAnyDue(crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>): Promise<boolean> {
  const { tables, settings, clock } = crawl;
  const { frontier } = tables;
  return tables.exclusive('generate', async () => {
    const now = clock();
    await frontier.promote(now, now);
    const isSetAside = createSetAside(crawl, now);
    for await (const { host, score } of frontier.heads()) {
      if (score < settings.generate.minScore) return false;
      if (await isSetAside(host)) continue;
      // A crash may have left a head that leads nowhere.
      if ((await frontier.due(host, score, 1)).length > 0) return true;
    }
    return false;
  });
}
