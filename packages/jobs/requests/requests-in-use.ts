import type { Requests } from './requests.js';

/** The requests that run on a table in this process. There is at most one run at a time. */
export interface RequestsInUse {
  readonly current: Requests | undefined;
  /** Sets the current run until it ends. */
  begin(requests: Requests): void;
  /** Resolves when the next run begins, or the signal aborts. */
  begun(signal: AbortSignal): Promise<void>;
}

export function createRequestsInUse(): RequestsInUse {
  const waiting = new Set<() => void>();
  let current: Requests | undefined;
  return {
    get current() {
      return current;
    },
    begin(requests) {
      current = requests;
      const end = (): void => {
        if (current === requests) current = undefined;
      };
      requests.running.then(end, end);
      for (const wake of waiting) wake();
    },
    begun: (signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      }),
  };
}
