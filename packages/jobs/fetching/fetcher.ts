import { domainOf } from '../../url/index.js';
import { createGroupWriter, urlOf, type BatchHeader, type PageChange } from '../../../webtable/index.js';
import type { JobRun, OnFetchedOption } from '../context.js';
import type { Count } from '../reporting/counters.js';
import type { FindingsOfRun } from '../reporting/findings.js';
import type { FetchingStatus } from '../reporting/job.js';
import { openRequests } from '../requests/requests.js';
import { checkLeases } from '../shards/job-slots.js';
import { beginBatchFetch, type BatchFetchOptions } from './batch-fetch.js';
import type { FetchTools } from './fetch-item.js';
import { createLargeBodies } from './page/large-bodies.js';
import type { SharedFetch } from './shared-fetch.js';

interface FetcherOptions extends OnFetchedOption {
  /** Maximum number of requests in flight. */
  readonly threads: number;
  /** Aborts when no more work may be started. */
  readonly signal?: AbortSignal;
  /** Aborts at the time limit of the job. Then each batch ends, and the remaining pages of the batch are skipped. */
  readonly timeUp?: AbortSignal;
  /** Counts events that do not belong to a batch. */
  readonly count: Count;
  /** Collects the findings of the run, which a report shows to people. */
  readonly findings: FindingsOfRun;
  /** Called after each page, and repeatedly while fewer requests run than are allowed. */
  readonly onChange?: () => void;
}

/** Fetches the pages of one or more batches at the same time. Each host has its own queue, with a delay between requests. */
export type Fetcher = Awaited<ReturnType<typeof openFetcher>>;

/** Maximum number of bodies larger than `http.contentLimit` in memory at a time. Each is a sitemap of at most 50 MiB. */
const MAX_LARGE_BODIES = 4;

/** Maximum number of hosts whose rows are read at a time. The other hosts of a batch wait. */
const MAX_SOURCES = 5_000;
/** Maximum number of pages, and of hosts, that a status lists. */
const SHOWN = 10;

/**
 * Opens a fetcher. At most one fetcher may run at a time on the slots of the job, because it keeps the delays between requests. While the
 * leases are not held, the fetcher sends no requests.
 */
export async function openFetcher(crawl: JobRun, options: FetcherOptions) {
  const { threads, signal, timeUp, count, onChange = () => {} } = options;
  const requests = openRequests(crawl, {
    threads,
    count,
    ...(signal && { signal }),
    onIdle: onChange,
  });
  const { queues, stopped, running, backoff } = requests;
  const tools: FetchTools = {
    requests,
    largeBodies: createLargeBodies(MAX_LARGE_BODIES),
    findings: options.findings,
    onFetched: options.onFetched ?? (() => {}),
  };

  const users = new Map<string, number>();
  const hosts = new Map<string, number>();
  let sources = 0;
  const waiting: (() => void)[] = [];
  let hasEnded = false;
  const onEnd = (): void => {
    hasEnded = true;
    for (const wake of waiting.splice(0)) wake();
  };
  // One subscription serves all hosts. A `then` for each host would leak memory, because `running` lives as long as the whole run.
  running.then(onEnd, onEnd);
  const shared: SharedFetch = {
    queues,
    stopped,
    timeUp: timeUp ?? new AbortController().signal,
    running,
    store: createGroupWriter<PageChange>(async (changes) => {
      await checkLeases(crawl);
      await crawl.tables.writeFields(changes);
    }),
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
      const count = add(users, queue, by);
      if (count === (by === 1 ? 1 : 0)) add(hosts, domainOf(queue), by);
    },
  };

  return {
    begin: (batch: BatchHeader, own: BatchFetchOptions) => beginBatchFetch(crawl, tools, shared, batch, own),
    /** Whether more requests could run now, if pages of other hosts were queued. */
    get isIdle() {
      return queues.working < threads;
    },
    /** Whether a queue has waiting or running pages. */
    hasPages: (queue: string): boolean => users.has(queue),
    /** Number of queues that have waiting or running pages, and whose hosts belong to this registrable domain. */
    hostsOf: (domain: string): number => hosts.get(domain) ?? 0,
    /** Returns the current state of the fetch, to show it to people. */
    status(): FetchingStatus {
      const now = performance.now();
      const pages = [...shared.inWork];
      const setAside = backoff.setAside();
      const largeSection = options.findings.largeSection();
      return {
        inFlight: pages.length,
        threads,
        waiting: Math.max(0, users.size - new Set(pages.map(({ queue }) => queue)).size),
        setAside: setAside.length,
        ...(largeSection && { largeSection }),
        pages: pages.slice(0, SHOWN).map(({ key, since }) => ({ url: urlOf(key), seconds: (now - since) / 1000 })),
        hosts: setAside.slice(0, SHOWN),
      };
    },
    /** Stops the start of further work. */
    abort: requests.abort,
    /**
     * Waits until all work is done. After `abort`, it waits only for the requests in flight.
     * @throws the error that ended a fetch: an error of the store, or CrawlError PROXY_FAILED
     */
    close: requests.close,
  };
}

/** Adds `by` to a count. Removes the count if it becomes 0. */
function add(counts: Map<string, number>, name: string, by: number): number {
  const count = (counts.get(name) ?? 0) + by;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
  return count;
}
