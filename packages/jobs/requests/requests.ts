import { createFetchQueues, createRobots, type FetchQueues, type Robots } from '../../fetch/index.js';
import { hostIfAny, hostOf } from '../../url/index.js';
import { deadline, gracePeriod } from '../../util/index.js';
import { hostKeyOf } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import { createHostBackoff, type HostBackoff } from '../hosts/host-backoff.js';
import { createQueueDelays, type QueueDelays } from '../hosts/queue-delays.js';
import { createQueueNames, type QueueNames } from '../hosts/queue-name.js';
import { createSeedHosts, type SeedHosts } from '../hosts/seed-hosts.js';
import type { Count } from '../reporting/counters.js';
import { GRACE_PERIOD } from './grace-period.js';
import { isOfJob } from '../shards/job-slots.js';
import { createLeaseGuard } from './lease-guard.js';
import { robotsProtocol } from './protocol-for.js';
import { createProxyWatch, type ProxyWatch } from './proxy-watch.js';
import { requestPage, type LeftReason, type PageRequest, type RequestTurn } from './request-page.js';
import { withBackoff } from './robots-backoff.js';
import { createRobotsStore, robotsAgents } from './robots-files.js';
import { createRobotsInQueue } from './robots-in-queue.js';

interface RequestsOptions {
  /** Maximum number of requests in flight. */
  readonly threads: number;
  /** Aborts when no more requests may be started. */
  readonly signal?: AbortSignal;
  /** Counts back-offs, and failures of plugins. */
  readonly count: Count;
  /** Called often while fewer requests are in flight than are allowed. */
  readonly onIdle?: () => void;
}

const GIVEN_UP: RequestResult = { kind: 'left', reason: 'given_up', asked: false };

/** A caller that waits for a result. */
interface Waiter {
  readonly give: (result: RequestResult) => void;
  readonly fail: (error: unknown) => void;
}

/** What a run of requests uses. */
export type RequestingRun = Pick<
  JobRun,
  'tables' | 'settings' | 'plugins' | 'clock' | 'random' | 'lookup' | 'outsideChanges' | 'requestsInUse' | 'jobSlots'
>;

export interface QueuedWork {
  work(queue: string): Promise<'no_request' | void>;
}

/** A URL to request once. */
export type RequestedPage = Omit<PageRequest, 'tries' | 'giveUp'>;

/**
 * The outcome of a URL, or the reason why it was not requested. `given_up`: the run ended before. `host_in_use`: another worker requests the
 * pages of this host.
 */
export type RequestResult =
  | Exclude<RequestTurn, { kind: 'again' | 'left' }>
  | { readonly kind: 'left'; readonly reason: LeftReason | 'host_in_use'; readonly asked: boolean };

/** Why a URL was not requested, in words. */
export const NOT_REQUESTED: Readonly<Record<Extract<RequestResult, { kind: 'left' }>['reason'], string>> = {
  host_in_use: 'a crawl is using this host',
  host_backoff: 'the host is in back-off',
  given_up: 'the requests were stopped',
  proxy_failed: 'the proxy failed',
};

/**
 * The requests of a run: a queue for each host, domain or IP, with its delay, and the robots.txt and back-off of each host. All verbs that
 * request pages use it, so a host gets its delay from all of them.
 */
export interface Requests {
  readonly queues: FetchQueues<QueuedWork>;
  readonly robots: Robots;
  readonly seedHosts: SeedHosts;
  readonly backoff: HostBackoff;
  readonly delays: QueueDelays;
  readonly proxy: ProxyWatch;
  readonly queueNames: QueueNames;
  /** The latest time when an earlier job on this table may have sent a request to a host of the queue, by `performance.now`. */
  readonly since: (queue: string) => number;
  /** Waits until the leases of the slots are held, so that a request may be sent. Resolves to false if the run has to stop. */
  readonly mayGoOn: () => Promise<boolean>;
  /** Aborts when no more requests may be started. */
  readonly stopped: AbortSignal;
  /** Whether URLs can be requested by {@link Requests.request}: the run was neither aborted nor closed, and has not failed. */
  readonly isOpen: boolean;
  /** Settles when the run has ended. Rejects with the error that ended it. */
  readonly running: Promise<void>;
  /** Delays the first request of a new queue, because an earlier job may have just sent a request to its hosts. */
  delayFirst(queue: string): void;
  /**
   * Requests a URL in its queue, and waits for the result. Redirects are not followed.
   * @param signal ends the wait, with the result `given_up`
   * @throws the error that ended the run
   */
  request(page: RequestedPage, signal?: AbortSignal): Promise<RequestResult>;
  /** Stops the start of more requests. */
  abort(): void;
  /**
   * Waits until all requests are done. After `abort`, it waits only for the requests in flight.
   * @throws the error that ended the run: an error of the store, or CrawlError PROXY_FAILED
   */
  close(): Promise<void>;
}

/**
 * Starts a run of requests. At most one may run at a time on the slots of the job, because it keeps the delays between requests. While the
 * leases are not held, it sends no requests.
 */
export function openRequests(crawl: RequestingRun, options: RequestsOptions): Requests {
  const { settings, tables, clock } = crawl;
  const { threads, signal, count, onIdle = () => {} } = options;
  const isForeign = (host: string): boolean => !isOfJob(crawl, tables.slots.of(hostKeyOf(host)));
  const delays = createQueueDelays(settings.fetcher);
  const backoff = createHostBackoff(crawl, { onFailure: () => count('backed_off') });
  const seedHosts = createSeedHosts(crawl);
  const proxy = createProxyWatch(crawl);
  const queues = createFetchQueues<QueuedWork>({
    threads,
    threadsPerQueue: settings.fetcher.threadsPerQueue,
    delay: delays.of,
    onIdle,
  });
  const controller = new AbortController();
  const stopped = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
  const grace = gracePeriod(stopped, GRACE_PERIOD);
  const queueNames = createQueueNames(crawl);
  // All later times are measured by `performance.now`, which is never set back.
  const now = { wall: clock(), ticks: performance.now() };
  const leaseGuard = createLeaseGuard(crawl, grace.signal);
  const protocol = leaseGuard.protocol(robotsProtocol(crawl, seedHosts, count, proxy.note));

  let isOpen = true;
  let stopFeeding = (): void => {};
  const feeding = new Promise<void>((resolve) => (stopFeeding = resolve));
  const running = queues.run((item, queue) => item.work(queue), stopped, feeding);
  /** The callers of `request` that wait for a result. One subscription to `running` serves all of them. */
  const waiting = new Set<Waiter>();
  running.then(
    () => {
      isOpen = false;
      for (const { give } of waiting) give(GIVEN_UP);
    },
    (error: unknown) => {
      isOpen = false;
      for (const { fail } of waiting) fail(error);
    },
  );

  const requests: Requests = {
    queues,
    robots: createRobots({
      protocol: withBackoff(protocol, backoff, grace.signal),
      isForeign(url) {
        const host = hostIfAny(url);
        return host !== undefined && isForeign(host);
      },
      agents: robotsAgents(settings),
      clock,
      store: createRobotsStore(tables),
      changes: crawl.outsideChanges,
      inHostQueue: createRobotsInQueue(crawl, { queues, queueNames, delays, backoff }),
    }),
    seedHosts,
    backoff,
    delays,
    proxy,
    queueNames,
    since: (queue) => now.ticks - (now.wall - (crawl.jobSlots.leases.askedAt(tables.slots.ofQueue(queue)) ?? 0)),
    mayGoOn: leaseGuard.mayGoOn,
    stopped,
    get isOpen() {
      return isOpen && !stopped.aborted;
    },
    running,
    delayFirst(queue) {
      const delay = delays.of(queue);
      if (delay > 0) queues.pause(queue, (requests.since(queue) - performance.now()) / 1000 + delay);
    },
    async request(page, giveUp) {
      const queue = await queueNames.nameOf(hostOf(page.url));
      if (!isOfJob(crawl, tables.slots.of(hostKeyOf(hostOf(page.url)))))
        return { kind: 'left', reason: 'host_in_use', asked: false };
      if (!requests.isOpen) return GIVEN_UP;
      let waiter: Waiter;
      const result = new Promise<RequestResult>((give, fail) => waiting.add((waiter = { give, fail })));
      const workOn = (tries: number): QueuedWork => ({
        async work() {
          if (!waiting.has(waiter)) return 'no_request';
          const turn = await requestPage(crawl, requests, { ...page, tries, giveUp: grace.signal }, queue);
          if (turn.kind !== 'again') waiter.give(turn);
          else queues[turn.place === 'next' ? 'requeue' : 'push'](queue, workOn(turn.tries));
          return turn.asked ? undefined : 'no_request';
        },
      });
      requests.delayFirst(queue);
      queues.push(queue, workOn(0));
      return deadline(result, Infinity, () => GIVEN_UP, giveUp).finally(() => waiting.delete(waiter));
    },
    abort: () => controller.abort(),
    async close() {
      isOpen = false;
      stopFeeding();
      try {
        await running;
      } finally {
        grace.clear();
      }
      if (!signal?.aborted) proxy.conclude();
    },
  };
  crawl.requestsInUse.begin(requests);
  return requests;
}
