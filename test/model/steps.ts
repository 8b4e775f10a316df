/**
 * What every job does in single steps. A worker is a generator that yields each access to the store, so that a scheduler can run others, kill
 * it, or let it sleep, between any two of them.
 */
import type { Cell, Rows, Table } from './cell-store.js';
import { epochOf, isSamePlace, placeOf, slotOf, timestampOf, withoutBatch, type Page, type Place } from './decide.js';
import type { Laws } from './laws.js';

export type Step =
  | { readonly kind: 'get'; readonly table: Table; readonly key: string }
  | { readonly kind: 'keys'; readonly table: Table; readonly prefix: string; readonly after: string }
  | {
      readonly kind: 'put';
      readonly table: Table;
      readonly key: string;
      readonly value: Rows[Table];
      readonly at: number;
    }
  | { readonly kind: 'delete'; readonly table: Table; readonly key: string; readonly at: number }
  | {
      readonly kind: 'swap';
      readonly table: Table;
      readonly key: string;
      readonly read: Rows[Table] | undefined;
      readonly value: Rows[Table] | undefined;
    }
  | { readonly kind: 'request'; readonly host: string; readonly slot: number }
  | { readonly kind: 'wait'; readonly until: number };

export type Steps<T = void> = Generator<Step, T, unknown>;

/** Thrown when a worker learns that another one has its slots. */
export class LeaseLost extends Error {}

/** A process that works on slots, as its own code sees it. */
export interface Worker {
  readonly id: string;
  /** The name of its shard, which a restarted process has again. */
  readonly name: string;
  readonly wanted: readonly number[];
  readonly laws: Laws;
  /** The epochs of the slots that it holds. */
  readonly epochs: Map<number, number>;
  /** The number of writes so far. */
  counter: number;
  /** The batches that it has generated or adopted. */
  readonly batches: Set<string>;
  /** The time before which a host gets no request. */
  readonly notBefore: Map<string, number>;
  readonly random: () => number;
  /** Whether it looks into its inboxes in this round. */
  folds(): boolean;
  now(): number;
  /** Whether its leases are held, by its own clock. */
  isHeld(): boolean;
  /** Whether it happens to notice that it has lost its leases. The safety of the design must not depend on it. */
  noticesLoss(): boolean;
  /** Whether it was asked to end. */
  isStopping(): boolean;
  /** Whether another process was silent for so long that it is taken for dead. */
  isDead(id: string): boolean;
}

export function* get<T extends Table>(table: T, key: string): Steps<Cell<T> | undefined> {
  return (yield { kind: 'get', table, key }) as Cell<T> | undefined;
}

/** Reads keys in several steps, so others may write between them. */
export function* keysOf(table: Table, prefix = ''): Steps<string[]> {
  const all: string[] = [];
  for (;;) {
    const found = (yield { kind: 'keys', table, prefix, after: all.at(-1) ?? '' }) as string[];
    all.push(...found);
    if (found.length === 0) return all;
  }
}

/** Changes a row that belongs to no slot, by compare-and-set. An undefined value of `decide` leaves it, `null` deletes it. */
export function* changeShared<T extends 'batches' | 'leases'>(
  table: T,
  key: string,
  decide: (found: Rows[T] | undefined) => Rows[T] | null | undefined,
): Steps {
  for (;;) {
    const found = yield* get(table, key);
    const value = decide(found?.value);
    if (value === undefined) return;
    // A lost response counts as a failure: the row is read again, and `decide` finds its own change.
    if (yield { kind: 'swap', table, key, read: found?.value, value: value ?? undefined }) return;
  }
}

/** The timestamp of the next write to a slot that the worker holds. */
function stamp(me: Worker, slot: number): number {
  return timestampOf(me.epochs.get(slot) ?? 0, ++me.counter);
}

export function* put<T extends Table>(me: Worker, slot: number, table: T, key: string, value: Rows[T]): Steps {
  yield { kind: 'put', table, key, value, at: stamp(me, slot) };
}

export function* remove(me: Worker, { table, key }: Place): Steps {
  yield { kind: 'delete', table, key, at: stamp(me, Number(key.split('|', 1)[0])) };
}

/**
 * Proves that all that was written to slots before is the last word: no other owner has read before it. A worker does it before everything
 * that it could not take back, since another owner may have taken its slots while it slept.
 */
export function* confirm(me: Worker, slots: Iterable<number>): Steps {
  for (const slot of new Set(slots)) {
    const lease = yield* get('leases', String(slot));
    if (lease?.value.holder !== me.id || lease.value.epoch !== me.epochs.get(slot)) throw new LeaseLost();
  }
}

/** What becomes of a row: a new state, or the same, and entries that were found and do not lead to it. */
export interface Change {
  readonly page?: Page | undefined;
  readonly stale?: readonly Place[];
}

/**
 * Reads rows, decides, and writes them. Place, row, confirmation, clean-up: a row can be found after every single write, and nothing is
 * deleted for a row that is not written for good. Jobs of a worker do this one after the other.
 * @param decide gets the rows in order
 */
export function* changeRows(
  me: Worker,
  rows: readonly string[],
  decide: (pages: readonly (Page | undefined)[]) => Steps<readonly Change[]>,
): Steps {
  const { laws } = me;
  const cells: (Cell<'pages'> | undefined)[] = [];
  for (const row of rows) cells.push(yield* get('pages', row));
  const changes = yield* decide(cells.map((cell) => cell?.value ?? undefined));
  const places: Steps[] = [];
  const written: Steps[] = [];
  const cleanup: Place[] = [];
  for (const [i, row] of rows.entries()) {
    const { page, stale = [] } = changes[i]!;
    const before = cells[i]?.value ?? undefined;
    const isEarlier = epochOf(cells[i]?.at ?? 0) !== me.epochs.get(slotOf(row));
    const isTouched = laws.touch && isEarlier && (before !== undefined || stale.length > 0);
    const after = page ?? before;
    const [oldPlace, newPlace] = [before && placeOf(row, before), after && placeOf(row, after)];
    if (newPlace && !isSamePlace(oldPlace, newPlace))
      places.push(put(me, slotOf(row), newPlace.table, newPlace.key, true));
    // A new row that a batch holds has an entry too, as its batch may end before the row is visible.
    const entry = !before && page?.heldBy !== undefined && laws.newRowEntry && placeOf(row, withoutBatch(page));
    if (entry) places.push(put(me, slotOf(row), entry.table, entry.key, true));
    if (page || isTouched) written.push(put(me, slotOf(row), 'pages', row, after ?? null));
    const olds = [...(oldPlace ? [oldPlace] : []), ...(entry ? [entry] : []), ...stale];
    cleanup.push(...olds.filter((place) => !isSamePlace(place, newPlace)));
  }
  const writes = laws.placeBeforeRow ? [...places, ...written] : [...written, ...places];
  if (!laws.rowBeforeCleanup) for (const place of cleanup) yield* remove(me, place);
  for (const write of writes) yield* write;
  if (!laws.rowBeforeCleanup || cleanup.length === 0) return;
  if (laws.confirmBeforeCleanup) yield* confirm(me, rows.map(slotOf));
  for (const place of cleanup) yield* remove(me, place);
}
