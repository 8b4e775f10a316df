import type { PageChange } from './page.js';
import type { WebTable } from './web-table.js';

/**
 * Writes changes in one go where that works, and one by one where it does not, so that a row which refuses a change does
 * not stop the others. Tells of each what became of it, in order.
 */
export async function writeEach(
  table: Pick<WebTable, 'write'>,
  changes: readonly PageChange[],
): Promise<PromiseSettledResult<void>[]> {
  try {
    await table.write(changes);
    return changes.map(() => ({ status: 'fulfilled', value: undefined }));
  } catch (reason) {
    if (changes.length === 1) return [{ status: 'rejected', reason }];
    const outcomes: PromiseSettledResult<void>[] = [];
    for (const change of changes) outcomes.push(...(await writeEach(table, [change])));
    return outcomes;
  }
}

/** Changes that are enough for one write, and milliseconds that a change waits for others at the most. */
const ENOUGH = 32;
const LONGEST_WAIT = 8;

/**
 * Gathers changes and writes them in one go, which takes a few calls of the database however many they are. A write waits
 * for as many changes as there were under way at once before, up to 32, and no longer than 8 ms: so a single caller never
 * waits, and few callers only for each other. Each call resolves when its own change is stored, and fails when it could not be.
 */
export function createGroupWriter(table: Pick<WebTable, 'write'>): (change: PageChange) => Promise<void> {
  let waiting: { change: PageChange; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let writing = false;
  /** Changes that were given and are not stored, now and at the most so far. */
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
        table,
        group.map((entry) => entry.change),
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

  return (change) =>
    new Promise((resolve, reject) => {
      waiting.push({ change, resolve, reject });
      underWay += 1;
      most = Math.max(most, underWay);
      if (!writing) void drain();
      else if (isEnough()) wake?.();
    });
}
