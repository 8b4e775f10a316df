/** One store to measure. */
export interface StoreJob {
  readonly store: 'classic-level' | 'level' | 'webtable' | 'memory' | 'hbase' | 'hbase-webtable';
  readonly rows: number;
  readonly bodies: number;
  /** Of the stores on HBase, a URL. */
  readonly directory: string;
}

/** What is measured, in the order in which it is done. */
export const OPERATIONS = [
  { key: 'writeSorted', head: 'write in order' },
  { key: 'writeRandom', head: 'write out of order' },
  { key: 'read', head: 'read by key' },
  { key: 'scan', head: 'scan' },
  { key: 'writeBody', head: 'write bodies' },
  { key: 'readBody', head: 'read bodies' },
] as const;

/** One thing that is measured. */
export type Operation = (typeof OPERATIONS)[number]['key'];

/** Thousands of rows per second by operation, and the peak memory of the process in MB. */
export type StoreFigures = Readonly<Record<Operation | 'peakMb', number>>;

/** What the worker says of each operation as it ends, before all figures. */
export interface StoreStep {
  /** `open` is not timed. */
  readonly operation: Operation | 'open';
  readonly rows: number;
  /** Thousands of rows per second. */
  readonly rate: number;
  /** Of the worker. */
  readonly cpuSeconds: number;
}

/** A store as the benchmark sees it. Rows are known by their number, which is also the order of their keys. */
export interface MeasuredStore {
  write(rows: readonly number[]): Promise<void>;
  read(rows: readonly number[]): Promise<void>;
  /** Returns how many rows there were. */
  scan(): Promise<number>;
  writeBodies(rows: readonly number[]): Promise<void>;
  readBodies(rows: readonly number[]): Promise<void>;
  close(): Promise<void>;
}
