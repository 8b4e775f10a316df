import { createWake } from '../../packages/util/index.js';

/** Writes the given items together. The number of items may differ from call to call. */
type WriteGroup<T> = (items: readonly T[]) => Promise<void>;

/**
 * Writes items together. If that fails, it writes them one by one, so that an item which cannot be written does not stop the others.
 * Returns the outcome of each item, in order. `write` must allow an item to be written twice.
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

/** Number of items that make a full group. */
const FULL_GROUP = 32;
/** Maximum milliseconds that an item waits for other items. */
const MAX_WAIT_MS = 8;

/**
 * Collects items and writes them together, so that many items need few calls of the database. A write begins when enough items wait, or
 * after 8 ms. Enough is the highest number of items that were pending at the same time, but at most 32. So a caller that was always alone
 * never waits, and a few callers wait only for each other. Each call resolves when its own item is stored, and rejects if the item cannot
 * be stored. Only one write runs at a time.
 */
export function createGroupWriter<T>(write: WriteGroup<T>): (item: T) => Promise<void> {
  let waiting: { item: T; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let writing = false;
  /** Number of items that are not stored yet. `most` is the highest value of this number so far. */
  let underWay = 0;
  let most = 0;
  const wake = createWake();

  const isEnough = (): boolean => waiting.length >= Math.min(most, FULL_GROUP);

  async function gather(): Promise<void> {
    if (!isEnough()) await wake.wait(MAX_WAIT_MS);
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
      else if (isEnough()) wake.now();
    });
}
