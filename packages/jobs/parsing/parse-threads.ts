import type { Plugin } from '../../plugin-api/index.js';
import type { EncodedFields } from '../../../webtable/index.js';
import type { ParseTerms, ThreadResult } from './parse-messages.js';
import type { PageContent } from './parse-page.js';
import { ParseThread, type ParseThreadOptions, type ThreadFailure, type WaitingPage } from './parse-thread.js';

/** Parses pages in threads. */
export interface ParseThreads {
  /** The plugins that each thread also has, in the order of the threads. */
  readonly plugins: readonly Plugin[];
  /**
   * Parses a page in a thread. The promise never rejects. Each caller waits for its page, so there are never more pages in memory than
   * callers.
   * @returns undefined if the caller has to parse the page itself
   */
  parse(terms: ParseTerms, page: PageContent): Promise<ThreadResult | ThreadFailure> | undefined;
  /**
   * Gives the memory of cells back, so that a thread uses it for another page. Without this, V8 would collect garbage far more often. Call it
   * when the fields are stored: they cannot be read any more.
   */
  giveBack(stored: EncodedFields): void;
  /** Ends the threads. The callers parse the current pages and all later pages themselves. */
  close(): Promise<void>;
}

/** Threads that parse pages for one crawl, or for several. */
export interface ParseThreadPool extends Omit<ParseThreads, 'plugins'> {
  /** Removes what the threads have stored for a crawl (`crawl` of its terms). */
  forget(crawl: number): void;
  /** Whether the threads were closed, or one could not be started. */
  hasEnded(): boolean;
}

export interface ParseThreadsOptions extends Omit<
  ParseThreadOptions,
  'startLimit' | 'grace' | 'idleLimit' | 'takeMemory'
> {
  /** Maximum number of threads. */
  readonly threads: number;
  /** Number of bytes that the caller parses itself at first. After that, a thread is started. Default: 1 MiB. */
  readonly startAfter?: number;
  /** Maximum milliseconds until a thread is ready. Default: 30 seconds. */
  readonly startLimit?: number;
  /** Milliseconds that are added to `parser.timeout`. Default: 5 seconds. */
  readonly grace?: number;
  /** Milliseconds without a page after which a thread ends. Default: 30 seconds. */
  readonly idleLimit?: number;
}

/** The URL of the module that a thread runs. */
export const PARSE_THREAD_ENTRY = new URL('./parse-worker.js', import.meta.url);

/** Number of bytes whose parsing takes about as long as the start of a thread. */
const START_AFTER = 1_048_576;

/**
 * If more than this number of bytes waits in the line of a thread, the thread gets no more pages. A thread parses these bytes in about
 * twenty milliseconds, so it can parse while the main thread is busy. Two pages of any size always fit. Pages behind a slow page wait for
 * its end.
 */
const LINE = 1_048_576;

/** Maximum number of spare buffers, and maximum bytes of each. */
const MAX_SPARE = 64;
const MAX_SPARE_BYTES = 262_144;

/**
 * Creates parse threads. Callers parse the first pages themselves. Later, a further thread is started when a page arrives while all threads
 * are busy. If a page takes longer than `parser.timeout` plus the grace, it fails with code `timeout`. If a thread crashes on a page, the
 * page fails with code `parser_crashed`. In both cases the thread is replaced. A thread without pages ends, and the next page starts a new
 * one. If a thread could not be started, no further thread is started.
 */
export function createParseThreads(options: ParseThreadsOptions): ParseThreadPool {
  const { threads: most, startAfter = START_AFTER, startLimit = 30_000, grace = 5_000, idleLimit = 30_000 } = options;
  const threads = new Set<ParseThread>();
  const waiting: WaitingPage[] = [];
  const spare: ArrayBuffer[] = [];
  const takeMemory = (): ArrayBuffer | undefined => spare.pop();
  let bytes = 0;
  let hasEnded = false;

  function onEnd(thread: ParseThread, failure: ThreadFailure | undefined, rest: readonly WaitingPage[]): void {
    threads.delete(thread);
    waiting.unshift(...rest);
    if (failure?.code === 'no_thread') {
      hasEnded = true;
      for (const { settle } of waiting.splice(0)) settle(failure);
    } else {
      handOut();
    }
  }

  function handOut(): void {
    while (waiting.length > 0) {
      const thread = freeThread();
      if (!thread) return;
      const next = waiting.shift();
      if (next) thread.give(next);
    }
  }

  /** Returns the thread with the least work, or a new thread if all threads have work. Returns undefined if no thread can take more pages. */
  function freeThread(): ParseThread | undefined {
    let least: ParseThread | undefined;
    for (const thread of threads) {
      const takesMore = thread.pages < 2 || thread.bytes < LINE;
      if (takesMore && thread.bytes < (least?.bytes ?? Infinity)) least = thread;
    }
    if ((least && least.pages === 0) || threads.size >= most || hasEnded) return least;
    const thread = new ParseThread(
      { ...options, startLimit, grace, idleLimit, takeMemory },
      { onAnswer: handOut, onEnd },
    );
    threads.add(thread);
    return thread;
  }

  return {
    hasEnded: () => hasEnded,
    forget(crawl) {
      for (const thread of threads) thread.forget(crawl);
    },
    parse(terms, page) {
      bytes += page.content?.length ?? 0;
      if (hasEnded || bytes <= startAfter) return undefined;
      return new Promise((settle) => {
        waiting.push({ terms, page, settle });
        handOut();
      });
    },
    giveBack({ cells: { bytes: stored } }) {
      if (spare.length < MAX_SPARE && stored.length > 0 && stored.length <= MAX_SPARE_BYTES) spare.push(stored.buffer);
    },
    async close() {
      hasEnded = true;
      spare.length = 0;
      await Promise.all(Array.from(threads, (thread) => thread.close()));
    },
  };
}
