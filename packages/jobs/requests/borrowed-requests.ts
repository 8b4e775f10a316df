import { once } from 'node:events';
import { CrawlError, messageOf } from '../../errors/index.js';
import { deadline } from '../../util/index.js';
import type { CrawlContext } from '../context.js';
import { inSlots } from '../shards/job-slots.js';
import { openRequests, type RequestedPage, type RequestResult, type Requests } from './requests.js';

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
 * run. Otherwise the job makes requests of its own, and no fetch begins before `close`. So a host gets one delay and one back-off from all
 * jobs. A host that another worker or another process may be requesting gets no request: the result is `host_in_use`, at once.
 */
export function borrowRequests(crawl: CrawlContext, options: BorrowedRequestsOptions): BorrowedRequests {
  const { job, threads = 1, signal = new AbortController().signal } = options;
  const { requestsInUse } = crawl;
  const closing = new AbortController();
  let own: Requests | undefined;
  /** Whether another process has the table open. That process may make requests. */
  let isElsewhere = false;
  let held: Promise<void> | undefined;
  let opening: Promise<void> | undefined;

  function openOwn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const run = crawl.tables.exclusive('fetch', async () => {
        if (closing.signal.aborted) return;
        await inSlots(crawl, { job, asks: true }, { leaveTaken: true, signal }, async (held, ends) => {
          own = openRequests(held, { threads, count: () => {}, ...(ends && { signal: ends }) });
          resolve();
          if (!closing.signal.aborted) await once(closing.signal, 'abort');
          own.abort();
          await own.close();
        });
      });
      held = run.catch((error: unknown) => {
        isElsewhere = error instanceof CrawlError && error.code === 'TABLE_LOCKED';
        if (isElsewhere || signal.aborted) resolve();
        else reject(error instanceof Error ? error : new Error(messageOf(error)));
      });
    });
  }

  async function close(): Promise<void> {
    closing.abort();
    if (own) await held;
  }

  return {
    async request(page) {
      for (;;) {
        if (signal.aborted) return { kind: 'left', reason: 'given_up', asked: false };
        if (isElsewhere) return { kind: 'left', reason: 'host_in_use', asked: false };
        const requests = own ?? requestsInUse?.current;
        if (!requests) {
          const stop = new AbortController();
          opening ??= openOwn();
          // The lock of the own requests may be held by a job that has not opened its requests yet.
          const begun = requestsInUse?.begun(stop.signal);
          await Promise.race([opening, once(signal, 'abort', { signal: stop.signal }), ...(begun ? [begun] : [])]);
          stop.abort();
          continue;
        }
        const result = await requests.request(page, signal);
        const hasRunEnded = result.kind === 'left' && result.reason === 'given_up' && requests !== own;
        if (!hasRunEnded) return result;
        // The run may still wait for requests in flight.
        await deadline(
          requests.running.catch(() => undefined),
          Infinity,
          () => undefined,
          signal,
        );
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
