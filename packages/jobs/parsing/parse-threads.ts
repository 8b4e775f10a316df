import type { Plugin } from '../../plugin-api/index.js';
import type { ParseTerms, ThreadDraft, ThreadResult } from './parse-messages.js';
import type { PageContent } from './parse-page.js';
import type { ThreadShare } from './thread-share.js';
import { ParseThread, type ParseThreadOptions, type ThreadFailure, type WaitingPage } from './parse-thread.js';

/** Parses pages beside the main thread. */
export interface ParseThreads {
  /** The plugins that each thread has twins of, in the order of its own. */
  readonly plugins: readonly Plugin[];
  /**
   * Parses a page. It never rejects. Who calls waits, so that no more pages are held than there are callers.
   * @returns a draft where the share does not finish a page; undefined where the caller is to parse the page itself
   */
  parse(
    terms: ParseTerms,
    page: PageContent,
    share: ThreadShare,
  ): Promise<ThreadResult | ThreadDraft | ThreadFailure> | undefined;
  /** Ends the threads. Pages that they were at, and all that come later, are left to the caller. */
  close(): Promise<void>;
}

/** What {@link createParseThreads} takes. */
export interface ParseThreadsOptions extends Omit<ParseThreadOptions, 'startLimit' | 'grace'> {
  readonly plugins: readonly Plugin[];
  /** Threads at the most. */
  readonly threads: number;
  /** Bytes of pages that are left to the caller before a thread is started. Default: 1 MiB. */
  readonly startAfter?: number;
  /** Milliseconds. Default: 30 seconds. */
  readonly startLimit?: number;
  /** Milliseconds. Default: 5 seconds. */
  readonly grace?: number;
}

/** The module that a thread runs. */
export const PARSE_THREAD_ENTRY = new URL('./parse-worker.js', import.meta.url);

/** Starting a thread costs about as much as parsing so many bytes. */
const START_AFTER = 1_048_576;

/**
 * Bytes of pages in the line of a thread: work for some ten milliseconds, so that it need not wait while the main thread is busy. However
 * large they are, there are two pages. Those behind a page that takes long wait for its end.
 */
const LINE = 262_144;

/**
 * Threads that are started as they are needed: none for the first pages, and one more when a page comes while all are
 * busy. A page that takes longer than `parser.timeout` and the grace fails with code `timeout`, and one on which its
 * thread ends with `parser_crashed`; the thread is made anew. Where a thread cannot be started, no more is tried.
 */
export function createParseThreads(options: ParseThreadsOptions): ParseThreads {
  const { plugins, threads: most, startAfter = START_AFTER, startLimit = 30_000, grace = 5_000 } = options;
  const threads = new Set<ParseThread>();
  const waiting: WaitingPage[] = [];
  let bytes = 0;
  let hasEnded = false;

  function onEnd(thread: ParseThread, failure: ThreadFailure, rest: readonly WaitingPage[]): void {
    threads.delete(thread);
    waiting.unshift(...rest);
    if (failure.code === 'no_thread') {
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

  /** The one with the least to do that takes more; a new one where all have something. */
  function freeThread(): ParseThread | undefined {
    let least: ParseThread | undefined;
    for (const thread of threads) {
      const takesMore = thread.pages < 2 || thread.bytes < LINE;
      if (takesMore && thread.bytes < (least?.bytes ?? Infinity)) least = thread;
    }
    if ((least && least.pages === 0) || threads.size >= most || hasEnded) return least;
    const thread = new ParseThread({ ...options, startLimit, grace }, { onAnswer: handOut, onEnd });
    threads.add(thread);
    return thread;
  }

  return {
    plugins,
    parse(terms, page, share) {
      bytes += page.content?.length ?? 0;
      if (hasEnded || bytes <= startAfter) return undefined;
      return new Promise((settle) => {
        waiting.push({ terms, page, share, settle });
        handOut();
      });
    },
    async close() {
      hasEnded = true;
      await Promise.all(Array.from(threads, (thread) => thread.close()));
    },
  };
}
