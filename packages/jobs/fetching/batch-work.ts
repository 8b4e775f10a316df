import type { BatchHeader } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import type { QueuedWork } from '../requests/requests.js';
import type { Tracker } from '../reporting/tracker.js';
import type { BatchFetchOptions } from './batch-fetch.js';
import type { createBatchPages } from './batch-pages.js';
import type { FetchItem, FetchRun, FetchTools } from './fetch-item.js';
import { fetchPage } from './page/fetch-page.js';
import { createOpenQueues, type SharedFetch } from './shared-fetch.js';

export interface BatchWorkInput {
  readonly crawl: JobRun;
  readonly tools: FetchTools;
  readonly shared: SharedFetch;
  readonly batch: BatchHeader;
  readonly pages: ReturnType<typeof createBatchPages>;
  readonly tracker: Tracker;
  readonly options: Pick<BatchFetchOptions, 'parse' | 'outgoing'>;
  /** Aborts requests in flight. */
  readonly giveUp: AbortSignal;
  /** Whether the time limit was reached. Then waiting pages are skipped. */
  readonly isTimedOut: () => boolean;
  /** Called when the work on a page has ended. */
  readonly onLeave: () => void;
}

/** Puts the pages of a batch into the queues of the fetcher, fetches them from there, and counts the results. */
export function createBatchWork(input: BatchWorkInput) {
  const { crawl, tools, shared, batch, pages, tracker, giveUp, isTimedOut, onLeave } = input;
  const { parse, outgoing } = input.options;
  const { batchId } = batch;
  const { queues } = shared;
  /** The open queues with their number of waiting and running pages. While the rows of a queue are still being read, its number is one higher. */
  const open = createOpenQueues(shared);
  const state = {
    open,
    inWork: 0,
    /** Number of stored pages; `moved` is the number of those that moved to the outgoing batch. */
    stored: 0,
    moved: 0,
    /** Returns a queued page with the function that fetches it. */
    workOn,
    /** Counts one page less in a queue, and calls `onLeave`. */
    leave(queue: string): void {
      open.leave(queue);
      onLeave();
    },
  };

  const put = (queue: string, item: FetchItem, place: 'next' | 'last'): void => {
    pages.left += 1;
    open.enter(queue);
    queues[place === 'next' ? 'requeue' : 'push'](queue, workOn(item));
  };
  const run: FetchRun = {
    ...tools,
    batchId,
    tracker,
    parse,
    rules: batch.rules,
    giveUp,
    joined: pages.joined,
    // A host keeps the queue that generate gave to it, even if its IP address has changed since then.
    queueNames: { nameOf: (host) => pages.queueOf(host) ?? tools.requests.queueNames.nameOf(host) },
    again: put,
    join(queue, item) {
      pages.held += 1;
      tracker.more();
      put(queue, item, 'last');
    },
    async store(page) {
      if (!outgoing) {
        const marks = { fetch: batchId, parse: page.isParsed ? batchId : null };
        await shared.store({ ...page.change, marks });
      } else if (await outgoing.move({ ...page, from: batchId })) state.moved += 1;
      state.stored += 1;
    },
  };

  function workOn(item: FetchItem): QueuedWork {
    return {
      work: async (queue) => {
        const page = { key: item.key, queue, since: performance.now() };
        state.inWork += 1;
        shared.inWork.add(page);
        try {
          return isTimedOut() ? 'no_request' : await fetchPage(crawl, run, item, queue);
        } finally {
          state.inWork -= 1;
          shared.inWork.delete(page);
          pages.left -= 1;
          state.leave(queue);
          shared.onPage();
        }
      },
    };
  }

  return state;
}
