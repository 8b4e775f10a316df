/**
 * The change log: the changes that updatedb found, in order of time. The cost of a read depends only on the number of changes. Entries are
 * rows of the table `batch`, in a zone of their own, so older tables can store entries too. The state of the whole log is one row of
 * `meta`.
 *
 * The time in a key is the time of the batch, which is recorded before the first entry is written. So a killed updatedb writes the same
 * keys again. The times of batches only increase, even if the clock is set back. A reader stops before the earliest batch that is still
 * being written. Therefore a reader that continues after its last key reads every entry exactly once.
 */
import type { Exclusive } from '../../packages/util/index.js';
import type { HostKey } from '../keys/host-key.js';
import { after, removals, scanRows, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';
import {
  ZONE_START,
  entryOfRow,
  hostRangeOf,
  keyOfCursor,
  keyOfTime,
  rowOfEntry,
  timeOfCursor,
  type LogEntry,
  type LogItem,
} from './logged-changes.js';
import { createLogState, type LoggedBatch } from './log-state.js';

export type ChangeLog = ReturnType<typeof createChangeLog>;

const COLUMNS = [INDEX_COLUMNS.changeEntry];
const STEP = 500;

export function createChangeLog(store: Store, exclusive: Exclusive) {
  const { noteRemoved, ...state } = createLogState(store, exclusive);

  return {
    ...state,

    /** Writes entries. Call it before you change the rows. */
    async write(batch: LoggedBatch, items: readonly LogItem[]): Promise<void> {
      await store.write(
        'batch',
        items.map((item) => rowOfEntry(batch, item)),
      );
    },

    async hostsOf(batch: LoggedBatch): Promise<ReadonlySet<HostKey>> {
      const range = hostRangeOf(batch);
      const hosts = new Set<HostKey>();
      for await (const { key } of scanRows(store, 'batch', COLUMNS, [range], STEP)) {
        hosts.add(key.slice(range.start.length) as HostKey);
      }
      return hosts;
    },

    /**
     * Reads the entries from a time on, or after a cursor. Returns them in order, in steps.
     * @param end the end of the time range, excluded
     */
    async *read(from: { readonly at: number } | { readonly cursor: string }, end: number): AsyncGenerator<LogEntry[]> {
      const start = 'at' in from ? keyOfTime(from.at) : after(keyOfCursor(from.cursor));
      const range = { start, end: keyOfTime(end) };
      if (range.start >= range.end) return;
      for await (const rows of scanSteps(store, 'batch', COLUMNS, [range], STEP)) yield rows.map(entryOfRow);
    },

    async find(cursor: string): Promise<LogEntry | undefined> {
      const [row] = await store.get('batch', [keyOfCursor(cursor)], COLUMNS);
      return row?.cells.has(INDEX_COLUMNS.changeEntry) ? entryOfRow(row) : undefined;
    },

    /** Removes the entries before a time. @returns the number of removed entries */
    async removeBefore(time: number): Promise<number> {
      const range = { start: ZONE_START, end: keyOfTime(time) };
      let removed = 0;
      for await (const rows of scanSteps(store, 'batch', COLUMNS, [range], STEP)) {
        // The removal is recorded first. Otherwise, after a kill, a reader would assume that the log is complete. The recorded time is just
        // after the last removed entry, so a reader that has read this entry has missed no entry.
        await noteRemoved(timeOfCursor(rows.at(-1)!.key.slice(ZONE_START.length)) + 1);
        await store.write('batch', removals(rows.map(({ key }) => key)));
        removed += rows.length;
      }
      return removed;
    },
  };
}
