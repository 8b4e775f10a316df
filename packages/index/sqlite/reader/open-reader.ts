import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CrawlError } from '../../../errors/index.js';
import type { IndexReader } from '../../reader.js';
import { createThreadClient } from '../../thread-client.js';
import { createCurrentIndex, type IndexCore, type IndexPlace } from './index-core.js';

/** How an index is read. */
export interface ReaderOptions extends IndexPlace {
  /** Questions that may wait at a time; more are refused. Default: 100. */
  readonly mostWaiting?: number;
  /** Milliseconds that a question may wait for its turn. Default: 10,000. */
  readonly waitLimit?: number;
  /** Milliseconds from its turn to its answer. Default: 10,000. */
  readonly timeLimit?: number;
  /** The module that the thread runs; undefined: questions are answered in this one. Default: the one beside this. */
  readonly entry?: URL | undefined;
}

const ENTRY = new URL('./reader-worker.js', import.meta.url);

/** A question in the line. */
interface Waiting {
  /** Asks it; it does not reject. */
  ask(): Promise<void>;
  /** Ends it with an error, unless it is answered. */
  refuse(error: Error): void;
}

/**
 * Opens an index for reading, in a thread of its own, so that a long question holds up no other work: questions wait in
 * line there. Where the module of the thread is not there, as in a bundle, they are answered in this thread. Whether
 * there is an index is found at the first question. All reject with CrawlError NO_INDEX where there is no index or one
 * that cannot be used, WRONG_INDEX where it is that of another table, SEARCH_BUSY where too many wait or a time is over, STORE_FAILED
 * where it cannot be read, and CLOSED behind `close`.
 */
export function openIndexReader(options: ReaderOptions): IndexReader {
  const { folder, words, table, mostWaiting = 100, waitLimit = 10_000, timeLimit = 10_000 } = options;
  const place: IndexPlace = { folder, words, table };
  const entry = 'entry' in options ? options.entry : existsSync(fileURLToPath(ENTRY)) ? ENTRY : undefined;
  const engine = entry ? threadEngine(entry, place) : localEngine(place);
  const line: Waiting[] = [];
  let isClosed = false;
  let isBusy = false;

  /** Asks one after the other. What runs too long is ended with its thread: nothing else ends a question that SQLite is at. */
  async function serve(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (let first = line.shift(); first; first = line.shift()) {
      const waiting = first;
      let late: Promise<void> | undefined;
      const timer = setTimeout(() => {
        waiting.refuse(
          busy(`within ${timeLimit / 1000} s, found none`, 'use fewer or rarer words, or ask again later'),
        );
        late = engine.end();
      }, timeLimit);
      await waiting.ask();
      clearTimeout(timer);
      await late;
    }
    isBusy = false;
  }

  function ask<T>(signal: AbortSignal | undefined, question: () => Promise<T>): Promise<T> {
    if (isClosed) return Promise.reject(closed());
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    if (line.length >= mostWaiting) {
      const message = `expected at most ${mostWaiting} questions to the search index at a time, found more`;
      return Promise.reject(new CrawlError('SEARCH_BUSY', message, { hint: 'ask again later' }));
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        ask() {
          clearTimeout(timer);
          return question().then(resolve, reject).finally(leave);
        },
        refuse(error) {
          leave();
          const at = line.indexOf(waiting);
          if (at >= 0) line.splice(at, 1);
          reject(error);
        },
      };
      const onAbort = (): void => waiting.refuse(signal?.reason as Error);
      const timer = setTimeout(
        () => waiting.refuse(busy(`within ${waitLimit / 1000} s, found others before it`, 'ask again later')),
        waitLimit,
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      line.push(waiting);
      void serve();
    });
  }

  return {
    info: (signal) => ask(signal, () => engine.call('info')),
    search: (query, signal) => ask(signal, () => engine.call('search', query)),
    documentCounts: (terms, signal) => ask(signal, () => engine.call('documentCounts', terms)),
    similar: (term, signal) => ask(signal, () => engine.call('similar', term)),
    async close() {
      isClosed = true;
      for (const waiting of [...line]) waiting.refuse(closed());
      await engine.end();
    },
  };

  function closed(): CrawlError {
    return new CrawlError('CLOSED', 'expected an open search index, found one that was closed');
  }

  function busy(what: string, hint: string): CrawlError {
    return new CrawlError('SEARCH_BUSY', `expected an answer of the search index ${what}`, { hint });
  }

  /** @returns what answers one question at a time; `end` ends the one under way */
  function threadEngine(module: URL, data: IndexPlace) {
    return createThreadClient<IndexCore>({
      entry: module,
      data,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
      ended: (reason) =>
        isClosed
          ? closed()
          : new CrawlError('SEARCH_BUSY', `the thread that reads the search index ended: ${reason}`, {
              hint: 'ask again',
            }),
    });
  }
}

function localEngine(place: IndexPlace): ReturnType<typeof createThreadClient<IndexCore>> {
  const index = createCurrentIndex(place);
  return {
    async call(name, ...args) {
      const core = await index.get();
      return (core[name] as (...all: readonly unknown[]) => unknown)(...args) as never;
    },
    end() {
      index.close();
      return Promise.resolve();
    },
  };
}
