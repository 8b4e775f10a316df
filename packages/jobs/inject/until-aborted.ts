import { deadline } from '../../util/index.js';

/**
 * Passes on what a source yields, and ends as soon as the signal aborts, also in the middle of a wait for the next item.
 */
export async function* untilAborted<T>(
  source: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  if (!signal) {
    yield* source;
    return;
  }
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  try {
    while (!signal.aborted) {
      const next = await deadline(Promise.resolve(iterator.next()), Infinity, () => undefined, signal);
      if (!next || next.done || signal.aborted) return;
      yield next.value;
    }
  } finally {
    // A source that waits for input cannot be made to answer; what it says to this matters to nobody.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
