import type { RowChange, Store, TableName } from '../../../webtable/index.js';
import { PassOnStore } from './pass-on-store.js';

/** The error of a {@link FailingStore}. */
export class PlannedFailure extends Error {
  override readonly name = 'PlannedFailure';
}

/**
 * Forwards all calls to another store, one row write at a time. It fails in place of the `failAt`-th row write (from 1) and all later ones,
 * as if the process had died there. Without `failAt` it only counts, so that a test can first learn the number of points of failure and
 * then try each.
 */
export class FailingStore extends PassOnStore {
  readonly #failAt: number;
  /** Number of requested row writes, including failed ones. */
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
