import { CrawlError } from '../../errors/index.js';
import { openIndexer, type Indexer, type IndexOptions } from '../../index/index.js';
import type { CrawlContext } from '../../jobs/index.js';
import { watched } from '../jobs.js';
import type { Retry } from './retry.js';

/** What only the operator can mend, before anything is crawled. */
const SET_UP: ReadonlySet<string> = new Set(['USAGE', 'BAD_SETTING', 'BAD_PLUGIN', 'MISSING_PACKAGE']);

/** Keeps a search index fresh, beside a crawl: one run after the other. */
export interface KeptIndex {
  /** A batch is updated. */
  poke(): void;
  /** Takes new ranks, anchors and duplicates into the index. Resolves when that is done, or put off after a failure. */
  all(): Promise<void>;
  /** Tries again what failed, where the time for that has come. */
  retry(): void;
  /** All that was begun is through, or put off after a failure. */
  settled(): Promise<void>;
  /** Ends the writing. */
  close(): Promise<void>;
}

/**
 * Opens the index of a table to keep it fresh. A run that fails is reported, and made again with all that came meanwhile; the index is
 * opened anew for it.
 * @throws CrawlError where settings, plugins or packages are not as they must be
 */
export async function openKeptIndex(crawl: CrawlContext, retry: Retry, signal: AbortSignal): Promise<KeptIndex> {
  let indexer: Indexer | undefined;
  /** What is to be done that no run has begun. */
  let wanted: 'nothing' | 'updated' | 'all' = 'nothing';
  let underWay: Promise<void> | undefined;
  const run = watched('index', async (_: CrawlContext, options: IndexOptions) => {
    indexer ??= await openIndexer(crawl);
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
        await close();
        want(all);
        retry.failed(error);
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

  async function close(): Promise<void> {
    const closing = indexer;
    indexer = undefined;
    // What is in the index is there already: a run ends when it is written.
    await closing?.close().catch(() => undefined);
  }

  try {
    indexer = await openIndexer(crawl);
  } catch (error) {
    if (error instanceof CrawlError && SET_UP.has(error.code)) throw error;
    retry.failed(error);
  }
  return {
    poke() {
      want(false);
      start();
    },
    async all() {
      want(true);
      start();
      await underWay;
    },
    retry() {
      if (wanted !== 'nothing') start();
    },
    async settled() {
      await underWay;
    },
    async close() {
      await underWay;
      await close();
    },
  };
}
