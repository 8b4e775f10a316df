import { CrawlError } from '../../errors/index.js';
import { openIndexer, type Indexer, type IndexOptions } from '../../index/index.js';
import type { CrawlContext } from '../../jobs/index.js';
import { deadline } from '../../util/index.js';
import { watched } from '../jobs.js';
import type { Retry } from '../retry.js';

/** What only the operator can mend, and trying again does not. */
const SET_UP: ReadonlySet<string> = new Set(['USAGE', 'BAD_SETTING', 'BAD_PLUGIN', 'MISSING_PACKAGE', 'WRONG_INDEX']);
/** Milliseconds for which the crawl waits for its index to open: what is not set up is mostly found by then. */
const OPEN_MS = 2_000;
/** Milliseconds after the signal for which what is under way may end: longer than the thread of a writer has. */
const END_MS = 3_000;

/** Keeps a search index fresh, beside a crawl: one run after the other. */
export interface KeptIndex {
  /** A batch is updated. */
  poke(): void;
  /** Takes new ranks, anchors and duplicates into the index. Resolves when that is done, or put off after a failure. */
  all(): Promise<void>;
  /** Tries again what failed, where the time for that has come. */
  retry(): void;
  /** Ends the writing: a few seconds after the signal at the latest, also where the index does not answer. */
  close(): Promise<void>;
}

/** What {@link openKeptIndex} works with. */
export interface KeptIndexOptions {
  readonly retry: Retry;
  /** Ends all that is under way. */
  readonly signal: AbortSignal;
  /** Gets why the index cannot be used as it is set up, where that is found only after this has resolved. */
  readonly onNotSetUp: (error: CrawlError) => void;
}

/**
 * Opens the index of a table to keep it fresh; what takes longer than two seconds goes on behind. A run that fails is reported, and made
 * again with all that came meanwhile; the index is opened anew for it.
 * @throws CrawlError where settings, plugins or packages are not as they must be
 */
export async function openKeptIndex(crawl: CrawlContext, options: KeptIndexOptions): Promise<KeptIndex> {
  const { retry, signal, onNotSetUp } = options;
  let indexer: Indexer | undefined;
  /** What is to be done that no run has begun. */
  let wanted: 'nothing' | 'updated' | 'all' = 'nothing';
  let underWay: Promise<void> | undefined;
  const run = watched('index', async (_: CrawlContext, options: IndexOptions) => {
    indexer ??= await openIndexer(crawl, signal);
    return indexer.run(options);
  });

  async function work(): Promise<void> {
    while (wanted !== 'nothing' && !signal.aborted) {
      const all = wanted === 'all';
      wanted = 'nothing';
      try {
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

  /** What the end breaks off has not failed. */
  function failed(error: unknown): void {
    if (!signal.aborted) retry.failed(error);
  }

  async function closeIndexer(): Promise<void> {
    const closing = indexer;
    indexer = undefined;
    // What is in the index is there already: a run ends when it is written.
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
  /** Resolves when what is under way is through, or must be by now. */
  const ended = createEnd(signal);
  return {
    poke() {
      want(false);
      start();
    },
    async all() {
      want(true);
      start();
      await ended.orAfter(underWay);
    },
    retry() {
      if (wanted !== 'nothing') start();
    },
    async close() {
      await ended.orAfter(underWay?.then(closeIndexer) ?? closeIndexer());
      ended.clear();
    },
  };
}

/** Bounds what is waited for by a time after the signal. */
function createEnd(signal: AbortSignal) {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    const onAbort = (): void => void (timer = setTimeout(resolve, END_MS));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  return {
    orAfter: async (task: Promise<void> | undefined): Promise<void> => {
      if (task) await Promise.race([task, end]);
    },
    clear: () => clearTimeout(timer),
  };
}
