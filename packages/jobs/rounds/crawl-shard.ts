import type { Shard } from '../../../webtable/index.js';
import { shareOf } from '../generate.js';
import { redirectsOf } from '../scope/seed-list.js';
import { slotsOf } from '../shards/job-slots.js';
import { NOTHING_CRAWLED, crawlRounds } from './crawl-rounds.js';
import { beginCrawl, endCrawl, makeRefetchDue, withRequests, type CrawlWork } from './crawl-work.js';
import { PAGES_PER_THREAD } from './round-selector.js';
import { runWorker, type CrawledSlots } from './worker.js';

/** Crawls a shard, while other workers crawl the other shards. The limits of pages are divided among the workers. */
export async function crawlShard(work: CrawlWork, shard: Shard): Promise<void> {
  const { crawl, options, seeds, tracker, timeUp } = work;
  const { maxPages = Infinity, topN = Infinity, untilStopped = false, onWait, signal } = options;
  const { threads = crawl.settings.fetcher.threadsFetch } = options;
  const most = maxPages === Infinity ? maxPages : shareOf(maxPages, shard);
  const perRound = topN === Infinity ? topN : Math.max(1, shareOf(topN, shard));
  let soFar = NOTHING_CRAWLED;

  async function crawlSlots(slots: readonly string[], isOneRound: boolean): Promise<CrawledSlots> {
    return withRequests(work, { slots, leaveTaken: true }, async (run, ends) => {
      const { slots: taken } = run.jobSlots;
      if (taken.size === 0) return { slots: taken, pages: 0, isOver: false };
      // Other workers may have fetched seeds that redirect to further sites.
      for (const { url, target } of await redirectsOf(run, seeds)) run.scope.addTarget(url, target);
      const { pages } = soFar;
      const size = isOneRound ? Math.min(perRound, PAGES_PER_THREAD * threads) : perRound;
      const how = {
        ...options,
        signal: ends,
        ...(isOneRound && { rounds: 1 }),
        ...(size < Infinity && { topN: size }),
        ...(most < Infinity && { maxPages: most - pages }),
      };
      soFar = await crawlRounds(run, how, work, soFar);
      const isOver = tracker.aborted || timeUp.aborted || soFar.pages >= most;
      // A crawl without a limit of rounds ends when nothing can be selected.
      return { slots: taken, pages: isOneRound ? soFar.pages - pages : 0, isOver };
    });
  }

  const all = slotsOf(crawl, { shard }) ?? crawl.tables.slots.all;
  const ends = signal ? AbortSignal.any([signal, timeUp]) : timeUp;
  const since = await beginCrawl(work);
  const onTaken = (slots: ReadonlySet<string>): Promise<void> => makeRefetchDue(work, since, slots);
  await runWorker(crawl, { shard: all, untilStopped, ends, onWait, onTaken, crawlSlots });
  await endCrawl(work, since);
}
