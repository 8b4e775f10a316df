import { createQueueNames, hostKeyOfRow, hostOfKey, hostRange, isTooLong, type CrawlContext } from '../core/index.js';
import { safeText } from '../errors/index.js';
import { figures } from '../util/index.js';
import { secondsPerPage, secondsFor } from './delay.js';
import type { HostFigures } from './figures.js';
import { readHosts } from './hosts.js';

const { duration, number, quantity } = figures;

/** The speed at which a host is crawled, and the reasons for it. Times are ms since the epoch; texts may be untrusted. */
export interface HostExplanation {
  /** The time of the explanation. */
  readonly now: number;
  /** The host in the form of the table: lower-case ASCII. */
  readonly host: string;
  /** The queue of the host. Delays apply within a queue. */
  readonly queue: {
    readonly mode: 'host' | 'domain' | 'ip';
    /** Absent if queues are by IP, because the host is not looked up. */
    readonly name?: string;
    /** Maximum number of parallel requests of the queue. */
    readonly threads: number;
  };
  /**
   * The figures of the host. If queues are by domain, they include all hosts of the domain, because these share the queue. Absent if the
   * table has no page of these hosts.
   */
  readonly figures?: HostFigures;
  /** Seconds from one page to the next. Absent without `figures`. */
  readonly secondsPerPage?: number;
  /** Seconds to fetch all pages that are due now, including the rest of the back-off. Absent without `figures`. */
  readonly secondsForDue?: number;
  /** The explanation for people, one sentence each. The speed comes first, then the reasons. */
  readonly text: readonly string[];
}

/**
 * Explains the speed of a host: the delay and its source, the queue, the response times, the back-off, and the time to fetch all due
 * pages. It reads the rows of the host. It writes nothing and makes no requests.
 * @param given the host, without a port
 * @throws CrawlError BAD_URL if it is not a host
 */
export async function explainHost(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock' | 'lookup'>,
  given: string,
): Promise<HostExplanation> {
  const { partition, fetcher } = crawl.settings;
  const mode = partition.urlMode;
  const host = hostOfKey(hostKeyOfRow(hostRange(given).start));
  const now = crawl.clock();
  const name = mode === 'ip' ? undefined : await createQueueNames(crawl).nameOf(host);
  let found: HostFigures | undefined;
  const asked = mode === 'domain' && name !== undefined ? ({ host: name, by: 'domain' } as const) : { host };
  for await (const each of readHosts(crawl, asked)) found = each;
  const queue = { mode, ...(name !== undefined && { name }), threads: fetcher.threadsPerQueue };
  if (!found) return { now, host, queue, text: [`The table has no page of ${safeText(host, 300)}.`] };
  const { delay, meanMs, due, backoff } = found;
  const wait = Math.max(0, (backoff?.until ?? 0) - now) / 1000;
  const forDue = secondsFor(due, fetcher, delay.seconds, meanMs);
  const known = {
    now,
    host,
    queue,
    figures: found,
    secondsPerPage: secondsPerPage(fetcher, delay.seconds, meanMs),
    secondsForDue: due > 0 ? wait + forDue : 0,
  };
  return { ...known, text: textOf(crawl, known) };
}

type Explained = Omit<HostExplanation, 'text' | 'figures' | 'secondsPerPage' | 'secondsForDue'> &
  Required<Pick<HostExplanation, 'figures' | 'secondsPerPage' | 'secondsForDue'>>;

function textOf(
  { settings }: Pick<CrawlContext, 'settings'>,
  { now, queue, figures: found, secondsPerPage: seconds, secondsForDue }: Explained,
): string[] {
  const { delay, robots, backoff, meanMs, slowestMs = 0, responses, due, inBatches, inBackoff } = found;
  const sharing = {
    host: 'one queue',
    domain: `one queue for all hosts of ${queue.name}`,
    ip: 'one queue for its address',
  };
  const threads = queue.threads === 1 ? '' : `, up to ${number(queue.threads)} requests at a time`;
  const by =
    delay.by === 'fetcher.delayFactor'
      ? `${number(delay.seconds)} s of delay, computed from its response times (fetcher.delayFactor)`
      : `${delay.by} ${number(delay.seconds)}`;
  const text = [`${number(seconds, 1)} s a page: ${by}, ${sharing[queue.mode]}${threads}.`];
  if (isTooLong(settings.fetcher, robots?.crawlDelay)) {
    text.push(
      `Its Crawl-delay of ${number(robots!.crawlDelay!)} s is beyond fetcher.maxCrawlDelay (${number(settings.fetcher.maxCrawlDelay)}), so its pages are not fetched.`,
    );
  }
  text.push(
    meanMs === undefined
      ? 'How long its responses take is not known yet.'
      : `A response takes ${duration(meanMs / 1000)}, the slowest took ${duration(slowestMs / 1000)} (${quantity(responses, 'page')}).`,
  );
  if (robots?.verdict === 'unknown') text.push('Its robots.txt is not stored, so it may have a Crawl-delay.');
  if (robots?.verdict === 'denies')
    text.push(`The robots.txt of ${safeText(robots.origin, 300)} denies the front page.`);
  if (backoff) text.push(backoffText(backoff, now));
  if (inBackoff > 0 && !backoff) text.push(`${quantity(inBackoff, 'host')} of it are in back-off now.`);
  if (inBatches > 0) text.push(`${quantity(inBatches, 'page')} of it ${inBatches === 1 ? 'is' : 'are'} in a batch.`);
  text.push(
    due === 0
      ? 'No page of it is due.'
      : `${quantity(due, 'page')} ${due === 1 ? 'is' : 'are'} due: ${duration(secondsForDue)}.`,
  );
  return text;
}

function backoffText({ until, failures, code, http }: NonNullable<HostFigures['backoff']>, now: number): string {
  const why = `${safeText(code, 80)}${http ? ` (HTTP ${http})` : ''}, ${quantity(failures, 'failure')} in a row`;
  if (until <= now) return `Its last request failed: ${why}. It may get requests again now.`;
  return `It gets no requests for ${duration((until - now) / 1000)}, until ${new Date(until).toISOString()}: ${why}.`;
}
