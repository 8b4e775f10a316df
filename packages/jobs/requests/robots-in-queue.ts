import type { FetchQueues, InHostQueue } from '../../fetch/index.js';
import type { CrawlContext } from '../context.js';
import type { Requests } from './requests.js';
import { isTooLong } from '../hosts/queue-delays.js';
import { hostIfAny } from '../../url/index.js';

interface RobotsInQueueOptions extends Pick<Requests, 'queueNames' | 'delays' | 'backoff'> {
  readonly queues: Pick<FetchQueues<never>, 'runTask' | 'pause' | 'setDelay'>;
}

/**
 * Makes requests for a redirected robots.txt wait in the queue of the target host, as pages of this host do. They wait for the delay of the
 * queue, and for a short back-off. A Crawl-delay in the robots.txt applies to all later requests of the queue.
 */
export function createRobotsInQueue(
  { settings }: Pick<CrawlContext, 'settings'>,
  { queues, queueNames, delays, backoff }: RobotsInQueueOptions,
): InHostQueue {
  return async (url, ask) => {
    const host = hostIfAny(url);
    const queue = host === undefined ? url : await queueNames.nameOf(host);
    for (let isMade = false; !isMade;) {
      const isQueued = await queues.runTask(queue, async () => {
        const pause = host === undefined ? undefined : await backoff.pauseOf(url);
        if (pause?.kind === 'wait') {
          queues.pause(queue, pause.seconds);
          return 'no_request';
        }
        isMade = true;
        const { asked, crawlDelay } = await ask();
        // If the Crawl-delay is too long, the pages of the host are not fetched at all.
        if (crawlDelay !== undefined && !isTooLong(settings.fetcher, crawlDelay)) {
          delays.crawlDelay(queue, crawlDelay);
          queues.setDelay(queue, delays.of(queue));
        }
        return asked ? undefined : 'no_request';
      });
      if (!isQueued) return false;
    }
    return true;
  };
}
