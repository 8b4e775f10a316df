import { createQueueDelays, type Settings } from '../core/index.js';

/** The delay between two requests of a queue, and its source. */
export interface DelayInForce {
  /** Seconds. With one thread per queue: from the end of a request to the start of the next. With more threads: from start to start. */
  readonly seconds: number;
  /** The source of the delay: a setting, or the `Crawl-delay` of robots.txt. */
  readonly by: 'fetcher.serverDelay' | 'fetcher.serverMinDelay' | 'fetcher.delayFactor' | 'Crawl-delay';
}

const QUEUE = '';

/**
 * Returns the delay between two requests of a queue, as a fetch applies it.
 * @param crawlDelay seconds; absent if robots.txt names no delay, or is not known
 * @param meanMs mean time of a response, in ms; absent if unknown
 */
export function delayInForce(
  fetcher: Settings['fetcher'],
  crawlDelay: number | undefined,
  meanMs: number | undefined,
): DelayInForce {
  const delays = createQueueDelays(fetcher);
  const usual = delays.of(QUEUE);
  if (crawlDelay !== undefined) delays.crawlDelay(QUEUE, crawlDelay);
  const asked = delays.of(QUEUE);
  delays.answered(QUEUE, meanMs);
  const seconds = delays.of(QUEUE);
  if (seconds > asked) return { seconds, by: 'fetcher.delayFactor' };
  if (crawlDelay !== undefined && seconds === crawlDelay && seconds > usual) return { seconds, by: 'Crawl-delay' };
  const isMany = fetcher.threadsPerQueue > 1 && seconds === usual;
  return { seconds, by: isMany ? 'fetcher.serverMinDelay' : 'fetcher.serverDelay' };
}

/**
 * Returns the seconds that a queue needs for a number of requests, according to its delay and its threads.
 * @param meanMs mean time of a response, in ms; absent: responses take no time
 */
export function secondsFor(
  requests: number,
  { threadsPerQueue }: Pick<Settings['fetcher'], 'threadsPerQueue'>,
  delay: number,
  meanMs = 0,
): number {
  if (requests === 0) return 0;
  const response = meanMs / 1000;
  if (threadsPerQueue === 1) return requests * response + (requests - 1) * delay;
  return Math.max((requests - 1) * delay + response, (requests * response) / threadsPerQueue);
}

/** Returns the seconds from one request of a queue to the next, as long as the queue has many pages. */
export function secondsPerPage(
  { threadsPerQueue }: Pick<Settings['fetcher'], 'threadsPerQueue'>,
  delay: number,
  meanMs = 0,
): number {
  return threadsPerQueue === 1 ? delay + meanMs / 1000 : Math.max(delay, meanMs / 1000 / threadsPerQueue);
}
