/** The same values; each is asked for while the one before is worked on, so that one more is held. */
export async function* readAhead<T>(values: AsyncIterable<T>): AsyncGenerator<T, void> {
  const iterator = values[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = iterator.next();
    // It may fail before anybody waits for it; who does gets the error.
    asked.catch(() => {});
    return asked;
  };
  let next = ask();
  try {
    for (let result = await next; !result.done; result = await next) {
      next = ask();
      yield result.value;
    }
  } finally {
    // A generator ends the step that was asked for first.
    await iterator.return?.();
  }
}
