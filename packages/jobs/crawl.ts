import { listBatches } from '../../webtable/index.js';
import type { CrawlContext } from './context.js';
import { fetch } from './fetch.js';
import { generate } from './generate.js';
import { inject, type InjectOptions } from './inject.js';
import type { JobOptions, Report } from './job.js';
import { createTracker } from './tracker.js';
import { updatedb } from './updatedb.js';

/** What {@link crawl} takes: seeds, and limits on how far it goes. */
export interface CrawlOptions extends JobOptions, Pick<InjectOptions, 'seeds' | 'onRejected'> {
  /** Rounds of generate, fetch with parse, and updatedb at the most. Absent: until nothing is due. */
  readonly rounds?: number;
  /** Pages per round at the most. Absent: all that are due. */
  readonly topN?: number;
  /** Pages selected over all rounds at the most; targets of redirects that are followed come on top. */
  readonly maxPages?: number;
  /** Links from a seed at the most. Absent: `generate.maxDistance`. */
  readonly depth?: number;
  /**
   * How far links may lead: within the host of each page, within its domain, or anywhere. Where a seed itself redirects
   * to is followed in any case. Default: host.
   */
  readonly stay?: 'host' | 'domain' | 'any';
  /** Requests in flight at the most. Absent: `fetcher.threadsFetch`. */
  readonly threads?: number;
}

/**
 * Injects seeds and crawls in rounds until nothing in the table is due, a limit is reached, or a round could fetch
 * nothing. Batches that a killed crawl left open are finished first, so that the same call goes on where it stopped.
 * Counters: rounds; those of inject and of fetch with parse; added, not_added and plugin_error_<name> of updatedb; and
 * generate_<why> for what the last generate passed over.
 */
export async function crawl(given: CrawlContext, options: CrawlOptions): Promise<Report> {
  const context = withLimits(given, options);
  const { signal, onProgress, seeds, onRejected, threads } = options;
  const tracker = createTracker(context, 'crawl', options);
  const maxPages = options.maxPages ?? Infinity;
  let rounds = 0;
  let pages = 0;

  const step = (): JobOptions => ({
    ...(signal && { signal }),
    ...(onProgress && { onProgress: (progress) => onProgress({ ...progress, round: rounds }) }),
  });
  const add = (counters: Report['counters'], prefix = ''): void => {
    for (const [reason, n] of Object.entries(counters)) tracker.count(prefix + reason, n);
  };

  /** Returns how many pages were fetched. */
  async function finish(batchId: string, isClosing: boolean): Promise<number> {
    let fetched = 0;
    if (!isClosing) {
      const report = await fetch(context, {
        ...step(),
        batch: batchId,
        resume: true,
        parse: true,
        ...(threads !== undefined && { threads }),
      });
      add(report.counters);
      fetched = report.counters.fetched ?? 0;
      if (tracker.aborted) return fetched;
    }
    const { counters } = await updatedb(context, { ...step(), batch: batchId });
    add(Object.fromEntries(Object.entries(counters).filter(([reason]) => OF_UPDATEDB.test(reason))));
    return fetched;
  }

  add((await inject(context, { ...step(), seeds, ...(onRejected && { onRejected }) })).counters);
  for (const batch of await listBatches(context.table.store)) {
    if (tracker.aborted || batch.state === 'generating') continue;
    await finish(batch.batchId, batch.state !== 'open');
    pages += batch.size;
  }
  let passedOver: Report['counters'] = {};
  while (!tracker.aborted && rounds < (options.rounds ?? Infinity) && pages < maxPages) {
    const topN = Math.min(options.topN ?? Infinity, maxPages - pages);
    rounds += 1;
    const report = await generate(context, { ...step(), ...(topN < Infinity && { topN }) });
    const { generated = 0, ...others } = report.counters;
    passedOver = others;
    if (report.batchId === undefined) break;
    tracker.count('rounds');
    pages += generated;
    // Pages that can not be fetched, be it for want of time, are due again at once: the next round would be this one.
    if ((await finish(report.batchId, false)) === 0) break;
  }
  add(passedOver, 'generate_');
  return tracker.report();
}

/** The counters of updatedb that say more than those of fetch. */
const OF_UPDATEDB = /^(added|not_added|plugin_error_.*)$/;

function withLimits(crawl: CrawlContext, { stay = 'host', depth }: CrawlOptions): CrawlContext {
  const { settings } = crawl;
  return {
    ...crawl,
    settings: {
      ...settings,
      db: {
        ...settings.db,
        ignoreExternalLinks: stay !== 'any',
        ignoreExternalLinksMode: stay === 'domain' ? 'domain' : 'host',
      },
      generate: { ...settings.generate, maxDistance: depth ?? settings.generate.maxDistance },
    },
  };
}
