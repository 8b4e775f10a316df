import type { FetchQueues } from '../../fetch/index.js';
import {
  batchQueues,
  hostRowKeys,
  putBatch,
  urlOf,
  type BatchHeader,
  type PageChange,
} from '../../../webtable/index.js';
import { hostOf } from '../../url/index.js';
import { copyBatchIndex, moveMarks } from './batch-split.js';
import type { CrawlContext } from '../context.js';
import { FETCH_FIELDS, type FetchItem, type FetchRun, type FetchTools } from './fetch-item.js';
import { fetchPage } from './fetch-page.js';
import { gracePeriod } from '../requests/grace-period.js';
import type { JobOptions, Progress, Report } from '../reporting/job.js';
import { newBatchId } from '../rows/new-batch-id.js';
import { parseRows } from '../parsing/parse-rows.js';
import { createTracker, type Tracker } from '../reporting/tracker.js';

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
  write(change: PageChange): Promise<void>;
  /** Called when a page is through. */
  onPage(): void;
  openSource(): Promise<void>;
  closeSource(): void;
  useQueue(queue: string, by: 1 | -1): void;
  /** Pages in work, with the row key and the queue of each, and since when by `performance.now`. */
  readonly inWork: Set<{ readonly key: string; readonly queue: string; readonly since: number }>;
}

export interface BatchFetchOptions extends JobOptions {
  /** Pass over pages that this batch has fetched. */
  readonly resume: boolean;
  /** Parse each page at once. */
  readonly parse: boolean;
}

/** The fetch of a batch that is under way. */
export interface BatchFetch {
  /** Of what is being fetched; another after {@link split}. */
  readonly batchId: string;
  /** How far it has got, since the last {@link split} if there was one. */
  readonly progress: Progress;
  /** Comes when all its pages are through, or it was ended before. */
  readonly report: Promise<Report>;
  /** Pages that are left to fetch, as far as is known. */
  readonly pagesLeft: number;
  /** Pages that are through, since the last {@link split} if there was one. */
  readonly pagesThrough: number;
  /** All its queues are known and some of its pages are left, so that these can be split off. */
  readonly canSplit: boolean;
  /** Few queues hold it up: fewer than half have pages left. */
  readonly isHeldUp: boolean;
  /**
   * Moves the pages that are left, in flight too, to a batch of their own, which goes on in the same queues and whose
   * report {@link report} then is; so the pages that are through need not wait for them.
   * Only while {@link canSplit}.
   * @param hold called with the id of that batch before anybody can see it; nobody else may work on it
   * @returns the report of those that are through
   */
  split(hold: (batchId: string) => Promise<void>): Promise<Report>;
}

interface OpenQueue {
  /** Those that may have pages left in it. */
  readonly hosts: Set<string>;
  /** Pages that wait or are in work, and one while rows are still read. */
  left: number;
}

/** Row keys that one queue reads ahead. */
const READ_AHEAD = 50;

/** Begins to fetch a batch: its rows are read queue by queue as these drain. */
export async function createBatchFetch(
  crawl: CrawlContext,
  tools: FetchTools,
  shared: SharedFetch,
  batch: BatchHeader,
  options: BatchFetchOptions,
): Promise<BatchFetch> {
  const { table } = crawl;
  const { store } = table;
  const resume = options.resume || batch.fetching === true;
  const open = new Map<string, OpenQueue>();
  const joined = new Set<string>();
  const queueOfHost = new Map<string, string>();
  const writes = new Set<Promise<void>>();
  let header: BatchHeader = { ...batch, fetching: true };
  /** The batch itself, and those that were split off: the mark of a row that was read may be that of the one before. */
  const batchIds = new Set<string | undefined>([batch.batchId]);
  let tracker = createTracker(crawl, 'fetch', options, { batchId: batch.batchId, total: batch.size });
  let isFed = false;
  let passedOver = false;
  let inWork = 0;
  let pagesThrough = 0;
  let pagesLeft = batch.size;
  let queueCount = 0;
  /** Its time is over: what waits is passed over. */
  let isStopped = false;
  let isOver = false;
  let splitting: Promise<unknown> | undefined;
  const limit = new AbortController();
  const grace = gracePeriod(AbortSignal.any([shared.stopped, limit.signal]));
  let end = (): void => {};
  let fail = (_error: unknown): void => {};
  const through = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });

  const run: FetchRun = {
    ...tools,
    get batchId() {
      return header.batchId;
    },
    // What began before a split and ends after it counts after it: the report of what was through is made.
    tracker: {
      count: (reason, n) => tracker.count(reason, n),
      fail: (reason) => tracker.fail(reason),
      more: () => tracker.more(),
      done: (n) => tracker.done(n),
      get aborted() {
        return tracker.aborted;
      },
    },
    parse: options.parse,
    giveUp: grace.signal,
    joined,
    // A host keeps the queue that it was filed under, also when its address has changed since.
    queueNames: { nameOf: (host) => queueOfHost.get(host) ?? tools.queueNames.nameOf(host) },
    queues: {
      push(queue, item) {
        pagesLeft += 1;
        enter(queue, [hostOf(urlOf(item.key))]);
        shared.queues.push(queue, pageOf(item));
      },
      putBack(queue, item) {
        pagesLeft += 1;
        enter(queue);
        shared.queues.putBack(queue, pageOf(item));
      },
      setDelay: (queue, seconds) => shared.queues.setDelay(queue, seconds),
      pause: (queue, seconds) => shared.queues.pause(queue, seconds),
      away: (queue, wait) => shared.queues.away(queue, wait),
    },
    async write(change) {
      const write = shared.write(change);
      writes.add(write);
      try {
        await write;
        pagesThrough += 1;
      } finally {
        writes.delete(write);
      }
    },
  };

  function pageOf(item: FetchItem): QueuedPage {
    return {
      async work(queue) {
        const page = { key: item.key, queue, since: performance.now() };
        inWork += 1;
        shared.inWork.add(page);
        try {
          return isStopped ? 'no_request' : await fetchPage(crawl, run, item, queue);
        } finally {
          inWork -= 1;
          shared.inWork.delete(page);
          pagesLeft -= 1;
          leave(queue);
          shared.onPage();
        }
      },
    };
  }

  function enter(queue: string, hosts: readonly string[] = []): void {
    const known = open.get(queue);
    if (known) {
      known.left += 1;
      for (const host of hosts) known.hosts.add(host);
      return;
    }
    open.set(queue, { hosts: new Set(hosts), left: 1 });
    shared.useQueue(queue, 1);
  }

  function leave(queue: string): void {
    const known = open.get(queue)!;
    known.left -= 1;
    if (known.left === 0) {
      open.delete(queue);
      shared.useQueue(queue, -1);
    }
    if (isStopped ? inWork === 0 : isFed && open.size === 0) end();
  }

  async function feed(): Promise<void> {
    for await (const { queue, hosts } of batchQueues(store, header.batchId)) {
      if (isStopped || shared.stopped.aborted) break;
      const own = hosts.filter((host) => !queueOfHost.has(host));
      if (own.length === 0) continue;
      for (const host of own) queueOfHost.set(host, queue);
      await shared.openSource();
      queueCount += 1;
      enter(queue, own);
      shared.queues.addQueue(queue, readQueue(queue, own));
      const delay = tools.delays.of(queue);
      if (delay > 0) shared.queues.pause(queue, (tools.since - performance.now()) / 1000 + delay);
    }
    isFed = true;
    if (open.size === 0) end();
  }

  /** The rows of a queue that are to be fetched, read as the queue drains. */
  async function* readQueue(queue: string, hosts: readonly string[]): AsyncGenerator<QueuedPage> {
    try {
      for (const host of hosts) {
        let after: string | undefined;
        for (;;) {
          const keys = isStopped ? [] : await hostRowKeys(store, header.batchId, host, after, READ_AHEAD);
          if (keys.length === 0) break;
          after = keys.at(-1);
          for (const row of await table.getMany(keys, FETCH_FIELDS)) {
            // A redirect's target that joined while the queue was being read was handed to the queue already.
            if (!row?.marks?.generate || !batchIds.has(row.marks.generate) || joined.has(row.key)) continue;
            if (!row.damaged && !(resume && batchIds.has(row.marks.fetch))) {
              enter(queue);
              yield pageOf(row);
              continue;
            }
            pagesLeft -= 1;
            passedOver ||= !row.damaged;
            tracker.count(row.damaged ? 'damaged' : 'already_fetched');
          }
        }
      }
    } finally {
      shared.closeSource();
      leave(queue);
    }
  }

  /** What is left is passed over. */
  function stop(): void {
    isStopped = true;
    limit.abort();
    if (inWork === 0) end();
  }

  async function finish(): Promise<Report> {
    const { timeUp } = shared;
    timeUp.addEventListener('abort', stop, { once: true });
    if (timeUp.aborted) stop();
    try {
      await Promise.race([through, shared.running]);
    } finally {
      isOver = true;
      timeUp.removeEventListener('abort', stop);
      grace.clear();
    }
    await splitting;
    if (isStopped) tracker.count('time_limit');
    else if (!shared.stopped.aborted) await close(header, tracker);
    return tracker.report();
  }

  /** The batch has no page left to fetch. */
  async function close(of: BatchHeader, told: Tracker): Promise<void> {
    const { fetching: _, ...whole } = of;
    await putBatch(store, whole);
    // Pages that were passed over may have been left without a parse.
    if (options.parse && passedOver) await parseRows(crawl, of.batchId, false, told);
    passedOver = false;
  }

  /**
   * Order of writes: the header and the index of the new batch, then the marks of its rows. From the moment that the
   * index is there, what is fetched is marked for the new batch; a row that was fetched and is not yet moved when the
   * job is killed is fetched again.
   */
  async function splitOff(hold: (batchId: string) => Promise<void>): Promise<Report> {
    const old = header;
    const told = tracker;
    const batchId = await newBatchId(crawl);
    await hold(batchId);
    // The target of a redirect joins the old batch before this, or the new one after it, and never one in part.
    await table.exclusive('rows', async () => {
      const rest: BatchHeader = { batchId, state: 'open', size: 0, fetching: true };
      await putBatch(store, rest);
      header = { ...rest, size: await copyBatchIndex(store, open, old.batchId, batchId) };
      batchIds.add(batchId);
      tracker = createTracker(crawl, 'fetch', options, { batchId, total: header.size });
    });
    await Promise.allSettled(writes);
    const moved = await moveMarks(crawl, old.batchId, batchId);
    header = { ...header, size: moved };
    queueCount = open.size;
    pagesThrough = 0;
    await putBatch(store, header);
    await close({ ...old, size: Math.max(0, old.size - moved) }, told);
    return told.report();
  }

  await putBatch(store, header);
  void feed().catch(fail);
  const report = finish();
  report.catch(() => undefined);
  return {
    get batchId() {
      return header.batchId;
    },
    get progress() {
      return tracker.progress();
    },
    report,
    get pagesLeft() {
      return Math.max(0, pagesLeft);
    },
    get pagesThrough() {
      return pagesThrough;
    },
    get canSplit() {
      return !isOver && isFed && pagesThrough > 0 && open.size > 0;
    },
    get isHeldUp() {
      return 2 * open.size < queueCount;
    },
    split(hold) {
      const report = splitOff(hold);
      splitting = report;
      return report;
    },
  };
}
