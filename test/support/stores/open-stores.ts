import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { LevelStore, MemoryStore, openLevelStore, openSharedStore, type Store } from '../../../webtable/index.js';
import { losing, openFakeStore } from '../hbase/open-fake-store.js';
import { randomNumbers } from '../web/fake-web.js';
import { CrawlError } from '../../../packages/errors/index.js';
import { TimedStore } from './timed-store.js';
import type { OpenedStore } from '../../../webtable/store-suite/index.js';

const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'view' } as const;

type Operations = readonly { readonly value?: Uint8Array }[];

/** A database in memory that copies the values of a write, as LevelDB does. */
export function memoryLevel(): MemoryLevel<string, Uint8Array> {
  const database = new MemoryLevel<string, Uint8Array>(ENCODINGS);
  const own = database as unknown as { _batch(operations: Operations, options: unknown): Promise<void> };
  const write = own._batch.bind(database);
  own._batch = (operations, options) =>
    write(
      operations.map((each) => (each.value ? { ...each, value: new Uint8Array(each.value) } : each)),
      options,
    );
  return database;
}

/** Every kind of store that a crawl can run on. Each call opens a new empty one. */
export const STORES: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  MemoryStore: async () => {
    const store = new MemoryStore();
    return { store, cleanup: () => store.close() };
  },
  'TimedStore, which others change': async () => {
    // Only the rows of one page of a scan are guaranteed to be of one moment.
    const treatment = { refused: 0.05, lostAnswers: 0.05, longestPage: 1e6 };
    const first = new TimedStore(randomNumbers(1), treatment);
    return { store: first, reopen: async () => first.forProcess(), cleanup: () => first.close() };
  },
  'LevelStore on memory-level': async () => {
    const store = new LevelStore({ database: memoryLevel() });
    return { store, cleanup: () => store.close() };
  },
  'LevelStore on disk': () => inDirectory(openLevelStore),
  // Buffers so small that a few rows already go through files and compactions.
  'LevelStore on disk with tiny buffers': () =>
    inDirectory(async (directory) => {
      const sizes = { ...ENCODINGS, writeBufferSize: 64 * 1024, maxFileSize: 1024 * 1024, blockSize: 256 };
      return new LevelStore({ database: new Level<string, Uint8Array>(join(directory, 'hot'), sizes) });
    }),
  'HBaseStore on a fake HBase': () => openFakeStore(),
  'HBaseStore, answers lost, on a fake HBase': () => openFakeStore({ gateways: 2, around: losing(randomNumbers(1)) }),
  'SharedStore on disk': () => inDirectory(shared),
  'SharedStore that reads through another on disk': async () => {
    const directory = await mkdtemp(join(tmpdir(), 'webcrawl-store-'));
    const owner = await shared(directory);
    let store = readsThrough(await shared(directory), owner);
    return {
      store,
      async reopen() {
        await store.close();
        return (store = readsThrough(await shared(directory), owner));
      },
      async cleanup() {
        await store.close();
        await owner.close();
        await rm(directory, { recursive: true, force: true });
      },
    };
  },
};

/**
 * Kinds of stores that survive a kill of their process. Each makes a place for data. The returned function opens that place again and
 * again, without closing earlier ones.
 */
export const KILLABLE: Readonly<Record<string, () => () => Store>> = {
  MemoryStore: () => {
    const store = new MemoryStore();
    return () => store;
  },
  'LevelStore on memory-level': () => {
    const database = memoryLevel();
    return () => new LevelStore({ database });
  },
};

async function shared(directory: string): Promise<Store> {
  const store = await openSharedStore({ directory, open: () => openLevelStore(directory), name: 'test', version: '1' });
  await store.serve();
  return store;
}

/** A store whose reads go through another process, and whose writes go to the store of that process, since only it may write. */
function readsThrough(remote: Store, owner: Store): Store {
  let isClosed = false;
  return {
    get: (...args) => remote.get(...args),
    scan: (...args) => remote.scan(...args),
    async write(table, changes) {
      if (isClosed) throw new CrawlError('CLOSED', 'the store is closed');
      await owner.write(table, changes);
      // A write takes as long as a read, so readers keep up with writers.
      await remote.get('meta', ['none'], ['v']).catch(() => undefined);
    },
    get content() {
      return remote.content;
    },
    async close() {
      isClosed = true;
      await remote.close();
    },
  };
}

async function inDirectory(open: (directory: string) => Promise<Store>): Promise<OpenedStore> {
  const directory = await mkdtemp(join(tmpdir(), 'webcrawl-store-'));
  let store = await open(directory);
  return {
    store,
    async reopen() {
      await store.close();
      store = await open(directory);
      return store;
    },
    async cleanup() {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
