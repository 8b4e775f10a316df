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

/** Items that are enough for one write, and milliseconds that one waits for others at the most. */
const ENOUGH = 32;
const LONGEST_WAIT = 8;

/**
 * Gathers items and writes them in one go, which takes a few calls of the database however many they are. A write waits
 * for as many as were ever under way at once, up to 32, and no longer than 8 ms: so a caller that was always alone never
 * waits, and few callers only for each other. Each call resolves when its own item is stored, and fails when it could
 * not be. One write at a time.
 */
export function createGroupWriter<T>(write: WriteGroup<T>): (item: T) => Promise<void> {
  let waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let writing = false;
  /** Items that were given and are not stored, now and at the most so far. */
  let underWay = 0;
  let most = 0;
  let wake: (() => void) | undefined;

  const isEnough = (): boolean => waiting.length >= Math.min(most, ENOUGH);

  async function gather(): Promise<void> {
    if (isEnough()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LONGEST_WAIT);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    wake = undefined;
  }

  async function drain(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      await gather();
      const group = waiting;
      waiting = [];
      const outcomes = await writeEach(
        write,
        group.map(({ item }) => item),
      );
      underWay -= group.length;
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
      underWay += 1;
      most = Math.max(most, underWay);
      if (!writing) void drain();
      else if (isEnough()) wake?.();
    });
}
