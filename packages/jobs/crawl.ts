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
 * Injects seeds and crawls in rounds until nothing is due or a limit is reached. Batches that a killed crawl left open
 * are finished first, so that the same call goes on where it stopped.
 * Counters: rounds, those of inject and of fetch with parse, and `added` of updatedb.
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
  const add = (report: Report, only?: readonly string[]): void => {
    for (const [reason, n] of Object.entries(report.counters)) {
      if (!only || only.includes(reason)) tracker.count(reason, n);
    }
  };

  async function finish(batchId: string, isClosing: boolean): Promise<void> {
    if (!isClosing) {
      const fetched = await fetch(context, {
        ...step(),
        batch: batchId,
        resume: true,
        parse: true,
        ...(threads !== undefined && { threads }),
      });
      add(fetched);
      if (tracker.aborted) return;
    }
    add(await updatedb(context, { ...step(), batch: batchId }), ['added']);
  }

  add(await inject(context, { ...step(), seeds, ...(onRejected && { onRejected }) }));
  for (const batch of await listBatches(context.table.store)) {
    if (tracker.aborted || batch.state === 'generating') continue;
    await finish(batch.batchId, batch.state !== 'open');
    pages += batch.size;
  }
  while (!tracker.aborted && rounds < (options.rounds ?? Infinity) && pages < maxPages) {
    const topN = Math.min(options.topN ?? Infinity, maxPages - pages);
    rounds += 1;
    const generated = await generate(context, { ...step(), ...(topN < Infinity && { topN }) });
    if (generated.batchId === undefined) break;
    tracker.count('rounds');
    pages += generated.counters.generated ?? 0;
    await finish(generated.batchId, false);
  }
  return tracker.report();
}

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
