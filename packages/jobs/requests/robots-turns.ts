import type { FetchQueues, HostTurn } from '../../fetch/index.js';
import type { CrawlContext } from '../context.js';
import type { FetchTools } from '../fetching/fetch-item.js';
import { isTooLong } from '../hosts/queue-delays.js';
import { hostIfAny } from './robots-backoff.js';

/** What turns are made of. */
export interface RobotsTurnsOptions extends Pick<FetchTools, 'queueNames' | 'delays' | 'backoff'> {
  readonly queues: Pick<FetchQueues<never>, 'runTask' | 'pause' | 'setDelay'>;
}

/**
 * Has the requests that redirects of a robots.txt lead to wait in the queue of the host there, as its pages do: for its
 * delay, and for a host that is to be left alone for a short while. A Crawl-delay found that way holds from then on.
 */
export function createRobotsTurns(
  { settings }: Pick<CrawlContext, 'settings'>,
  { queues, queueNames, delays, backoff }: RobotsTurnsOptions,
): HostTurn {
  return async (url, ask) => {
    const host = hostIfAny(url);
    const queue = host === undefined ? url : await queueNames.nameOf(host);
    for (let isMade = false; !isMade;) {
      const hadTurn = await queues.runTask(queue, async () => {
        const pause = host === undefined ? undefined : await backoff.pauseOf(host);
        if (pause && !pause.isLong) {
          queues.pause(queue, pause.seconds);
          return 'no_request';
        }
        isMade = true;
        const { asked, crawlDelay } = await ask();
        // Pages of a host that asks for more are not fetched at all.
        if (crawlDelay !== undefined && !isTooLong(settings.fetcher, crawlDelay)) {
          delays.crawlDelay(queue, crawlDelay);
          queues.setDelay(queue, delays.of(queue));
        }
        return asked ? undefined : 'no_request';
      });
      if (!hadTurn) return false;
    }
    return true;
  };
}
