/**
 * Runs a task for each item, several at a time. Tasks start in the order of the items. After a failure, no more tasks start.
 * @param most maximum number of tasks that run at the same time
 * @throws the first failure of a task, when all tasks have ended
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  most: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const run = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); !next.done && !failure; next = await iterator.next()) {
        await task(next.value);
      }
    } catch (error) {
      failure ??= { error };
    }
  };
  await Promise.all(Array.from({ length: most }, run));
  if (failure) throw failure.error;
}
