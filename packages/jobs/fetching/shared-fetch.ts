import type { FetchQueues } from '../../fetch/index.js';
import type { QueuedWork } from '../requests/requests.js';
import type { PageChange } from '../../../webtable/index.js';

/** What the fetches of several batches share. */
export interface SharedFetch {
  readonly queues: FetchQueues<QueuedWork>;
  /** Aborts when no further work may start. */
  readonly stopped: AbortSignal;
  /** Aborts at the time limit of the job. */
  readonly timeUp: AbortSignal;
  /** Settles when all batches are fetched, or the run has failed. */
  readonly running: Promise<void>;
  /** Stores a page in one row change. */
  store(change: PageChange): Promise<void>;
  /** Called when the work on a page has ended. */
  onPage(): void;
  /** Waits until the rows of one more host may be read. Throws if the run has ended with an error. */
  openSource(): Promise<void>;
  closeSource(): void;
  /** Called with 1 when a batch gets its first page in a queue, and with -1 when its last page leaves the queue. */
  useQueue(queue: string, by: 1 | -1): void;
  /** The pages that are being fetched. `since` is the start of the work by `performance.now`. */
  readonly inWork: Set<{ readonly key: string; readonly queue: string; readonly since: number }>;
}

/** Counts the pages of one batch in each queue. At first there are no queues. */
export function createOpenQueues({ useQueue }: Pick<SharedFetch, 'useQueue'>) {
  const open = new Map<string, number>();
  return {
    get isEmpty(): boolean {
      return open.size === 0;
    },
    enter(queue: string): void {
      const pages = open.get(queue) ?? 0;
      open.set(queue, pages + 1);
      if (pages === 0) useQueue(queue, 1);
    },
    leave(queue: string): void {
      const pages = open.get(queue)! - 1;
      open.set(queue, pages);
      if (pages > 0) return;
      open.delete(queue);
      useQueue(queue, -1);
    },
  };
}
