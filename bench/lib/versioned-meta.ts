import { MemoryStore, type RowChange, type ScanOptions, type StoredRow, type TableName } from '../../webtable/index.js';
import type { SimulatedMachine, SimulatedTime } from './simulated-time.js';

/** The requests to a simulated store. */
export interface StoreLoad {
  calls: number;
  rowsRead: number;
  /** Number of rows that were compared and set. */
  compared: number;
}

/** Versioned rows in memory that many workers change at the same time. */
export class VersionedMeta extends MemoryStore {
  readonly #versions = new Map<string, number>();
  #next = 1;
  readonly load: StoreLoad = { calls: 0, rowsRead: 0, compared: 0 };

  override async get(...args: Parameters<MemoryStore['get']>): Promise<(StoredRow | undefined)[]> {
    this.load.calls += 1;
    this.load.rowsRead += args[1].length;
    const rows = await super.get(...args);
    return rows.map((row) => row && { ...row, version: String(this.#versions.get(row.key)) });
  }

  override async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    yield* await this.page(table, options);
  }

  /** The rows of a scan, all of the same moment. */
  async page(table: TableName, options: ScanOptions): Promise<StoredRow[]> {
    this.load.calls += 1;
    const rows: StoredRow[] = [];
    for await (const row of super.scan(table, options))
      rows.push({ ...row, version: String(this.#versions.get(row.key)) });
    this.load.rowsRead += rows.length;
    return rows;
  }

  async writeUnchanged(
    table: TableName,
    changes: readonly { readonly change: RowChange; readonly version: string | undefined }[],
  ): Promise<boolean[]> {
    this.load.calls += 1;
    this.load.compared += changes.length;
    const isMade = changes.map(({ change, version }) => this.#versions.get(change.key)?.toString() === version);
    const made = changes.filter((_, i) => isMade[i]).map(({ change }) => change);
    for (const { key, put } of made) {
      if (put) this.#versions.set(key, this.#next++);
      else this.#versions.delete(key);
    }
    await this.write(table, made);
    return isMade;
  }

  /** The same store seen from a machine: an answer takes a while, and does not reach a paused machine. */
  seenFrom(time: SimulatedTime, machine: Pick<SimulatedMachine, 'sleep'>, delay: () => number): VersionedMeta {
    const far = async <T>(call: () => Promise<T>): Promise<T> => {
      await time.sleep(delay());
      const answer = await call();
      await machine.sleep(0);
      return answer;
    };
    const page = (...args: Parameters<VersionedMeta['page']>): Promise<StoredRow[]> => far(() => this.page(...args));
    return {
      get: (...args: Parameters<VersionedMeta['get']>) => far(() => this.get(...args)),
      scan: async function* (...args: Parameters<VersionedMeta['scan']>) {
        yield* await page(...args);
      },
      write: (...args: Parameters<VersionedMeta['write']>) => far(() => this.write(...args)),
      writeUnchanged: (...args: Parameters<VersionedMeta['writeUnchanged']>) => far(() => this.writeUnchanged(...args)),
    } as VersionedMeta;
  }
}
