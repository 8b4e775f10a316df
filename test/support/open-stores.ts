import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { MemoryLevel } from 'memory-level';
import { LevelStore, MemoryStore, openLevelStore, type Store } from '../../webtable/index.js';
import type { OpenedStore } from '../../webtable/store-suite/index.js';

const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'view' } as const;

export const memoryLevel = (): MemoryLevel<string, Uint8Array> => new MemoryLevel<string, Uint8Array>(ENCODINGS);

/** Every kind of store that a crawl can run on, each opened new and empty. */
export const STORES: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  MemoryStore: async () => {
    const store = new MemoryStore();
    return { store, cleanup: () => store.close() };
  },
  'LevelStore on memory-level': async () => {
    const store = new LevelStore({ hot: memoryLevel(), content: memoryLevel() });
    return { store, cleanup: () => store.close() };
  },
  'LevelStore on one memory-level': async () => {
    const store = new LevelStore({ hot: memoryLevel() });
    return { store, cleanup: () => store.close() };
  },
  'LevelStore on disk': () => inDirectory(openLevelStore),
  // So small that a few rows already go through files and compactions.
  'LevelStore on disk with tiny buffers': () =>
    inDirectory(async (directory) => {
      const sizes = { ...ENCODINGS, writeBufferSize: 64 * 1024, maxFileSize: 1024 * 1024, blockSize: 256 };
      const hot = new ClassicLevel<string, Uint8Array>(join(directory, 'hot'), sizes);
      const content = new ClassicLevel<string, Uint8Array>(join(directory, 'content'), sizes);
      return new LevelStore({ hot, content });
    }),
};

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
