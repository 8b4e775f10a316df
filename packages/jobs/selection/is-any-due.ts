import { hostKeyOfRow } from '../../../webtable/index.js';
import { createSetAside } from '../hosts/backoff-record.js';
import type { CrawlContext } from '../context.js';
import type { Count } from '../reporting/counters.js';
import { makeTooLateDue } from './due-too-late.js';

/**
 * Counts the due rows that generate may select, up to a limit: those of hosts that are not in back-off, with at least
 * `generate.minScore`. Rows that it would refuse count too. It writes nothing, and reads the due part of the frontier up to the limit.
 * @param slots absent: all slots
 */
export async function countSelectable(
  { tables: { frontier, hosts }, settings, clock }: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>,
  slots: Iterable<string> | undefined,
  limit: number,
): Promise<number> {
  const { minScore } = settings.generate;
  const now = clock();
  const isSetAside = createSetAside({ tables: { hosts }, settings }, now);
  let count = 0;
  for await (const { host, score } of frontier.heads(slots)) {
    if (score < minScore) break;
    if (await isSetAside(host)) continue;
    // After a crash, a head may be left whose host has no due row.
    count += (await frontier.due(host, score, limit - count)).length;
    if (count >= limit) return limit;
  }
  for await (const entries of frontier.timedUntil(now, slots)) {
    for (const { rowKey, score } of entries) {
      if (score < minScore || (await isSetAside(hostKeyOfRow(rowKey)))) continue;
      if (++count >= limit) return limit;
    }
  }
  return count;
}

/**
 * Whether generate would find a page now: a due page of a host that is not in back-off.
 * @param wasSetBack whether the clock was set back since the last call; see {@link makeTooLateDue}
 */
export async function isAnyDue(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>,
  count: Count = () => {},
  wasSetBack = false,
): Promise<boolean> {
  return crawl.tables.exclusive('generate', async () => {
    await makeTooLateDue(crawl, count, { wasSetBack });
    return (await countSelectable(crawl, undefined, 1)) > 0;
  });
}
