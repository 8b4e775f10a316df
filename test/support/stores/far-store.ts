import type {
  CheckedChange,
  ColumnSelector,
  RowChange,
  ScanOptions,
  Store,
  StoredRow,
} from '../../../webtable/index.js';
import type { TableName } from '../../../webtable/schema.js';
import type { SimulatedMachine, SimulatedTime } from './simulated-time.js';

/** A store as seen from a machine: requests and answers take time, and either may be lost. */
export class FarStore implements Store {
  readonly #store: Store;
  readonly #time: SimulatedTime;
  readonly #machine: SimulatedMachine;
  readonly #random: () => number;
  readonly #lossRate: number;

  constructor(
    store: Store,
    time: SimulatedTime,
    machine: SimulatedMachine,
    { random, lossRate = 0 }: { readonly random: () => number; readonly lossRate?: number },
  ) {
    this.#store = store;
    this.#time = time;
    this.#machine = machine;
    this.#random = random;
    this.#lossRate = lossRate;
  }

  get(table: TableName, keys: readonly string[], columns: readonly ColumnSelector[]) {
    return this.#call(() => this.#store.get(table, keys, columns));
  }

  async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    yield* await this.#call(async () => {
      const rows = [];
      for await (const row of this.#store.scan(table, options)) rows.push(row);
      return rows;
    });
  }

  write(table: TableName, changes: readonly RowChange[]) {
    return this.#call(() => this.#store.write(table, changes));
  }

  compareAndSet(table: TableName, changes: readonly CheckedChange[]) {
    return this.#call(() => this.#store.compareAndSet!(table, changes));
  }

  async close(): Promise<void> {}

  async #call<T>(call: () => Promise<T>): Promise<T> {
    // A sent request arrives even if the machine fails; sometimes much later.
    await this.#time.sleep(this.#delay());
    if (this.#random() < this.#lossRate) return this.#fail();
    const answer = await call();
    if (this.#random() < this.#lossRate) return this.#fail();
    await this.#machine.sleep(this.#delay());
    return answer;
  }

  async #fail(): Promise<never> {
    await this.#machine.sleep(this.#delay());
    throw new Error('expected an answer of the store, found none');
  }

  #delay(): number {
    const isHeldUp = this.#random() < 0.02;
    return this.#random() * (isHeldUp ? 40_000 : 100);
  }
}
