import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CrawlError } from '../../../errors/index.js';
import type { IndexReader } from '../../reader.js';
import { createThreadClient } from '../../threads/thread-client.js';
import { createCurrentIndex, type IndexCore, type IndexLocation } from './index-core.js';

export interface ReaderOptions extends IndexLocation {
  /** Maximum number of waiting questions. More are refused. Default: 100. */
  readonly mostWaiting?: number;
  /** Maximum milliseconds that a question waits to begin. Default: 10,000. */
  readonly waitLimit?: number;
  /** Maximum milliseconds from the start of a question to its answer. Default: 10,000. */
  readonly timeLimit?: number;
  /**
   * The module that the thread runs. Default: the module beside this file. If the value is `undefined`, questions are answered in the
   * calling thread.
   */
  readonly entry?: URL | undefined;
}

const ENTRY = new URL('./reader-worker.js', import.meta.url);

interface Waiting {
  /** Asks the question. The promise never rejects. */
  ask(): Promise<void>;
  /** Ends the question with an error, unless it is answered. */
  refuse(error: Error): void;
}

/**
 * Opens an index for reading in a separate thread, so that a long question does not block other work. Questions wait in a queue. If the
 * module of the thread is missing, as in a bundle, questions are answered in the calling thread. Whether an index exists is checked at the
 * first question. All questions reject with CrawlError NO_INDEX when there is no usable index, WRONG_INDEX for the index of another table,
 * SEARCH_BUSY when too many questions wait or the time is over, STORE_FAILED when the index cannot be read, and CLOSED after `close`.
 */
export function openIndexReader(options: ReaderOptions): IndexReader {
  const { folder, words, table, mostWaiting = 100, waitLimit = 10_000, timeLimit = 10_000 } = options;
  const place: IndexLocation = { folder, words, table };
  const entry = 'entry' in options ? options.entry : existsSync(fileURLToPath(ENTRY)) ? ENTRY : undefined;
  const engine = entry ? threadEngine(entry, place) : localEngine(place);
  const line: Waiting[] = [];
  let isClosed = false;
  let isBusy = false;

  /** Asks one question after another. If a question runs too long, the thread is ended, because nothing else can interrupt SQLite. */
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
    return new CrawlError('CLOSED', 'the search index is closed');
  }

  function busy(what: string, hint: string): CrawlError {
    return new CrawlError('SEARCH_BUSY', `expected an answer of the search index ${what}`, { hint });
  }

  /** Makes the engine that answers questions in a thread, one at a time. Its `end` ends the running question. */
  function threadEngine(module: URL, data: IndexLocation) {
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

function localEngine(place: IndexLocation): ReturnType<typeof createThreadClient<IndexCore>> {
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
