import type { BatchHeader } from '../../../webtable/index.js';
import { BatchPages } from './batch-pages.js';
import type { CrawlContext } from '../context.js';
import type { FetchedPage, FetchItem, FetchRun, FetchTools } from './fetch-item.js';
import { fetchPage } from './fetch-page.js';
import type { OutgoingBatch } from './outgoing-batch.js';
import { gracePeriod } from '../requests/grace-period.js';
import type { JobOptions, Progress, Report } from '../reporting/job.js';
import { parseRows } from '../parsing/parse-rows.js';
import { createOpenQueues, type OpenQueues, type QueuedPage, type SharedFetch } from './shared-fetch.js';
import { createTracker, type Tracker } from '../reporting/tracker.js';

export interface BatchFetchOptions extends JobOptions {
  /** Pass over pages that this batch has fetched. */
  readonly resume: boolean;
  /** Parse each page at once. */
  readonly parse: boolean;
  /** Where pages move on to when they are fetched. Absent: they stay in their batch. */
  readonly outgoing?: OutgoingBatch;
}

/** What the fetch of a batch came to. */
export interface BatchFetchEnd {
  readonly report: Report;
  /** Pages that were stored. */
  readonly stored: number;
  /** All its pages have moved on, so that nothing is left to do for it. */
  readonly isClosed: boolean;
}

/** The fetch of a batch that is under way. */
export interface BatchFetch {
  readonly batchId: string;
  readonly progress: Progress;
  /** Comes when all its pages are through, or it was ended before. */
  readonly ended: Promise<BatchFetchEnd>;
  /** Pages that are left to fetch, as far as is known. */
  readonly pagesLeft: number;
}

/** Begins to fetch a batch: its rows are read queue by queue as these drain. */
export async function beginBatchFetch(
  crawl: CrawlContext,
  tools: FetchTools,
  shared: SharedFetch,
  batch: BatchHeader,
  options: BatchFetchOptions,
): Promise<BatchFetch> {
  const tracker = createTracker(crawl, 'fetch', options, { batchId: batch.batchId, total: batch.size });
  const pages = new BatchPages(crawl, batch, options.resume || batch.fetching === true, tracker.count);
  await pages.begin();
  return new RunningFetch(crawl, tools, shared, batch.batchId, pages, tracker, options);
}

class RunningFetch implements BatchFetch {
  readonly batchId: string;
  readonly ended: Promise<BatchFetchEnd>;
  readonly #crawl: CrawlContext;
  readonly #shared: SharedFetch;
  readonly #options: BatchFetchOptions;
  readonly #pages: BatchPages;
  readonly #tracker: Tracker;
  readonly #run: FetchRun;
  /** With its pages that wait or are in work, and one for each queue of which rows are still read. */
  readonly #queues: OpenQueues;
  /** Aborts when the time is over: what waits is passed over. */
  readonly #timedOut = new AbortController();
  #allQueuesAdded = false;
  #inWork = 0;
  #stored = 0;
  #moved = 0;
  #resolveDone = (): void => {};

  constructor(
    crawl: CrawlContext,
    tools: FetchTools,
    shared: SharedFetch,
    batchId: string,
    pages: BatchPages,
    tracker: Tracker,
    options: BatchFetchOptions,
  ) {
    this.batchId = batchId;
    this.#crawl = crawl;
    this.#shared = shared;
    this.#pages = pages;
    this.#tracker = tracker;
    this.#options = options;
    this.#queues = createOpenQueues(shared);
    const grace = gracePeriod(AbortSignal.any([shared.stopped, this.#timedOut.signal]));
    this.#run = this.#createRun(tools, grace.signal);
    const done = new Promise<void>((resolve, reject) => {
      this.#resolveDone = resolve;
      this.#addQueues(tools).catch(reject);
    });
    this.ended = this.#finish(done).finally(grace.clear);
    // Whoever waits for it gets the failure.
    this.ended.catch(() => undefined);
  }

  get progress(): Progress {
    return this.#tracker.progress();
  }

  get pagesLeft(): number {
    return Math.max(0, this.#pages.left);
  }

  #createRun(tools: FetchTools, giveUp: AbortSignal): FetchRun {
    const { queues } = this.#shared;
    const again = (queue: string, item: FetchItem): QueuedPage => {
      this.#pages.left += 1;
      this.#queues.enter(queue);
      return this.#workOn(item);
    };
    return {
      ...tools,
      batchId: this.batchId,
      tracker: this.#tracker,
      parse: this.#options.parse,
      giveUp,
      joined: this.#pages.joined,
      // A host keeps the queue that it was filed under, also when its address has changed since.
      queueNames: { nameOf: (host) => this.#pages.queueOf(host) ?? tools.queueNames.nameOf(host) },
      queues: {
        push: (queue, item) => queues.push(queue, again(queue, item)),
        putBack: (queue, item) => queues.putBack(queue, again(queue, item)),
        setDelay: (queue, seconds) => queues.setDelay(queue, seconds),
        pause: (queue, seconds) => queues.pause(queue, seconds),
        suspend: (queue, wait) => queues.suspend(queue, wait),
      },
      join: (queue, item) => {
        this.#pages.held += 1;
        this.#tracker.more();
        queues.push(queue, again(queue, item));
      },
      store: (page) => this.#store(page),
    };
  }

  async #store(page: FetchedPage): Promise<void> {
    const { batchId } = this;
    const { outgoing } = this.#options;
    if (outgoing) {
      if (await outgoing.move({ ...page, from: batchId })) this.#moved += 1;
    } else {
      await this.#shared.write({ ...page.change, marks: { fetch: batchId, parse: page.isParsed ? batchId : null } });
    }
    this.#stored += 1;
  }

  #workOn(item: FetchItem): QueuedPage {
    const { inWork, onPage } = this.#shared;
    return {
      work: async (queue) => {
        const page = { key: item.key, queue, since: performance.now() };
        this.#inWork += 1;
        inWork.add(page);
        try {
          return this.#isTimedOut ? 'no_request' : await fetchPage(this.#crawl, this.#run, item, queue);
        } finally {
          this.#inWork -= 1;
          inWork.delete(page);
          this.#pages.left -= 1;
          this.#leave(queue);
          onPage();
        }
      },
    };
  }

  /** One page less in a queue. */
  #leave(queue: string): void {
    this.#queues.leave(queue);
    this.#checkDone();
  }

  #checkDone(): void {
    if (this.#isTimedOut ? this.#inWork === 0 : this.#allQueuesAdded && this.#queues.isEmpty) this.#resolveDone();
  }

  get #isTimedOut(): boolean {
    return this.#timedOut.signal.aborted;
  }

  async #addQueues({ delays, since }: FetchTools): Promise<void> {
    const { queues, stopped, openSource } = this.#shared;
    for await (const queue of this.#pages.queues()) {
      if (this.#isTimedOut || stopped.aborted) break;
      await openSource();
      this.#queues.enter(queue);
      queues.addQueue(queue, this.#readQueue(queue));
      const delay = delays.of(queue);
      if (delay > 0) queues.pause(queue, (since - performance.now()) / 1000 + delay);
    }
    this.#allQueuesAdded = true;
    this.#checkDone();
  }

  /** The pages of a queue, read as it drains. */
  async *#readQueue(queue: string): AsyncGenerator<QueuedPage> {
    try {
      if (this.#isTimedOut) return;
      for await (const item of this.#pages.read(queue)) {
        this.#queues.enter(queue);
        yield this.#workOn(item);
        if (this.#isTimedOut) return;
      }
    } finally {
      this.#shared.closeSource();
      this.#leave(queue);
    }
  }

  async #finish(done: Promise<void>): Promise<BatchFetchEnd> {
    const { timeUp, stopped, running } = this.#shared;
    const timeOut = (): void => {
      this.#timedOut.abort();
      this.#checkDone();
    };
    timeUp.addEventListener('abort', timeOut, { once: true });
    if (timeUp.aborted) timeOut();
    try {
      await Promise.race([done, running]);
    } finally {
      timeUp.removeEventListener('abort', timeOut);
    }
    let isClosed = false;
    if (this.#isTimedOut) this.#tracker.count('time_limit');
    else if (!stopped.aborted) isClosed = await this.#close();
    return { report: this.#tracker.report(), stored: this.#stored, isClosed };
  }

  async #close(): Promise<boolean> {
    const isClosed = await this.#pages.end(this.#moved);
    // Pages that were passed over may have been left without a parse.
    if (this.#options.parse && this.#pages.sawFetched) {
      await parseRows(this.#crawl, this.batchId, false, this.#tracker);
    }
    return isClosed;
  }
}
