import type { PageChange } from './page.js';
import type { Pages } from './pages.js';

/**
 * Writes changes in one go where that works, and one by one where it does not, so that a row which refuses a change does
 * not stop the others. Tells of each what became of it, in order.
 */
export async function writeEach(
  pages: Pick<Pages, 'write'>,
  changes: readonly PageChange[],
): Promise<PromiseSettledResult<void>[]> {
  try {
    await pages.write(changes);
    return changes.map(() => ({ status: 'fulfilled', value: undefined }));
  } catch (reason) {
    if (changes.length === 1) return [{ status: 'rejected', reason }];
    const outcomes: PromiseSettledResult<void>[] = [];
    for (const change of changes) outcomes.push(...(await writeEach(pages, [change])));
    return outcomes;
  }
}

/**
 * Gathers the changes that arrive while a write is under way and writes them in one go: as many rows per write as the
 * load asks for, and no timer. Each call resolves when its own change is stored, and fails when it could not be.
 */
export function createGroupWriter(pages: Pick<Pages, 'write'>): (change: PageChange) => Promise<void> {
  let waiting: { change: PageChange; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let writing = false;

  async function drain(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      const outcomes = await writeEach(
        pages,
        group.map((entry) => entry.change),
      );
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
      if (!writing) void drain();
    });
}
