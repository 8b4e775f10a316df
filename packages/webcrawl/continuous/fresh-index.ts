import { CrawlError } from '../../errors/index.js';
import { openIndexer, type Indexer, type IndexOptions } from '../../index/index.js';
import type { CrawlContext, JobContext } from '../../jobs/index.js';
import { deadline, gracePeriod } from '../../util/index.js';
import { watched } from '../jobs.js';
import type { Retry } from '../retry.js';

/** Codes of failures that only the operator can fix, so a retry does not help. */
const SET_UP: ReadonlySet<string> = new Set(['USAGE', 'BAD_SETTING', 'BAD_PLUGIN', 'MISSING_PACKAGE', 'WRONG_INDEX']);
/** Milliseconds for which the crawl waits until its index is open. This time is enough to find most errors of the setup. */
const OPEN_MS = 2_000;
/** Milliseconds in which running work may end after the stop signal. A writer thread has less. */
const END_MS = 3_000;

/** Updates a search index while a crawl runs, one run at a time. */
export type FreshIndex = Awaited<ReturnType<typeof openFreshIndex>>;

interface FreshIndexOptions {
  readonly retry: Retry;
  /** Ends all running work. */
  readonly signal: AbortSignal;
  /** Called with the error if the setup of the index is found to be wrong after `openFreshIndex` has resolved. */
  readonly onNotSetUp: (error: CrawlError) => void;
}

/**
 * Opens the index of a table to keep it up to date. If this takes longer than two seconds, the opening continues in the background. After a
 * failed run, the failure is reported, and the index is opened again. Then the run is retried with all later updates. If the index was
 * deleted or replaced, this is reported in the same way before the next write, and the index is rebuilt.
 * @throws CrawlError if settings, plugins or packages are wrong
 */
export async function openFreshIndex(crawl: CrawlContext, options: FreshIndexOptions) {
  const { retry, signal, onNotSetUp } = options;
  let indexer: Indexer | undefined;
  /** Work that no run has begun yet. */
  let wanted: 'nothing' | 'updated' | 'all' = 'nothing';
  let underWay: Promise<void> | undefined;
  const run = watched('index', async ({ watch }: JobContext, options: IndexOptions) => {
    indexer ??= await openIndexer(crawl, signal);
    return indexer.run(options, watch);
  });

  async function work(): Promise<void> {
    while (wanted !== 'nothing' && !signal.aborted) {
      const all = wanted === 'all';
      wanted = 'nothing';
      try {
        if (indexer?.isLost) throw lostIndex();
        await run(crawl, { signal, all });
        retry.succeeded();
      } catch (error) {
        await closeIndexer();
        want(all);
        failed(error);
        break;
      }
    }
    underWay = undefined;
  }

  function want(all: boolean): void {
    if (all) wanted = 'all';
    else if (wanted === 'nothing') wanted = 'updated';
  }

  function start(): void {
    if (retry.isDue) underWay ??= work();
  }

  /** Work that the signal has interrupted does not count as failed. */
  function failed(error: unknown): void {
    if (!signal.aborted) retry.failed(error);
  }

  async function closeIndexer(): Promise<void> {
    const closing = indexer;
    indexer = undefined;
    // If the close fails, nothing is lost, because each run writes its pages before it ends.
    await closing?.close().catch(() => undefined);
  }

  /** @throws CrawlError one of {@link SET_UP} */
  async function openFirst(): Promise<void> {
    try {
      indexer = await openIndexer(crawl, signal);
    } catch (error) {
      if (error instanceof CrawlError && SET_UP.has(error.code)) throw error;
      failed(error);
    }
  }

  const opening = openFirst();
  const isLate = await deadline(
    opening.then(() => false),
    OPEN_MS,
    () => true,
    signal,
  );
  if (isLate) {
    underWay = opening
      .catch((error: unknown) => (signal.aborted ? undefined : onNotSetUp(error as CrawlError)))
      .then(() => (retry.isDue ? work() : void (underWay = undefined)));
  }
  const grace = gracePeriod(signal, END_MS);
  /** Resolves when the task is complete, or when the time that running work has to end (`END_MS`) is over. */
  const inGrace = (task: Promise<void>): Promise<void> => deadline(task, Infinity, () => undefined, grace.signal);
  return {
    /** Call it after updatedb has closed a batch. */
    poke(): void {
      want(false);
      start();
    },
    /** Writes new ranks, anchors and duplicates into the index. Resolves when they are written, or after a failure that will be retried. */
    async all(): Promise<void> {
      want(true);
      start();
      if (underWay) await inGrace(underWay);
    },
    /** Retries failed work if its pause is over. If the file of the index was deleted or replaced, it rebuilds the index. */
    retry(): void {
      if (indexer?.isLost) want(false);
      if (wanted !== 'nothing') start();
    },
    /** Stops all writes. After the signal this takes at most a few seconds, even if the index does not respond. */
    async close(): Promise<void> {
      await inGrace(underWay?.then(closeIndexer) ?? closeIndexer());
      grace.clear();
    },
  };
}

function lostIndex(): CrawlError {
  return new CrawlError('NO_INDEX', 'the search index was deleted or replaced', {
    hint: 'wait: the index is rebuilt from the table',
  });
}
