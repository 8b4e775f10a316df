// Loaded before the command by `--import`: counts the operations that its crawl requests from the store, LevelDB and files, and writes the
// counts when the process ends. It uses only the exported class of the store, the names of tables and families, the kinds of frontier keys,
// and the internal methods of abstract-level databases; so it counts any version in the same way.
import { existsSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { LevelStore } from '../../packages/webcrawl/internal.js';
import { before, countStore, type Methods } from '../lib/count-store.js';
import { OPERATIONS_BUILD, OPERATIONS_FILE, newCounts } from '../lib/operations.js';

const counts = newCounts();

const file = process.env[OPERATIONS_FILE];
const build = process.env[OPERATIONS_BUILD];
if (isMainThread && file !== undefined && build !== undefined) {
  // Earlier builds have everything at the root.
  const doors = ['internal', 'index'].map((name) => join(build, `dist/packages/webcrawl/${name}.js`));
  const entry = doors.find((door) => existsSync(door))!;
  countStore(((await import(entry)) as { LevelStore: { prototype: LevelStore } }).LevelStore.prototype, counts);
  const { Level } = createRequire(entry)('level') as { Level: { prototype: Methods } };
  countDatabase(Level.prototype);
  await countFiles();
  process.on('exit', () => writeFileSync(file, JSON.stringify(counts)));
}

function after(object: object, name: string, see: (result: never) => void): void {
  const methods = object as Methods;
  const method = methods[name];
  if (typeof method !== 'function') return;
  methods[name] = function (...args) {
    const result = method.apply(this, args);
    if (result instanceof Promise) void result.then(see as (result: unknown) => void, () => undefined);
    else see(result as never);
    return result;
  };
}

function countDatabase(database: Methods): void {
  const bytes = (value: unknown): number => (value as { length?: number } | undefined)?.length ?? 0;
  const put = (key: unknown, value?: unknown): void => void (counts.levelBytes += bytes(key) + bytes(value));
  before(database, '_put', (key: unknown, value: unknown) => {
    counts.levelBatches += 1;
    put(key, value);
  });
  before(database, '_del', () => (counts.levelBatches += 1));
  before(database, '_batch', (operations: readonly { key: unknown; value?: unknown }[]) => {
    counts.levelBatches += 1;
    for (const { key, value } of operations) put(key, value);
  });
  after(database, '_chainedBatch', (batch: object) => {
    before(batch, '_put', put);
    before(batch, '_del', put);
    before(batch, '_write', () => (counts.levelBatches += 1));
  });
  before(database, '_get', () => {
    counts.levelReads += 1;
    counts.levelKeysRead += 1;
  });
  before(database, '_getMany', (keys: readonly unknown[]) => {
    counts.levelReads += 1;
    counts.levelKeysRead += keys.length;
  });
  after(database, '_iterator', (iterator: object) => {
    for (const name of ['_next', '_nextv']) before(iterator, name, () => (counts.levelNexts += 1));
  });
}

async function countFiles(): Promise<void> {
  const handle = await open(process.execPath);
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const length = (data: unknown): number => (data as { length?: number; byteLength?: number }).byteLength ?? 0;
  for (const name of ['write', 'appendFile', 'writeFile']) {
    before(handles, name, (data: unknown) => {
      counts.fileCalls += 1;
      counts.fileBytes += length(data);
    });
  }
  before(handles, 'writev', (parts: readonly unknown[]) => {
    counts.fileCalls += 1;
    counts.fileBytes += parts.reduce<number>((sum, part) => sum + length(part), 0);
  });
  for (const name of ['read', 'readv', 'sync', 'datasync']) before(handles, name, () => (counts.fileCalls += 1));
}
