import type { FetchQueues } from '../../fetch/index.js';
import type { PageChange } from '../../../webtable/index.js';

/** A page in the queue of its host, with the work to be done on it in its turn. */
export interface QueuedPage {
  work(queue: string): Promise<'no_request' | void>;
}

/** What the fetches of all batches share. */
export interface SharedFetch {
  readonly queues: FetchQueues<QueuedPage>;
  /** Aborts when nothing more is to be started. */
  readonly stopped: AbortSignal;
  /** Aborts when the time of the job is over. */
  readonly timeUp: AbortSignal;
  /** Settles when nothing more is fetched, of any batch. */
  readonly running: Promise<void>;
  /**
   * Stores a page, in one row change.
   * @param again the batch fetches what it has fetched
   * @returns false where the batch does not hold it any more, or somebody else has stored it
   */
  store(change: PageChange, batchId: string, again: boolean): Promise<boolean>;
  /** Called when a page is through. */
  onPage(): void;
  /** Waits until one more host may be read. Throws what ended the run. */
  openSource(): Promise<void>;
  closeSource(): void;
  /** A batch has its first page in a queue (1), or has none left (-1). */
  useQueue(queue: string, by: 1 | -1): void;
  /** Pages in work, with the row key and the queue of each, and since when by `performance.now`. */
  readonly inWork: Set<{ readonly key: string; readonly queue: string; readonly since: number }>;
}

/** The queues in which one batch has pages; at first none. */
export function createOpenQueues({ useQueue }: Pick<SharedFetch, 'useQueue'>) {
  const open = new Map<string, number>();
  return {
    get isEmpty(): boolean {
      return open.size === 0;
    },
    /** One page more in a queue. */
    enter(queue: string): void {
      const pages = open.get(queue) ?? 0;
      open.set(queue, pages + 1);
      if (pages === 0) useQueue(queue, 1);
    },
    /** One page less in a queue. */
    leave(queue: string): void {
      const pages = open.get(queue)! - 1;
      open.set(queue, pages);
      if (pages > 0) return;
      open.delete(queue);
      useQueue(queue, -1);
    },
  };
}
