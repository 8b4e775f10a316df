import type { AbstractLevel, AbstractSnapshot } from 'abstract-level';
import { CrawlError } from '../../../packages/errors/index.js';

/** A database whose own encodings are `utf8` for keys and `view` or `buffer` for values. */
export type LevelDatabase = AbstractLevel<string | Buffer | Uint8Array, string, Uint8Array>;

/** Both databases of a store, read as of one moment. */
export interface LevelSnapshot {
  readonly hot: LevelDatabase;
  readonly content: LevelDatabase;
  /** Absent where a single read answers all, which has a snapshot of its own. */
  readonly hotSnapshot?: AbstractSnapshot;
  /** Absent where no body is read. */
  readonly contentSnapshot?: AbstractSnapshot;
  close(): Promise<void>;
}

/**
 * Both snapshots are taken in one turn of the event loop, and the three steps of a write are started in three turns,
 * so every slot that a pointer names here is there.
 */
export function takeSnapshot(
  hot: LevelDatabase,
  content: LevelDatabase,
  { bodies }: { bodies: boolean },
): LevelSnapshot {
  const hotSnapshot = hot.snapshot();
  const contentSnapshot = content === hot || !bodies ? undefined : content.snapshot();
  return {
    hot,
    content,
    hotSnapshot,
    ...(bodies && { contentSnapshot: contentSnapshot ?? hotSnapshot }),
    async close() {
      await hotSnapshot.close();
      await contentSnapshot?.close();
    },
  };
}

/** For one call of `getMany` on the hot database, or one iterator, which reads as of one moment by itself where `supports` says so. */
export function withoutSnapshot(hot: LevelDatabase, content: LevelDatabase): LevelSnapshot {
  return { hot, content, close: async () => undefined };
}

/** Reads the values of these keys as of the snapshot. */
export function readMany(
  db: LevelDatabase,
  keys: string[],
  snapshot: AbstractSnapshot | undefined,
): Promise<(Uint8Array | undefined)[]> {
  return snapshot ? db.getMany(keys, { snapshot }) : db.getMany(keys);
}

/** @throws CrawlError STORE_FAILED where the database cannot carry a store */
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
const READ_AHEAD = 256 * 1024;

/** Options of an iterator over these keys as of the snapshot. */
export function iteratorOptions(
  range: { gte: string; lt: string },
  snapshot?: AbstractSnapshot,
): { gte: string; lt: string; snapshot?: AbstractSnapshot; highWaterMarkBytes: number } {
  return { ...range, ...(snapshot && { snapshot }), highWaterMarkBytes: READ_AHEAD };
}
