import type { Slots } from '../keys/partition.js';
import type { Leases } from '../leases/leases.js';
import type { TableName } from '../schema.js';
import type { RowChange, Store } from '../store.js';
import { sourceOfEntry } from './inboxes.js';

/**
 * A store that several processes use, as the owner of slots sees it: each change of a row, or of an entry of an index, gets a timestamp with the
 * epoch of its slot. So a change that a former owner has sent never hides one of its successors. Before old entries are deleted, the
 * leases are confirmed: every later owner has then read what was written before.
 *
 * See docs/OWNERSHIP.md.
 */
export function ownedStore(store: Store, slots: Slots, leases: Pick<Leases, 'stamp' | 'confirm'>): Store {
  const digits = slots.all[0]!.length;

  /** The slot whose owner makes a change; undefined: the change is not that of an owner. */
  function slotOf(table: TableName, key: string): string | undefined {
    if (table === 'webpage') return slots.ofRow(key);
    if (table === 'frontier') return key.slice(0, digits);
    if (table !== 'batch' || key[digits + 1] !== '|') return undefined;
    if (key[0] === 'e' || key[0] === 'u') return key.slice(1, digits + 1);
    // inject owns no slot, and its entries never replace each other.
    return key[0] === 'i' ? sourceOfEntry(key).slot || undefined : undefined;
  }

  function stamped(table: TableName, change: RowChange): RowChange {
    const slot = change.at === undefined ? slotOf(table, change.key) : undefined;
    return slot === undefined ? change : { ...change, at: leases.stamp(slot) };
  }

  /** The slots from whose indexes the changes delete entries. */
  function slotsOfDeletions(table: TableName, changes: readonly RowChange[]): ReadonlySet<string> {
    const found = new Set<string>();
    for (const { key, clear, put } of changes) {
      if (!clear || put) continue;
      if (table === 'frontier') found.add(key.slice(0, digits));
      else if (table === 'batch' && (key[0] === 'e' || key[0] === 'i')) found.add(key.slice(1, digits + 1));
    }
    return found;
  }

  return {
    get: (table, keys, columns) => store.get(table, keys, columns),
    scan: (table, options) => store.scan(table, options),
    async write(table, changes) {
      const owned = changes.map((change) => stamped(table, change));
      const deleted = slotsOfDeletions(table, changes);
      if (deleted.size > 0) await leases.confirm(deleted);
      await store.write(table, owned);
    },
    compareAndSet: (table, changes) => store.compareAndSet!(table, changes),
    close: () => store.close(),
  };
}
