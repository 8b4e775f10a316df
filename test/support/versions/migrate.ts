import type { ContentStore, Store } from '../../../webtable/index.js';
import { createRowContent } from '../../../webtable/content/row-content.js';
import { migrateRows, type MigratedVersions, type MigrationProgress } from '../../../webtable/migrations/migrations.js';
import { createPages } from '../../../webtable/pages/pages.js';

/** Progress that counts, and that stops after a number of calls of `done`. */
export function migrationProgress(stopAfter = Infinity) {
  const counters = { texts: 0, signatures: 0, rows: 0, batches: 0, released: 0, damaged: 0 };
  let calls = 0;
  const made: MigrationProgress = {
    get aborted() {
      return calls >= stopAfter;
    },
    count: (name, n) => void (counters[name] += n),
    done: () => void (calls += 1),
  };
  return Object.assign(made, { counters });
}

/** Migrates a table to the present version. */
export function migrate(
  store: Store,
  progress: MigrationProgress = migrationProgress(),
  content: ContentStore = createRowContent(store),
): Promise<MigratedVersions> {
  return migrateRows(
    store,
    createPages(store, () => content),
    progress,
  );
}
