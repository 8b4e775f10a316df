import { deadline } from '../../util/index.js';

/** Yields the items of a source. It ends as soon as the signal aborts, even while it waits for the next item. */
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
    // This promise is not awaited, because it may never settle while the source waits for input. Its result is not needed.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
