import type { TableName } from '../../../webtable/index.js';
import { PassOnStore } from './pass-on-store.js';

/** Reads from another store, and throws on writes. Closing it leaves the other open. */
export class ReadOnlyStore extends PassOnStore {
  override write(table: TableName): Promise<void> {
    return Promise.reject(new Error(`nothing may be written, but ${table} was`));
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}
