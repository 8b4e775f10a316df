import type { RowChange, Store, TableName } from '../../../webtable/index.js';
import { PassOnStore } from './pass-on-store.js';

/** What a {@link FailingStore} throws. */
export class PlannedFailure extends Error {
  override readonly name = 'PlannedFailure';
}

/**
 * Passes everything on to another store, one row write at a time, and fails instead of making the `failAt`-th (from 1)
 * and every later one, as if the process had died there. Without `failAt` it only counts, so that a test can first learn
 * how many points of failure there are and then try each.
 */
export class FailingStore extends PassOnStore {
  readonly #failAt: number;
  /** Row writes asked for so far, the failed ones among them. */
  writes = 0;

  constructor(store: Store, failAt = Infinity) {
    super(store);
    this.#failAt = failAt;
  }

  override async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    for (const change of changes) {
      this.writes++;
      if (this.writes >= this.#failAt) throw new PlannedFailure(`planned failure at row write ${this.#failAt}`);
      await super.write(table, [change]);
    }
  }
}
