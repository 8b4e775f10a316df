import type { Settings } from '../../../config/index.js';
import { createBoundedCache } from '../../util/index.js';

/** The delay of every queue in a run, in seconds. It is only ever raised above `fetcher.serverDelay`. */
export type QueueDelays = ReturnType<typeof createQueueDelays>;

/** How much of a new time goes into the smoothed one. */
const WEIGHT = 0.25;
/** In seconds, where `fetcher.maxCrawlDelay` sets no limit: slow answers slow a queue down no further than this. */
const LONGEST = 30;

/** What is known of others is forgotten; a Crawl-delay comes again with the next page. */
const MAX_QUEUES = 100_000;

/** Whether a Crawl-delay (seconds) is longer than any that is kept: pages of such a host are not fetched. */
export function isTooLong({ maxCrawlDelay }: Settings['fetcher'], crawlDelay: number | undefined): boolean {
  return crawlDelay !== undefined && maxCrawlDelay >= 0 && crawlDelay > maxCrawlDelay;
}

/** Starts with the same delay for all. What differs from it is kept for each queue that was asked lately. */
export function createQueueDelays(settings: Settings['fetcher']) {
  const { threadsPerQueue, serverDelay, serverMinDelay, maxCrawlDelay, delayFactor } = settings;
  const usual = threadsPerQueue > 1 ? serverMinDelay : serverDelay;
  const longest = maxCrawlDelay < 0 ? LONGEST : maxCrawlDelay;
  const asked = createBoundedCache<number>(MAX_QUEUES);
  const times = createBoundedCache<number>(MAX_QUEUES);
  return {
    of(queue: string): number {
      const slowed = Math.min(delayFactor * (times.get(queue) ?? 0), longest);
      return Math.max(asked.get(queue) ?? usual, slowed);
    },
    /** Takes a Crawl-delay in seconds; of several hosts in a queue the longest holds. */
    crawlDelay(queue: string, seconds: number): void {
      asked.set(queue, Math.max(serverDelay, seconds, asked.get(queue) ?? 0), 1);
    },
    /** Takes how many milliseconds an answer took, where that is known. */
    answered(queue: string, millis: number | undefined): void {
      if (delayFactor === 0 || millis === undefined || !(millis >= 0)) return;
      const seconds = millis / 1000;
      const before = times.get(queue) ?? seconds;
      times.set(queue, before + WEIGHT * (seconds - before), 1);
    },
  };
}
