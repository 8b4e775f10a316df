import { setMaxListeners } from 'node:events';
import { CrawlError, messageOf } from '../../errors/index.js';
import { deadline } from '../../util/index.js';
import { inSlots } from '../shards/job-slots.js';
import { openRequests, type RequestedPage, type RequestingRun, type RequestResult, type Requests } from './requests.js';

interface BorrowedRequestsOptions {
  /** The name of the job, as other workers see it. */
  readonly job: string;
  /** Maximum number of own requests in flight. Default: 1. */
  readonly threads?: number;
  /** Ends all waits, with the result `given_up`. */
  readonly signal?: AbortSignal;
}

/** Requests for a job that fetches no batch, see {@link borrowRequests}. */
export interface BorrowedRequests extends AsyncDisposable {
  /** Requests a URL in the queue of its host, and waits for the result. Redirects are not followed. */
  request(page: RequestedPage): Promise<RequestResult>;
  /** Ends the own requests. Those in flight have two seconds. */
  close(): Promise<void>;
}

/**
 * Makes requests for a job that fetches no batch. If a fetch or a crawl runs in this process, the URLs are requested in the queues of that
 * run. Otherwise the job makes requests of its own, until a fetch wants to begin. So a host gets one delay and one back-off from all jobs. A
 * host that another worker or another process may be requesting gets no request: the result is `host_in_use`, at once.
 */
export function borrowRequests(
  crawl: Omit<RequestingRun, 'jobSlots'>,
  options: BorrowedRequestsOptions,
): BorrowedRequests {
  const { job, threads = 1, signal = new AbortController().signal } = options;
  const { requestsInUse } = crawl;
  const closing = new AbortController();
  const ended = AbortSignal.any([signal, closing.signal]);
  setMaxListeners(0, ended);
  let own: Requests | undefined;
  /** Whether another process has the table open. That process may make requests. */
  let isElsewhere = false;
  /** Settles when the own requests have ended, and the lock for them is free. */
  let holding: Promise<void> | undefined;
  /** Resolves when the own requests are open, or cannot be opened now. */
  let opening: Promise<void> | undefined;

  function openOwn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const mustYield = (): boolean => ended.aborted || requestsInUse.isFetchWaiting;
      const run = crawl.tables.exclusive('fetch', async () => {
        if (mustYield()) return;
        await inSlots(crawl, { job, asks: true }, { leaveTaken: true, signal }, async (jobSlots, ends) => {
          const requests = openRequests({ ...crawl, jobSlots }, { threads, count: () => {}, signal: ends });
          own = requests;
          holding = over;
          opening = undefined;
          resolve();
          const runEnded = requests.running.catch(() => undefined);
          while (!mustYield() && requestsInUse.current === requests) {
            await Promise.race([requestsInUse.changed(ended), runEnded]);
          }
          own = undefined;
          requests.abort();
          await requests.close();
        });
      });
      const over = run
        .catch((error: unknown) => {
          isElsewhere = error instanceof CrawlError && error.code === 'TABLE_LOCKED';
          if (!isElsewhere && !signal.aborted) reject(error instanceof Error ? error : new Error(messageOf(error)));
        })
        .finally(() => {
          if (holding === over) holding = undefined;
          else opening = undefined;
          resolve();
        });
    });
  }

  async function close(): Promise<void> {
    closing.abort();
    await holding;
  }

  return {
    async request(page) {
      for (;;) {
        if (ended.aborted) return { kind: 'left', reason: 'given_up', asked: false };
        if (isElsewhere) return { kind: 'left', reason: 'host_in_use', asked: false };
        const requests = own ?? requestsInUse.current;
        if (!requests) {
          opening ??= openOwn();
          // The lock of the own requests may be held by a job that has not opened its requests yet.
          await Promise.race([opening, requestsInUse.changed(ended)]);
          continue;
        }
        const result = await requests.request(page, ended);
        const isOver = requests.stopped.aborted || requestsInUse.current !== requests;
        if (result.kind !== 'left' || result.reason !== 'given_up' || !isOver) return result;
        // The run may still wait for requests in flight.
        await deadline(
          requests.running.catch(() => undefined),
          Infinity,
          () => undefined,
          ended,
        );
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
