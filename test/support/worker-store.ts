import type {
  CheckedChange,
  ColumnSelector,
  RowChange,
  ScanOptions,
  Store,
  StoredRow,
  TableName,
} from '../../webtable/index.js';

/** The fate of a worker: at a call of its store it is killed, or suspended for some milliseconds. */
export interface Fate {
  readonly at: number;
  /** Absent: it is killed. */
  readonly suspendedFor?: number;
}

/** The error of calls of a killed worker. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** A shared store as seen by one worker: it shares no locks with the others. */
export class WorkerStore implements Store {
  readonly #store: Store;
  readonly #fate: Fate | undefined;
  #calls = 0;
  #suspended: Promise<void> | undefined;
  /** The changes that were sent when the worker was killed. They may arrive later. */
  readonly late: (() => Promise<void>)[] = [];

  constructor(store: Store, fate?: Fate) {
    this.#store = store;
    this.#fate = fate;
  }

  get isKilled(): boolean {
    return this.#fate !== undefined && this.#fate.suspendedFor === undefined && this.#calls >= this.#fate.at;
  }

  async get(table: TableName, keys: readonly string[], columns: readonly ColumnSelector[]) {
    await this.#live();
    const rows = await this.#store.get(table, keys, columns);
    await this.#live();
    return rows;
  }

  async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    await this.#live();
    for await (const row of this.#store.scan(table, options)) yield row;
    await this.#live();
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    for (const change of changes) {
      const make = (): Promise<void> => this.#store.write(table, [change]);
      if (this.#calls + 1 === this.#fate?.at) this.late.push(make);
      await this.#live();
      await make();
    }
  }

  async compareAndSet(table: TableName, changes: readonly CheckedChange[]): Promise<readonly boolean[]> {
    const made: boolean[] = [];
    for (const change of changes) {
      await this.#live();
      made.push(...(await this.#store.compareAndSet!(table, [change])));
    }
    return made;
  }

  async close(): Promise<void> {}

  async #live(): Promise<void> {
    this.#calls += 1;
    if (this.isKilled) throw new Killed('the worker was killed');
    const { at, suspendedFor } = this.#fate ?? {};
    if (suspendedFor !== undefined && this.#calls === at) {
      this.#suspended = new Promise((resolve) => void setTimeout(resolve, suspendedFor));
    }
    await this.#suspended;
  }
}
