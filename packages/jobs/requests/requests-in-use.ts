import type { CrawlContext } from '../context.js';
import type { Requests } from './requests.js';

/** The requests that run on a table in this process. There is at most one run at a time. */
export interface RequestsInUse {
  /** The run, as long as it is open. */
  readonly current: Requests | undefined;
  /** Whether a fetch waits until the requests of other jobs have ended. */
  readonly isFetchWaiting: boolean;
  /** Sets the current run. */
  begin(requests: Requests): void;
  /** Announces that a fetch waits. Call the result when it waits no more. */
  announceFetch(): () => void;
  /** Resolves when the next run begins, a fetch is announced, or the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
}

export function createRequestsInUse(): RequestsInUse {
  const waiting = new Set<() => void>();
  const fetches = new Set<() => void>();
  let current: Requests | undefined;
  const wakeAll = (): void => {
    for (const wake of waiting) wake();
  };
  return {
    get current() {
      return current?.isOpen ? current : undefined;
    },
    get isFetchWaiting() {
      return fetches.size > 0;
    },
    begin(requests) {
      current = requests;
      const end = (): void => {
        if (current === requests) current = undefined;
      };
      requests.running.then(end, end);
      wakeAll();
    },
    announceFetch() {
      const end = (): void => void fetches.delete(end);
      fetches.add(end);
      wakeAll();
      return end;
    },
    changed: (signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener('abort', wake);
      }),
  };
}

/** Runs a fetch. Another job of this process that makes its own requests ends them first, and continues in the queues of the fetch. */
export async function whileFetching<T>(
  { tables, requestsInUse }: Pick<CrawlContext, 'tables' | 'requestsInUse'>,
  fetch: () => Promise<T>,
): Promise<T> {
  const endWait = requestsInUse.announceFetch();
  try {
    return await tables.exclusive('fetch', () => {
      endWait();
      return fetch();
    });
  } finally {
    endWait();
  }
}
