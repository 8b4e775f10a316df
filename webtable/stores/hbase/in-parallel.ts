/**
 * Runs a task for each item, at most so many at a time, begun in order. After a failure no further one begins.
 * @throws what the first task threw that failed, when none runs any more
 */
export async function inParallel<T>(items: Iterable<T>, most: number, task: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let isFailed = false;
  let failure: unknown;
  const run = async (): Promise<void> => {
    for (let next = iterator.next(); !next.done && !isFailed; next = iterator.next()) {
      try {
        await task(next.value);
      } catch (error) {
        if (!isFailed) failure = error;
        isFailed = true;
      }
    }
  };
  await Promise.all(Array.from({ length: most }, run));
  // A failure may be any value.
  if (isFailed) throw failure;
}
