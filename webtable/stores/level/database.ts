import type { AbstractLevel, AbstractSnapshot } from 'abstract-level';
import { CrawlError } from '../../../packages/errors/index.js';

/** A database with the encoding `utf8` for keys, and `view` or `buffer` for values. */
export type LevelDatabase = AbstractLevel<string | Buffer | Uint8Array, string, Uint8Array>;

const MB = 1024 * 1024;

/**
 * Options with which the database of a table is opened. Write buffers are large, because small ones stall writers while LevelDB compacts.
 * At times two buffers are in memory. The indexes of up to 1,000 files are in memory too. With this block size, they are four times smaller
 * than with LevelDB's default.
 */
export const DATABASE_OPTIONS = {
  keyEncoding: 'utf8',
  valueEncoding: 'view',
  writeBufferSize: 32 * MB,
  blockSize: 16 * 1024,
} as const;

/** A database, and a snapshot for reads of one moment. */
export interface LevelSnapshot {
  readonly database: LevelDatabase;
  /** Absent if the caller makes only one read. Such a read has a snapshot of its own. */
  readonly snapshot?: AbstractSnapshot;
  close(): Promise<void>;
}

/**
 * Takes a snapshot of the database.
 * @param isOneRead whether the snapshot is for one call of `getMany`, or for one iterator; most databases need no snapshot for such a read
 */
export function takeSnapshot(database: LevelDatabase, isOneRead: boolean): LevelSnapshot {
  if (isOneRead && database.supports.implicitSnapshots) return { database, close: async () => undefined };
  const snapshot = database.snapshot();
  return { database, snapshot, close: () => snapshot.close() };
}

/** Reads the values of these keys in the snapshot. */
export function readMany({ database, snapshot }: LevelSnapshot, keys: string[]): Promise<(Uint8Array | undefined)[]> {
  return snapshot ? database.getMany(keys, { snapshot }) : database.getMany(keys);
}

/** @throws CrawlError STORE_FAILED if the database cannot be used for a store */
export function checkDatabase(db: LevelDatabase): void {
  if (!db.supports.explicitSnapshots) {
    throw new CrawlError('STORE_FAILED', 'expected a database with explicit snapshots, found one without');
  }
  const key = db.keyEncoding().commonName;
  const value = db.valueEncoding().commonName;
  if (key !== 'utf8' || (value !== 'view' && value !== 'buffer')) {
    throw new CrawlError(
      'STORE_FAILED',
      `expected key encoding utf8 and value encoding view, found ${key} and ${value}`,
    );
  }
}

/** Bytes that an iterator reads ahead. */
const READ_AHEAD = MB / 4;

/** Options of an iterator over these keys in the snapshot. */
export function iteratorOptions(
  range: { gte: string; lt: string },
  snapshot?: AbstractSnapshot,
): { gte: string; lt: string; snapshot?: AbstractSnapshot; highWaterMarkBytes: number } {
  return { ...range, ...(snapshot && { snapshot }), highWaterMarkBytes: READ_AHEAD };
}
