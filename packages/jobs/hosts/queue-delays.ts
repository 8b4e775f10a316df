import type { Settings } from '../../../config/index.js';
import { createBoundedCache } from '../../util/index.js';

/** The delay of every queue in a run, in seconds. A Crawl-delay or slow answers can only raise a delay above the configured value. */
export type QueueDelays = ReturnType<typeof createQueueDelays>;

/** Weight of a new time in the smoothed average. */
const NEW_TIME_WEIGHT = 0.25;
/** Slow answers do not raise the delay of a queue above this number of seconds. This limit applies if `fetcher.maxCrawlDelay` sets no limit. */
const MAX_DELAY_SECONDS = 30;

/** Maximum number of remembered queues. If a queue is forgotten, the Crawl-delay is read again with the next page of the queue. */
const MAX_QUEUES = 100_000;

/** Whether a Crawl-delay (seconds) is longer than the accepted maximum. If so, the pages of the host are not fetched. */
export function isTooLong({ maxCrawlDelay }: Settings['fetcher'], crawlDelay: number | undefined): boolean {
  return crawlDelay !== undefined && maxCrawlDelay >= 0 && crawlDelay > maxCrawlDelay;
}

/** Creates delays that are the same for all queues at first. Different delays are remembered for recently used queues. */
export function createQueueDelays(settings: Settings['fetcher']) {
  const { threadsPerQueue, serverDelay, serverMinDelay, maxCrawlDelay, delayFactor } = settings;
  const usual = threadsPerQueue > 1 ? serverMinDelay : serverDelay;
  const longest = maxCrawlDelay < 0 ? MAX_DELAY_SECONDS : maxCrawlDelay;
  const asked = createBoundedCache<number>(MAX_QUEUES);
  const times = createBoundedCache<number>(MAX_QUEUES);
  return {
    of(queue: string): number {
      const slowed = Math.min(delayFactor * (times.get(queue) ?? 0), longest);
      return Math.max(asked.get(queue) ?? usual, slowed);
    },
    /** Sets a Crawl-delay in seconds. If the hosts of a queue have different delays, the longest applies. */
    crawlDelay(queue: string, seconds: number): void {
      asked.set(queue, Math.max(serverDelay, seconds, asked.get(queue) ?? 0), 1);
    },
    /** Records how many milliseconds an answer took. undefined: unknown. */
    answered(queue: string, millis: number | undefined): void {
      if (delayFactor === 0 || millis === undefined || !(millis >= 0)) return;
      const seconds = millis / 1000;
      const before = times.get(queue) ?? seconds;
      times.set(queue, before + NEW_TIME_WEIGHT * (seconds - before), 1);
    },
  };
}
