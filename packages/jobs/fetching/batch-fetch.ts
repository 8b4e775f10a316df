import type { BatchHeader } from '../../../webtable/index.js';
import { createBatchPages } from './batch-pages.js';
import type { CrawlContext } from '../context.js';
import type { FetchItem, FetchRun, FetchTools } from './fetch-item.js';
import { fetchPage } from './fetch-page.js';
import type { OutgoingBatch } from './outgoing-batch.js';
import { gracePeriod } from '../requests/grace-period.js';
import type { JobOptions, Progress, Report } from '../reporting/job.js';
import { parseRows } from '../parsing/parse-rows.js';
import { withRules } from '../rules/with-rules.js';
import { createOpenQueues, type QueuedPage, type SharedFetch } from './shared-fetch.js';
import { createTracker } from '../reporting/tracker.js';
import type { BatchQueue } from '../../../webtable/index.js';
import { isNoted, partOf } from '../shards/own-slots.js';
import { answerRobotsRequests, createSlotsThrough, noteJoined, noteParsed } from './slots-through.js';

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
  /** Pages are left, because the time was over. */
  readonly isTimedOut: boolean;
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
  const { batchId } = batch;
  const { outgoing, parse } = options;
  const tracker = createTracker(crawl, 'fetch', options, { batchId, total: batch.size });
  const resume = options.resume || batch.fetching === true || crawl.own?.isShard === true;
  const pages = createBatchPages(crawl, batch, resume, tracker.count);
  await pages.begin();
  /** Absent where nobody notes how far slots are. */
  const through = !outgoing && isNoted(crawl) ? await createSlotsThrough(crawl, batchId, resume) : undefined;
  /** With its pages that wait or are in work, and one for each queue of which rows are still read. */
  const open = createOpenQueues(shared);
  /** Aborts when the time is over: what waits is passed over. */
  const timedOut = new AbortController();
  const grace = gracePeriod(AbortSignal.any([shared.stopped, timedOut.signal]));
  const isTimedOut = (): boolean => timedOut.signal.aborted;
  let allQueuesAdded = false;
  /** Pages of these slots wait for what others do. */
  const waiting = new Set<string>();
  let inWork = 0;
  let stored = 0;
  let moved = 0;
  let resolveDone = (): void => {};

  const again = (queue: string, item: FetchItem): QueuedPage => {
    pages.left += 1;
    open.enter(queue);
    return workOn(item);
  };
  const { queues } = shared;
  const run: FetchRun = {
    ...tools,
    batchId,
    tracker,
    parse,
    rules: batch.rules,
    giveUp: grace.signal,
    joined: pages.joined,
    // A host keeps the queue that it was filed under, also when its address has changed since.
    queueNames: { nameOf: (host) => pages.queueOf(host) ?? tools.queueNames.nameOf(host) },
    queues: {
      ...queues,
      push: (queue, item) => queues.push(queue, again(queue, item)),
      putBack: (queue, item) => queues.putBack(queue, again(queue, item)),
    },
    join(queue, item) {
      pages.held += 1;
      tracker.more();
      queues.push(queue, again(queue, item));
    },
    joinElsewhere: (slot) => noteJoined(crawl.tables, batchId, slot),
    waits: (queue) => void waiting.add(crawl.tables.slots.ofQueue(queue)),
    async store(page) {
      if (outgoing) {
        if (await outgoing.move({ ...page, from: batchId })) moved += 1;
      } else {
        const marks = { fetch: batchId, parse: page.isParsed ? batchId : null };
        if (!(await shared.store({ ...page.change, marks }, batchId, !resume))) return false;
      }
      stored += 1;
      return true;
    },
  };

  function workOn(item: FetchItem): QueuedPage {
    return {
      work: async (queue) => {
        const page = { key: item.key, queue, since: performance.now() };
        inWork += 1;
        shared.inWork.add(page);
        try {
          return isTimedOut() ? 'no_request' : await fetchPage(await withRules(crawl), run, item, queue);
        } finally {
          inWork -= 1;
          shared.inWork.delete(page);
          pages.left -= 1;
          leave(queue);
          shared.onPage();
        }
      },
    };
  }

  /** One page less in a queue. */
  function leave(queue: string): void {
    open.leave(queue);
    checkDone();
  }

  function checkDone(): void {
    if (isTimedOut() ? inWork === 0 : allQueuesAdded && open.isEmpty) resolveDone();
  }

  const hasEnded = (): boolean => isTimedOut() || shared.stopped.aborted;

  async function addQueues(slots: Iterable<string> | undefined): Promise<void> {
    allQueuesAdded = false;
    for await (const found of pages.queues(slots)) {
      if (hasEnded()) break;
      const { queue } = found;
      await shared.openSource();
      open.enter(queue);
      queues.addQueue(queue, readQueue(found));
      const delay = tools.delays.of(queue);
      if (delay > 0) queues.pause(queue, (tools.since(queue) - performance.now()) / 1000 + delay);
    }
    allQueuesAdded = true;
  }

  /** Until all queues are dry, and in no slot anything has come from others meanwhile. */
  async function readAll(): Promise<void> {
    for (let slots = through ? through.left : partOf(crawl); ;) {
      await through?.look();
      const answered = through && answerRobotsRequests(crawl, tools.robots, batchId, slots ?? []);
      // Whoever waits for it gets the failure.
      answered?.catch(() => undefined);
      const dry = new Promise<void>((resolve) => (resolveDone = resolve));
      await addQueues(slots);
      checkDone();
      await dry;
      await answered;
      if (!through || shared.stopped.aborted) return;
      const isOver = isTimedOut();
      slots = await through.note(waiting, isOver);
      if (slots.size === 0 || isOver) return;
    }
  }

  /** The pages of a queue, read as it drains. */
  async function* readQueue(of: BatchQueue): AsyncGenerator<QueuedPage> {
    const { queue } = of;
    try {
      if (isTimedOut()) return;
      for await (const item of pages.read(of)) {
        open.enter(queue);
        yield workOn(item);
        if (isTimedOut()) return;
      }
    } finally {
      shared.closeSource();
      leave(queue);
    }
  }

  async function finish(): Promise<BatchFetchEnd> {
    const { timeUp, stopped, running } = shared;
    const done = readAll();
    const timeOut = (): void => {
      timedOut.abort();
      checkDone();
    };
    timeUp.addEventListener('abort', timeOut, { once: true });
    if (timeUp.aborted) timeOut();
    try {
      await Promise.race([done, running]);
    } finally {
      timeUp.removeEventListener('abort', timeOut);
    }
    const isClosed = !isTimedOut() && !stopped.aborted && (await close());
    // Who works on the other slots goes by what is noted.
    if (isTimedOut() && !stopped.aborted && through) await endParse();
    return { report: tracker.report(), stored, isClosed, isTimedOut: isTimedOut() };
  }

  async function close(): Promise<boolean> {
    const isClosed = await pages.end(moved);
    await endParse();
    return isClosed;
  }

  async function endParse(): Promise<void> {
    // Pages that were passed over may have been left without a parse.
    if (parse && (pages.sawFetched || through?.hasUnparsed)) await parseRows(crawl, batchId, false, tracker);
    if (parse && through) await noteParsed(crawl, batchId);
  }

  const ended = finish().finally(grace.clear);
  // Whoever waits for it gets the failure.
  ended.catch(() => undefined);
  return {
    batchId,
    ended,
    get progress() {
      return tracker.progress();
    },
    get pagesLeft() {
      return Math.max(0, pages.left);
    },
  };
}
