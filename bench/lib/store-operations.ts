/** One store to measure. */
export interface StoreJob {
  readonly store: 'classic-level' | 'level' | 'webtable' | 'memory';
  readonly rows: number;
  readonly bodies: number;
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
