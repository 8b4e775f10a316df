/** Writes some items in one go; the caller does not say in how many changes. */
export type WriteGroup<T> = (items: readonly T[]) => Promise<void>;

/**
 * Writes items in one go where that works, and one by one where it does not, so that a row which refuses a change does
 * not stop the others. Settles with the outcome of each, in order. `write` must bear to be given an item twice.
 */
export async function writeEach<T>(write: WriteGroup<T>, items: readonly T[]): Promise<PromiseSettledResult<void>[]> {
  try {
    await write(items);
    return items.map(() => ({ status: 'fulfilled', value: undefined }));
  } catch (reason) {
    if (items.length === 1) return [{ status: 'rejected', reason }];
    const outcomes: PromiseSettledResult<void>[] = [];
    for (const item of items) outcomes.push(...(await writeEach(write, [item])));
    return outcomes;
  }
}

/**
 * Gathers the items that arrive while a write is under way and writes them in one go: as many per write as the load asks
 * for, and no timer. Each call resolves when its own item is stored, and fails when it could not be. One write at a time.
 */
export function createGroupWriter<T>(write: WriteGroup<T>): (item: T) => Promise<void> {
  let waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let writing = false;

  async function drain(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      const outcomes = await writeEach(
        write,
        group.map(({ item }) => item),
      );
      for (const [i, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[i];
        if (outcome?.status === 'rejected') reject(outcome.reason);
        else resolve();
      }
    }
    writing = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!writing) void drain();
    });
}
