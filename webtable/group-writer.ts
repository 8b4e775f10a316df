import type { PageChange } from './page.js';
import type { WebTable } from './web-table.js';

/**
 * Gathers the changes that arrive while a write is under way and writes them in one go: as many rows per write as the
 * load asks for, and no timer. Each call resolves when its own change is stored, and fails when the write it was part
 * of failed.
 */
export function createGroupWriter(table: Pick<WebTable, 'write'>): (change: PageChange) => Promise<void> {
  let waiting: { change: PageChange; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let writing = false;

  async function drain(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await table.write(group.map((entry) => entry.change));
        for (const entry of group) entry.resolve();
      } catch (error) {
        for (const entry of group) entry.reject(error);
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
