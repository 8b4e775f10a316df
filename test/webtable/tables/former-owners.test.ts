import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTables, type Tables } from '../../../packages/webcrawl/internal.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, TableName } from '../../../webtable/index.js';
import { expireLeases, holdSlots } from '../../support/hold-slots.js';
import { seeds } from '../../support/runs.js';
import { KEYS, lostRows, step } from '../../support/table-steps.js';
import { TimedRows, TimedStore } from '../../support/stores/timed-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';

const SEEDS_AT_ONCE = 100;
const OWNERS = 4;
const STEPS = 8;
const turn = async (): Promise<void> => {};

class Dead extends Error {}

/**
 * The store of an owner that falls silent at one of its calls. A dead owner makes no further call, but some changes of its last write
 * arrive late. A sleeping owner goes on when it is woken.
 */
class SilentStore implements Store {
  readonly #inner: TimedStore;
  readonly #silentAt: number;
  readonly #isDead: boolean;
  #calls = 0;
  #woken!: () => void;
  readonly #sleep = new Promise<void>((resolve) => (this.#woken = resolve));
  readonly late: (() => Promise<void>)[] = [];
  #fellSilent!: () => void;
  readonly silent = new Promise<void>((resolve) => (this.#fellSilent = resolve));

  constructor(inner: TimedStore, silentAt: number, isDead: boolean) {
    this.#inner = inner;
    this.#silentAt = silentAt;
    this.#isDead = isDead;
  }

  wake(): void {
    this.#woken();
  }

  async get(table: TableName, keys: readonly string[], columns: readonly ColumnSelector[]) {
    await this.#call();
    return this.#inner.get(table, keys, columns);
  }

  async *scan(table: TableName, options: ScanOptions) {
    await this.#call();
    yield* this.#inner.scan(table, options);
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    for (const change of changes) {
      const make = (): Promise<void> => this.#inner.write(table, [change]);
      await this.#call(make);
      await make();
    }
  }

  async compareAndSet(...args: Parameters<TimedStore['compareAndSet']>) {
    await this.#call();
    return this.#inner.compareAndSet(...args);
  }

  async close(): Promise<void> {}

  async #call(late?: () => Promise<void>): Promise<void> {
    this.#calls += 1;
    if (this.#calls < this.#silentAt) return;
    if (late) this.late.push(late);
    this.#fellSilent();
    if (this.#isDead) throw new Dead();
    await this.#sleep;
  }
}

/** Owners follow each other, and each change that an owner has completed is noted. */
async function succeed(seed: number) {
  const random = randomNumbers(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const rows = new TimedRows();
  const plain = await openTables(new TimedStore(random, { turn }, rows), { slots: 2 });
  const completed = new Map<string, number>();
  const silent: SilentStore[] = [];
  const running: Promise<void>[] = [];
  let number = 0;

  async function own(tables: Tables, isCurrent: () => boolean): Promise<void> {
    for (let i = 0; i < STEPS; i++) {
      const own = (number += 1);
      const changed = await step(tables, pick, own);
      if (isCurrent()) for (const key of changed) completed.set(key, own);
      const of = silent[pick(silent.length)];
      if (of && pick(3) === 0) await of.late.pop()?.();
      if (of && pick(4) === 0) of.wake();
    }
  }

  for (let owner = 0; owner < OWNERS; owner++) {
    const isLast = owner === OWNERS - 1;
    const store = new SilentStore(
      new TimedStore(random, { turn }, rows),
      isLast ? Infinity : 12 + pick(120),
      pick(2) === 0,
    );
    const tables = await openTables(store);
    await expireLeases(plain);
    await holdSlots(tables);
    let isCurrent = true;
    const owning = own(tables, () => isCurrent).catch(() => undefined);
    await Promise.race([owning, store.silent]);
    isCurrent = false;
    running.push(owning);
    silent.push(store);
  }
  for (const store of silent) {
    store.wake();
    for (const change of store.late.splice(0)) await change();
  }
  await Promise.all(running);
  await expireLeases(plain);
  return { plain, completed };
}

describe('the changes of former owners', () => {
  // A table waits for timers after some milliseconds of work, which would make a history depend on more than its seed.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  const groups = seeds(5, 100).map((i) => i * SEEDS_AT_ONCE);

  it.each(groups)('leave each row an entry, and undo no change of a later owner: 100 seeds from %i', async (first) => {
    for (let seed = first; seed < first + SEEDS_AT_ONCE; seed++) {
      const { plain, completed } = await succeed(seed);
      expect(await lostRows(plain), `seed ${seed}`).toEqual([]);
      const found = await plain.pages.getMany(KEYS, ['retries']);
      const undone = KEYS.filter((key, i) => found[i] && (found[i].retries ?? 0) < (completed.get(key) ?? 0));
      expect(undone, `seed ${seed}: undone`).toEqual([]);
    }
  });
});

describe('headers of batches', () => {
  it('lose no change of concurrent writers', async () => {
    for (let seed = 0; seed < seeds(30, 500).length; seed++) {
      const store = new TimedStore(randomNumbers(seed));
      const writer = async (): Promise<void> => {
        const { batches } = await openTables(store);
        for (let i = 0; i < 4; i++) {
          await batches.change('1-1', (header) => ({ state: 'open', size: (header?.size ?? 0) + 1 }));
        }
      };
      await openTables(store, { slots: 1 });
      await Promise.all([writer(), writer(), writer()]);
      expect((await (await openTables(store)).batches.get('1-1')).size, `seed ${seed}`).toBe(12);
    }
  });

  it('move on once: the second writer learns that it was done', async () => {
    for (let seed = 0; seed < seeds(40, 200).length; seed++) {
      const store = new TimedStore(randomNumbers(seed));
      const { batches } = await openTables(store, { slots: 1 });
      await batches.change('1-1', () => ({ state: 'open', size: 1 }));
      const close = async (): Promise<void> => {
        const tables = await openTables(store);
        await tables.batches.advance('1-1', ['open'], () => ({ state: 'closed', size: 1 }));
      };
      const outcomes = await Promise.allSettled([close(), close()]);
      const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
      expect(failed, `seed ${seed}`).toMatchObject([{ code: 'BATCH_CLOSING' }]);
      expect(await batches.get('1-1')).toMatchObject({ state: 'closed' });
    }
  });
});
