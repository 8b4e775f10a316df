/** Data that only audits use: the results of their requests to URLs without a row, and the findings to hide. */
import type { Exclusive } from '../../packages/util/index.js';
import { json, metaValue, readableValue } from '../pages/codec.js';
import { scanRows } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';
import { changeShared } from '../change-shared.js';

export type Audits = ReturnType<typeof createAudits>;

const anything = json<unknown>(() => true);
const list = json<readonly unknown[]>(Array.isArray);
const STEP = 500;

export function createAudits(store: Store, exclusive: Exclusive) {
  const column = INDEX_COLUMNS.auditNote;

  return {
    /**
     * Yields the notes of one kind, in the order of their keys. A note that cannot be read is left out.
     * @param kind lower-case letters
     */
    async *notes(kind: string): AsyncGenerator<readonly [key: string, note: unknown]> {
      const start = `audit-${kind}|`;
      const range = { start, end: `audit-${kind}}` };
      for await (const row of scanRows(store, 'meta', [column], [range], STEP)) {
        const note = readableValue(row, column, anything);
        if (note !== undefined) yield [row.key.slice(start.length), note];
      }
    },
    async putNotes(kind: string, notes: ReadonlyMap<string, unknown>): Promise<void> {
      const changes = Array.from(notes, ([key, note]) => ({
        key: `audit-${kind}|${key}`,
        put: new Map([[column, anything.encode(note)]]),
      }));
      await store.write('meta', changes);
    },
    /** The findings to hide. @throws CrawlError TABLE_DAMAGED if the list cannot be read */
    async ignored(): Promise<readonly unknown[]> {
      const [row] = await store.get('meta', ['audit-ignored'], [INDEX_COLUMNS.auditIgnored]);
      return metaValue(row, INDEX_COLUMNS.auditIgnored, list) ?? [];
    },
    /** Changes the findings to hide. No other process can change them meanwhile. */
    changeIgnored(change: (before: readonly unknown[]) => readonly unknown[]): Promise<void> {
      const cells = INDEX_COLUMNS.auditIgnored;
      return changeShared(store, exclusive, { table: 'meta', keys: ['audit-ignored'], column: cells }, (_, row) => {
        return { put: new Map([[cells, list.encode(change(metaValue(row, cells, list) ?? []))]]) };
      });
    },
  };
}
