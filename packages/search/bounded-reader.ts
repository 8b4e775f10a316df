import { CrawlError } from '../errors/index.js';
import type { IndexReader } from '../index/index.js';

/** Bounds of the questions to an index. */
export interface ReaderBounds {
  /** Questions under way at a time; the next ones wait. Default: 8. */
  readonly mostUnderWay?: number;
  /** Questions that wait at a time; more are refused. Default: 100. */
  readonly mostWaiting?: number;
  /** Milliseconds that a question may wait for its turn. Default: 10,000. */
  readonly waitLimit?: number;
}

/**
 * Bounds what an index of another machine is asked at a time, and answers as {@link IndexReader} says: SEARCH_BUSY where too many wait,
 * or for too long, and the reason of its signal to whoever does not wait any more. A question that was sent goes on to count until it is
 * answered: its server is still at it.
 */
export function boundedReader(reader: IndexReader, bounds: ReaderBounds = {}): IndexReader {
  const { mostUnderWay = 8, mostWaiting = 100, waitLimit = 10_000 } = bounds;
  const line = new Set<() => void>();
  let underWay = 0;

  /** Resolves when it is the turn of a question. */
  function turn(signal: AbortSignal | undefined): Promise<void> {
    if (underWay < mostUnderWay) {
      underWay += 1;
      return Promise.resolve();
    }
    if (line.size >= mostWaiting) {
      return Promise.reject(
        busy(`expected at most ${mostWaiting} questions that wait for the search index, found more`),
      );
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        line.delete(begin);
      };
      const begin = (): void => {
        leave();
        resolve();
      };
      const refuse = (error: Error): void => {
        leave();
        reject(error);
      };
      const onAbort = (): void => refuse(signal?.reason as Error);
      const late = busy(`expected an answer of the search index within ${waitLimit / 1000} s, found others before it`);
      const timer = setTimeout(refuse, waitLimit, late);
      signal?.addEventListener('abort', onAbort, { once: true });
      line.add(begin);
    });
  }

  /** The turn goes to the first that waits, or is free. */
  function passOn(): void {
    const [first] = line;
    if (first) first();
    else underWay -= 1;
  }

  async function ask<T>(signal: AbortSignal | undefined, question: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    await turn(signal);
    const answer = question();
    void answer.then(passOn, passOn);
    if (!signal) return answer;
    return new Promise<T>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  return {
    info: (signal) => ask(signal, () => reader.info(signal)),
    search: (query, signal) => ask(signal, () => reader.search(query, signal)),
    documentCounts: (terms, signal) => ask(signal, () => reader.documentCounts(terms, signal)),
    similar: (term, signal) => ask(signal, () => reader.similar(term, signal)),
    close: () => reader.close(),
  };
}

function busy(message: string): CrawlError {
  return new CrawlError('SEARCH_BUSY', message, { hint: 'ask again later' });
}
