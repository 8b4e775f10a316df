import type { LevelStore, RowChange } from '../../packages/webcrawl/internal.js';
import type { OperationCounts } from './operations.js';

type Method = (this: unknown, ...args: never[]) => unknown;
export type Methods = Record<string, Method>;

export function before(object: object, name: string, count: (...args: never[]) => void): void {
  const methods = object as Methods;
  const method = methods[name];
  if (typeof method !== 'function') return;
  methods[name] = function (...args) {
    count(...args);
    return method.apply(this, args);
  };
}

/** Counts the calls of a store from now on. For the prototype of a class, the calls of all its stores. */
export function countStore(store: LevelStore, counts: OperationCounts): void {
  before(store, 'write', (table: string, changes: readonly RowChange[]) => {
    counts.storeWrites += 1;
    for (const change of changes) countChange(table, change, counts);
  });
  before(store, 'get', (table: string, keys: readonly string[]) => {
    counts.storeGets += 1;
    if (table === 'webpage') counts.rowsRead += keys.length;
  });
  before(store, 'scan', () => (counts.storeScans += 1));
  const { scan } = store;
  store.scan = async function* (table, options) {
    for await (const row of scan.call(this, table, options)) {
      if (table === 'webpage') counts.rowsRead += 1;
      yield row;
    }
  };
}

function countChange(
  table: string,
  { key, put, delete: deleted = [], clear }: RowChange,
  counts: OperationCounts,
): void {
  const isPut = (put?.size ?? 0) > 0;
  if (table === 'webpage') {
    const columns = [...(put?.keys() ?? []), ...deleted];
    counts.linkCells += columns.filter((column) => column.startsWith('l:')).length;
    if (clear || columns.some((column) => column.startsWith('m:'))) counts.rowChanges += 1;
  } else if (table === 'frontier') {
    counts[frontierKind(key, isPut)] += 1;
  } else if (table === 'batch') {
    counts[isPut ? 'batchPuts' : 'batchDeletes'] += 1;
  } else {
    counts.otherChanges += 1;
  }
}

/** The kind of a key, by the zone after the slot: `t` and `q` have rows, `h` has heads; a note is at the end of the queue of its host. */
function frontierKind(key: string, isPut: boolean) {
  const zone = /^[0-9a-f]+([a-z])/.exec(key)?.[1];
  if (!key.includes('|') || zone === undefined) return 'frontierOther';
  if (zone === 'h') return 'frontierHeads';
  if (zone === 'q' && key.endsWith('|~')) return 'frontierNotes';
  return isPut ? 'frontierPuts' : 'frontierDeletes';
}
