import { createFetchQueues, createRobots, type RobotsHop } from '../../fetch/index.js';
import { urlOf, type BatchHeader } from '../../../webtable/index.js';
import type { Count } from '../reporting/counters.js';
import { beginBatchFetch, type BatchFetch, type BatchFetchOptions } from './batch-fetch.js';
import type { QueuedPage, SharedFetch } from './shared-fetch.js';
import type { CrawlContext } from '../context.js';
import type { FetchTools } from './fetch-item.js';
import { createLargeBodies } from './large-bodies.js';
import { createProxyWatch } from '../requests/proxy-watch.js';
import { gracePeriod } from '../requests/grace-period.js';
import type { FetchingStatus } from '../reporting/job.js';
import { createHostBackoff } from '../hosts/host-backoff.js';
import { askingHolder } from '../requests/asking-holder.js';
import { robotsProtocol } from '../requests/protocol-for.js';
import { createQueueDelays } from '../hosts/queue-delays.js';
import { createQueueNames } from '../hosts/queue-name.js';
import { createRobotsTurns } from '../requests/robots-turns.js';
import { createRobotsStore, robotsAgents } from '../requests/robots-files.js';
import { createSeedHosts } from '../hosts/seed-hosts.js';
import { hostIfAny, withBackoff } from '../requests/robots-backoff.js';
import { isOwn } from '../shards/own-slots.js';
import { noteJoined } from './slots-through.js';
import { createStoreOfPages } from './store-of-pages.js';

/** What {@link openFetcher} takes. */
export interface FetcherOptions {
  /** Requests in flight at the most. */
  readonly threads: number;
  /** Ends all: nothing more is started. */
  readonly signal?: AbortSignal;
  /** Aborts when the time of the job is over: each batch ends, and what is left of it is passed over. */
  readonly timeUp?: AbortSignal;
  /** The batch that is fetched, where it is the only one: to it belong the requests that others are to make. */
  readonly batchId?: string;
  /** Counts what belongs to no batch. */
  readonly count: Count;
  /** Called often: when a page is through, and when fewer requests are in flight than may be. */
  readonly onChange?: () => void;
}

/** Fetches the pages of batches, of several at a time where asked, each host in its own queue with its delay. */
export interface Fetcher {
  /** Begins with a batch that is open. */
  begin(batch: BatchHeader, options: BatchFetchOptions): Promise<BatchFetch>;
  /** Whether more requests could be in flight now, if there were hosts to ask. */
  readonly isIdle: boolean;
  /** Whether a queue has pages that wait or are in work. */
  hasPages(queue: string): boolean;
  /** What it is at. */
  status(): FetchingStatus;
  /** Starts nothing more. */
  abort(): void;
  /**
   * Waits until everything is through, or after an abort until nothing is in flight.
   * @throws what ended a fetch: a store that failed; CrawlError PROXY_FAILED
   */
  close(): Promise<void>;
}

/** Bodies beyond `http.contentLimit` that are in memory at a time. Each is a sitemap, of at most 50 MiB. */
const MAX_LARGE_BODIES = 4;

/** Hosts whose rows are being read at a time; the others of a batch wait their turn. */
const MAX_SOURCES = 5_000;
/** Pages and hosts that a status names. */
const SHOWN = 10;

/**
 * Opens a fetcher; one at a time on what the job holds of a table, so that politeness holds. It asks nobody while the leases are not
 * held.
 */
export async function openFetcher(crawl: CrawlContext, options: FetcherOptions): Promise<Fetcher> {
  const { settings, tables, clock } = crawl;
  const { threads, signal, timeUp, count, onChange = () => {} } = options;
  const delays = createQueueDelays(settings.fetcher);
  const backoff = createHostBackoff(crawl, { onFailure: () => count('backed_off') });
  const seedHosts = createSeedHosts(crawl);
  const proxy = createProxyWatch(crawl);
  const queues = createFetchQueues<QueuedPage>({
    threads,
    threadsPerQueue: settings.fetcher.threadsPerQueue,
    delay: delays.of,
    onIdle: onChange,
  });
  const controller = new AbortController();
  const stopped = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
  const grace = gracePeriod(stopped);
  const queueNames = createQueueNames(crawl);
  // From here on by a clock that is never set back.
  const now = { wall: clock(), ticks: performance.now() };
  const since = (queue: string): number =>
    now.ticks - (now.wall - (crawl.own?.leases.askedAt(tables.slots.ofQueue(queue)) ?? 0));
  const holder = askingHolder(crawl, grace.signal);
  const tools: FetchTools = {
    robots: createRobots({
      protocol: withBackoff(
        holder.protocol(robotsProtocol(crawl, seedHosts, count, proxy.note)),
        backoff,
        grace.signal,
      ),
      async elsewhere(url) {
        const host = hostIfAny(url);
        const slot = host === undefined ? undefined : tables.slots.ofQueue(await queueNames.nameOf(host));
        const { batchId } = options;
        if (slot === undefined || batchId === undefined || isOwn(crawl, slot)) return undefined;
        const request = await tables.batches.robotsRequests.get(batchId, slot, url);
        if (request?.answer) return request.answer as unknown as RobotsHop;
        if (!request) await tables.batches.robotsRequests.make(batchId, slot, url);
        await noteJoined(tables, batchId, slot);
        return 'asked';
      },
      agents: robotsAgents(settings),
      clock,
      store: createRobotsStore(tables),
      ...(crawl.outsideChanges && { changes: crawl.outsideChanges }),
      inTurn: createRobotsTurns(crawl, { queues, queueNames, delays, backoff }),
    }),
    seedHosts,
    backoff,
    delays,
    largeBodies: createLargeBodies(MAX_LARGE_BODIES),
    proxy,
    queueNames,
    since,
    elsewhere: new Set(),
    mayGoOn: holder.mayGoOn,
  };

  let stopFeeding = (): void => {};
  const feeding = new Promise<void>((resolve) => (stopFeeding = resolve));
  const running = queues.run((page, queue) => page.work(queue), stopped, feeding);
  // Whoever waits for a batch, or for the end, gets the failure.
  running.catch(() => undefined);

  const users = new Map<string, number>();
  let sources = 0;
  const waiting: (() => void)[] = [];
  let hasEnded = false;
  const onEnd = (): void => {
    hasEnded = true;
    for (const wake of waiting.splice(0)) wake();
  };
  // Subscribe once: a `then` per host on a promise that lives for the whole run would leak.
  running.then(onEnd, onEnd);
  const shared: SharedFetch = {
    queues,
    stopped,
    timeUp: timeUp ?? new AbortController().signal,
    running,
    store: createStoreOfPages(crawl),
    inWork: new Set(),
    onPage: onChange,
    async openSource(): Promise<void> {
      if (sources >= MAX_SOURCES && !hasEnded) await new Promise<void>((resolve) => waiting.push(resolve));
      if (hasEnded) await running;
      sources += 1;
    },
    closeSource(): void {
      sources -= 1;
      waiting.shift()?.();
    },
    useQueue(queue: string, by: 1 | -1): void {
      const count = (users.get(queue) ?? 0) + by;
      if (count > 0) users.set(queue, count);
      else users.delete(queue);
    },
  };

  return {
    begin: (batch, own) => beginBatchFetch(crawl, tools, shared, batch, own),
    get isIdle() {
      return queues.working < threads;
    },
    hasPages: (queue) => users.has(queue),
    status() {
      const now = performance.now();
      const pages = [...shared.inWork];
      const hosts = backoff.setAside();
      return {
        inFlight: pages.length,
        threads,
        waiting: Math.max(0, users.size - new Set(pages.map(({ queue }) => queue)).size),
        setAside: hosts.length,
        pages: pages.slice(0, SHOWN).map(({ key, since }) => ({ url: urlOf(key), seconds: (now - since) / 1000 })),
        hosts: hosts.slice(0, SHOWN),
      };
    },
    abort: () => controller.abort(),
    async close() {
      stopFeeding();
      try {
        await running;
      } finally {
        grace.clear();
      }
      if (!signal?.aborted) proxy.conclude();
    },
  };
}
