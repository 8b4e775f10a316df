import { headerCodec, headerKey } from '../batches/batch-headers.js';
import { createFrontier } from '../frontier/frontier.js';
import { FRONTIER_FIELDS } from '../frontier/frontier-rows.js';
import { FENCE, type Slots } from '../keys/partition.js';
import { chunked } from '../pages/chunked.js';
import type { Pages } from '../pages/pages.js';
import { removals, scanRows, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import { createSoleLeases } from '../leases/leases.js';
import type { Store } from '../store.js';
import type { MigrationProgress } from './migrations.js';
import { RENAMED_IN, renameStored, renamedValues } from './rename-stored.js';

/** Number of rows that are read and written together. */
const CHUNK = 1000;

/**
 * Migrates from version 7 to 8, in which a host has the slot of its domain, and some stored names differ. All entries of the indexes get
 * another slot, so the indexes are removed and written again from the rows. Batches are closed: their rows are due as before, and pages that
 * updatedb has not processed are fetched again. The next run of a consumer reads the whole table.
 */
export async function rebuildIndexes(
  store: Store,
  slots: Slots,
  pages: Pages,
  progress: MigrationProgress,
): Promise<void> {
  await closeBatches(store, progress);
  await removeEntries(store, 'frontier', 'f', '');
  // The zones before `e` have the change log and the headers of closed batches.
  await removeEntries(store, 'batch', 'b', 'e');
  if (!(await renameStored(store, progress))) return;
  const frontier = createFrontier(store, slots, createSoleLeases(store, '', slots.all), (step) => step());
  for await (const rows of chunked(pages.scan({ fields: [...FRONTIER_FIELDS, ...RENAMED_IN] }), CHUNK)) {
    if (progress.aborted) return;
    const whole = rows.filter(({ damaged = [] }) =>
      damaged.every((part) => RENAMED_IN.some((field) => field === part)),
    );
    const held = whole.filter(({ marks }) => marks?.generate !== undefined);
    await pages.write(
      whole.flatMap((row) => {
        const set = renamedValues(row);
        const isHeld = row.marks?.generate !== undefined;
        if (!isHeld && Object.keys(set).length === 0) return [];
        return [{ key: row.key, set, ...(isHeld && { unset: ['cashInFlight'], marks: { generate: null } }) }];
      }),
    );
    const released = whole.map(({ marks: { generate: _, ...marks } = {}, ...row }) => ({ ...row, marks }));
    // At time 0 no row is due, so each row gets the entry of its due time. generate moves due rows into the queues.
    await frontier.enterMissing(released, 0);
    progress.count('rows', rows.length);
    progress.count('released', held.length);
    progress.count('damaged', rows.length - whole.length);
    progress.done(rows.length);
  }
}

/** Closes all batches. In version 7 the headers of batches that are not closed are in zones of their own. */
async function closeBatches(store: Store, progress: MigrationProgress): Promise<void> {
  const header = INDEX_COLUMNS.batchHeader;
  const zones = ['h', 'w'].map((zone) => ({ start: `${zone}|`, end: `${zone}${FENCE}` }));
  for await (const { key, cells } of scanRows(store, 'batch', [header], zones, CHUNK)) {
    const { size, consumers = [] } = headerCodec.decode(cells.get(header)!);
    // A consumer without this row reads the whole table in its next run.
    await store.write('meta', removals(consumers.map((consumer) => `consumer-${consumer}`)));
    const put = new Map([[header, headerCodec.encode({ state: 'closed', size })] as const]);
    await store.write('batch', [{ key: headerKey(key.slice(2)), put }]);
    await store.write('batch', [{ key, clear: true }]);
    progress.count('batches', 1);
  }
}

/** Removes the entries of an index from a key on. The fences stay. */
async function removeEntries(
  store: Store,
  table: 'frontier' | 'batch',
  family: 'f' | 'b',
  start: string,
): Promise<void> {
  for await (const rows of scanSteps(store, table, [family], [{ start }], CHUNK)) {
    const keys = rows.map(({ key }) => key).filter((key) => !key.endsWith(FENCE));
    await store.write(table, removals(keys));
  }
}
