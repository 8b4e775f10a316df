// Loaded before the command, by `--import`: counts what its crawl asks of the store, of LevelDB and of files, and writes the
// counts when the process ends. It knows the exported class of the store, the tables and families by name, the kinds of
// frontier keys, and the methods that a database of abstract-level has for its own; so it counts any version alike.
import { writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { LevelStore, RowChange } from '../../packages/webcrawl/index.js';
import { OPERATIONS, OPERATIONS_BUILD, OPERATIONS_FILE, type OperationCounts } from '../lib/operations.js';

type Method = (this: unknown, ...args: never[]) => unknown;
type Methods = Record<string, Method>;

const counts = Object.fromEntries(OPERATIONS.map(({ key }) => [key, 0])) as OperationCounts;

const file = process.env[OPERATIONS_FILE];
const build = process.env[OPERATIONS_BUILD];
if (isMainThread && file !== undefined && build !== undefined) {
  const entry = join(build, 'dist/packages/webcrawl/index.js');
  countStore(((await import(entry)) as { LevelStore: { prototype: LevelStore } }).LevelStore.prototype);
  const { Level } = createRequire(entry)('level') as { Level: { prototype: Methods } };
  countDatabase(Level.prototype);
  await countFiles();
  process.on('exit', () => writeFileSync(file, JSON.stringify(counts)));
}

/** Calls `count` with the arguments of each call of a method. */
function before(object: object, name: string, count: (...args: never[]) => void): void {
  const methods = object as Methods;
  const method = methods[name];
  if (typeof method !== 'function') return;
  methods[name] = function (...args) {
    count(...args);
    return method.apply(this, args);
  };
}

/** Calls `see` with what each call of a method returns, at once or in the end. */
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

function countStore(store: LevelStore): void {
  before(store, 'write', (table: string, changes: readonly RowChange[]) => {
    counts.storeWrites += 1;
    for (const change of changes) countChange(table, change);
  });
  before(store, 'get', (table: string, keys: readonly string[]) => {
    counts.storeGets += 1;
    if (table === 'webpage') counts.rowsRead += keys.length;
  });
  before(store, 'scan', () => (counts.storeScans += 1));
  const { scan } = store;
  store.scan = async function* (table, options) {
    for await (const row of scan.call(this, table, options)) {
      if (table === 'webpage') counts.rowsRead += 1;
      yield row;
    }
  };
}

function countChange(table: string, { key, put, delete: deleted = [], clear }: RowChange): void {
  const isPut = (put?.size ?? 0) > 0;
  if (table === 'webpage') {
    const columns = [...(put?.keys() ?? []), ...deleted];
    counts.linkCells += columns.filter((column) => column.startsWith('l:')).length;
    if (clear || columns.some((column) => column.startsWith('m:'))) counts.rowChanges += 1;
  } else if (table === 'frontier') {
    counts[frontierKind(key, isPut)] += 1;
  } else if (table === 'batch') {
    counts[isPut ? 'batchPuts' : 'batchDeletes'] += 1;
  } else {
    counts.otherChanges += 1;
  }
}

/** By the zone after the slot: `t` and `q` hold rows, `h` heads; a note stands at the end of the queue of its host. */
function frontierKind(key: string, isPut: boolean) {
  const zone = /^[0-9a-f]+([a-z])/.exec(key)?.[1];
  if (!key.includes('|') || zone === undefined) return 'frontierOther';
  if (zone === 'h') return 'frontierHeads';
  if (zone === 'q' && key.endsWith('|~')) return 'frontierNotes';
  return isPut ? 'frontierPuts' : 'frontierDeletes';
}

/** The methods with an underscore are what a database of abstract-level does by itself: one call, one wait for a thread. */
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

/** Files that Node itself has open, as those that hold bodies outside of LevelDB. */
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
