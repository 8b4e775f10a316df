/** Returns the same values. It requests the next value while the caller works on the current one, so one more value is in memory. */
export async function* readAhead<T>(values: AsyncIterable<T>): AsyncGenerator<T, void> {
  const iterator = values[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = iterator.next();
    // This promise may reject before the caller awaits it. The caller gets the error later.
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
    // If a value was requested, a generator first produces that value.
    await iterator.return?.();
  }
}
