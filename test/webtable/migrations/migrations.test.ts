import { describe, expect, it } from 'vitest';
import {
  LevelStore,
  MemoryStore,
  openTables,
  rowKeyOf,
  type Inlink,
  type RowChange,
  type Store,
  type StoredRow,
  type TableName,
} from '../../../webtable/index.js';
import { MIGRATIONS, migrateRows, type MigrationProgress } from '../../../webtable/migrations/migrations.js';
import { SCHEMA_VERSION } from '../../../webtable/schema.js';
import { seeds } from '../../support/runs.js';
import { copyStore, dumpStore } from '../../support/stores/copy-store.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { memoryLevel } from '../../support/stores/open-stores.js';
import { PassOnStore } from '../../support/stores/pass-on-store.js';
import { oldInlinks, putOldInlinks, setVersion, versionOf, type OldInlinks } from '../../support/versions/version-6.js';
import { VersionedStore } from '../../support/versions/versioned-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';

/** Progress that counts, and that stops after a number of calls of `done`. */
function progress(stopAfter = Infinity) {
  const counters = { rows: 0, inlinks: 0, damaged: 0 };
  let calls = 0;
  const made: MigrationProgress = {
    get aborted() {
      return calls >= stopAfter;
    },
    count: (name, n) => void (counters[name] += n),
    done: () => void (calls += 1),
  };
  return Object.assign(made, { counters });
}

const key = (n: number): string => rowKeyOf(`http://h${n % 7}.example.com/${n}`);
const manyInlinks = (count: number, link = (n: number): Omit<Inlink, 'url'> => ({ anchor: 'a', score: n })) =>
  new Map(Array.from({ length: count }, (_, n) => [key(n), link(n)])) as OldInlinks;

/** A table of version 6 in an empty store. */
async function oldTable<S extends Store>(store: S, rows: Parameters<typeof putOldInlinks>[1]): Promise<S> {
  const { pages } = await openTables(store);
  await pages.write(rows.map((row, n) => ({ key: row.key, set: { score: n, outlinks: [] }, marks: { inject: 'y' } })));
  await putOldInlinks(store, rows);
  await setVersion(store, '6');
  return store;
}

const ANCHORS = ['', 'a', 'Ünïcode ☃ 🙂', 'x'.repeat(300), '\uFEFFb\n'];

async function randomTable<S extends Store>(store: S, seed: number, size: number): Promise<S> {
  const random = randomNumbers(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const link = (): Omit<Inlink, 'url'> => ({
    anchor: ANCHORS[below(ANCHORS.length)]!,
    score: [0, random(), -1, 1e300][below(4)]!,
  });
  return oldTable(
    store,
    Array.from({ length: size }, (_, n) => {
      const inlinks = new Map(Array.from({ length: [0, 1, 3, 40][below(4)]! }, () => [key(below(1000)), link()]));
      // Trimmed and repeated links leave a bound above the number.
      return { key: key(n), inlinks, bound: inlinks.size + below(3) };
    }),
  );
}

async function storedRows(store: Store): Promise<StoredRow[]> {
  const rows: StoredRow[] = [];
  for await (const row of store.scan('webpage', { columns: ['l', 'm', 'p'] })) rows.push(row);
  return rows;
}

/** All cells except those of inlinks and their numbers. */
const otherCells = ({ key, cells }: StoredRow) => [
  key,
  [...cells].filter(([column]) => !/^l:[ib]:|^m:i[nl]$/.test(column)),
];

/** Reads inlinks as the jobs do. */
async function readInlinks(store: Store) {
  const { pages } = await openTables(store);
  const found = new Map<string, unknown>();
  for await (const row of pages.scan({
    fields: ['inlinks', 'inlinkCount', 'inlinkBound', 'inlinksFolded', 'status'],
  })) {
    found.set(row.key, row);
  }
  return found;
}

describe('from version 6', () => {
  it.each(seeds(20, 400))('random inlinks are read as before, seed %i', async (seed) => {
    const store = await randomTable(new MemoryStore(), seed, 30);
    const before = await storedRows(store);
    const done = progress();
    expect(await migrateRows(store, done)).toEqual({ from: 6, to: SCHEMA_VERSION });
    expect(await versionOf(store)).toBe(String(SCHEMA_VERSION));

    const after = await storedRows(store);
    expect(after.map(otherCells)).toEqual(before.map(otherCells));
    expect(after.flatMap(({ cells }) => [...cells.keys()]).filter((column) => column.startsWith('l:i:'))).toEqual([]);
    const found = await readInlinks(store);
    let inlinks = 0;
    let rows = 0;
    for (const row of before) {
      const old = oldInlinks(row);
      const count = old.length;
      inlinks += count;
      if (count > 0) rows += 1;
      const numbers = { inlinks: old, inlinkCount: count, inlinkBound: count, inlinksFolded: count };
      if (count > 0) expect(found.get(row.key)).toEqual({ key: row.key, ...numbers });
      else expect(found.get(row.key)).not.toHaveProperty('inlinks');
    }
    expect(done.counters).toEqual({ rows, inlinks, damaged: 0 });
  });

  it('a migration that fails before any write continues, and ends the same', async () => {
    const table = await randomTable(new MemoryStore(), 1, 12);
    const whole = await copyStore(table);
    await migrateRows(whole, progress());
    const expected = await dumpStore(whole);
    let failures = 0;
    for (let failAt = 1; ; failAt++) {
      const store = await copyStore(table);
      const failing = new FailingStore(store, failAt);
      try {
        await migrateRows(failing, progress());
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(PlannedFailure);
      }
      failures += 1;
      expect(await versionOf(store)).toBe(failAt === 1 ? '6' : '6>7');
      expect(await migrateRows(store, progress())).toEqual({ from: 6, to: 7 });
      expect(await dumpStore(store)).toEqual(expected);
    }
    // Two writes of versions, and one for each row with inlinks.
    const withInlinks = (await storedRows(table)).filter((row) => oldInlinks(row).length > 0);
    expect(failures).toBe(2 + withInlinks.length);
    expect(failures).toBeGreaterThan(5);
  });

  it('has few rows and bytes in memory, and stops between them on an abort', async () => {
    const writes: { rows: number; cells: number; bytes: number }[] = [];
    class SeenStore extends PassOnStore {
      override async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
        const cells = changes.flatMap(({ put = [] }) => [...put]);
        if (table === 'webpage')
          writes.push({
            rows: changes.length,
            cells: changes.reduce((sum, change) => sum + (change.delete?.length ?? 0), 0),
            bytes: cells.reduce((sum, [, { length }]) => sum + length, 0),
          });
        return super.write(table, changes);
      }
    }
    const store = new MemoryStore();
    const large = manyInlinks(2000, () => ({ anchor: 'x'.repeat(600), score: 1 }));
    await oldTable(
      store,
      Array.from({ length: 1200 }, (_, n) => ({ key: key(n), inlinks: n < 12 ? large : manyInlinks(1) })),
    );
    const stopped = progress(1);
    await migrateRows(new SeenStore(store), stopped);
    expect(await versionOf(store)).toBe('6>7');
    expect(writes).toHaveLength(1);
    expect(stopped.counters.rows).toBe(writes[0]!.rows);

    const rest = progress();
    await migrateRows(new SeenStore(store), rest);
    expect(await versionOf(store)).toBe('7');
    expect(rest.counters.rows).toBe(1200 - stopped.counters.rows);
    expect(Math.max(...writes.map(({ rows }) => rows))).toBeLessThanOrEqual(500);
    // Four MiB, and one more row.
    expect(Math.max(...writes.map(({ bytes }) => bytes))).toBeLessThan(6e6);
    expect(Math.max(...writes.map(({ cells }) => cells))).toBeLessThan(10_000);
  });

  it('cells that cannot be read stay, and all others are migrated', async () => {
    const store = await oldTable(
      new MemoryStore(),
      [1, 2, 3].map((n) => ({ key: key(n), inlinks: manyInlinks(n) })),
    );
    // One row has a cell that is too short for a score beside other cells; another has one cell, whose anchor is not UTF-8.
    await store.write('webpage', [
      { key: key(2), put: new Map([['l:i:com.example:http/bad', Buffer.from('x')]]) },
      { key: key(4), put: new Map([['l:i:com.example:http/bad', Buffer.alloc(9, 0xff)]]) },
    ]);
    const done = progress();
    await migrateRows(store, done);
    expect(done.counters).toEqual({ rows: 3, inlinks: 6, damaged: 2 });
    const found = await readInlinks(store);
    expect([1, 2, 3, 4].map((n) => (found.get(key(n)) as { inlinkCount?: number } | undefined)?.inlinkCount)).toEqual([
      ...[1, 2, 3],
      undefined,
    ]);
    const bad = (await storedRows(store)).filter(({ cells }) => cells.has('l:i:com.example:http/bad'));
    expect(bad.map((row) => row.key).sort()).toEqual([key(2), key(4)].sort());
    // Another migration, as after a kill, changes nothing here.
    const before = await dumpStore(store);
    await setVersion(store, '6>7');
    await migrateRows(store, progress());
    expect(await dumpStore(store)).toEqual(before);
  });

  it('a row keeps other cells that cannot be read, and its inlinks', async () => {
    const database = memoryLevel();
    await oldTable(
      new LevelStore({ database }),
      [1, 2].map((n) => ({ key: key(n), inlinks: manyInlinks(n) })),
    );
    const broken = `wm${key(2)}`;
    await database.put(broken, Buffer.from([0xff]));
    const again = new LevelStore({ database });
    const done = progress();
    await migrateRows(again, done);
    expect(done.counters).toEqual({ rows: 2, inlinks: 3, damaged: 1 });
    expect(await database.get(broken)).toEqual(Buffer.from([0xff]));
    const found = await readInlinks(again);
    expect(found.get(key(2))).toMatchObject({ inlinkCount: 2, damaged: [expect.stringContaining('m:')] });
    expect(found.get(key(1))).toMatchObject({ inlinkCount: 1, inlinkBound: 1 });
  });

  it('rows that another process changes meanwhile are read again', async () => {
    const random = randomNumbers(5);
    const store = await randomTable(new VersionedStore(random, { refused: 0.3 }), 3, 40);
    const before = await storedRows(store);
    const done = progress();
    await migrateRows(store, done);
    expect(store.refused).toBeGreaterThan(3);
    const found = await readInlinks(store);
    const old = before.filter((row) => oldInlinks(row).length > 0);
    for (const row of old) expect(found.get(row.key)).toMatchObject({ inlinks: oldInlinks(row) });
    expect(done.counters.rows).toBe(old.length);
  });

  it('a damaged row is counted once, even if its step is repeated', async () => {
    const store = await randomTable(new VersionedStore(randomNumbers(5), { refused: 0.3 }), 3, 40);
    const bad = [...Array(10).keys()].map((n) => key(n * 4));
    const damage = (key: string): RowChange => ({
      key,
      put: new Map([['l:i:com.example:http/bad', Buffer.from('x')]]),
    });
    await store.write('webpage', bad.map(damage));
    const done = progress();
    await migrateRows(store, done);
    expect(store.refused).toBeGreaterThan(3);
    expect(done.counters.damaged).toBe(bad.length);
  });
});

describe('versions', () => {
  it('each migration leads to the next one, the last to the present version', () => {
    expect(MIGRATIONS.map(({ to }) => to)).toEqual([...MIGRATIONS.slice(1).map(({ from }) => from), SCHEMA_VERSION]);
    for (const { from, to } of MIGRATIONS) expect(to).toBeGreaterThan(from);
  });

  it.each([
    ['6', 'the table has schema version 6, and this version needs schema version 7', 'run `webcrawl migrate`'],
    [
      '6>7',
      'the table has an incomplete migration from schema version 6 to 7, and this version needs schema version 7',
      'run `webcrawl migrate` with the same --table again',
    ],
    ['5', 'schema version 5', 'use the version of webcrawl that wrote this table'],
    ['8', 'schema version 8', 'use the version of webcrawl that wrote this table'],
    ['7>8', 'schema version 7>8', 'use the version of webcrawl that wrote this table'],
    ['', 'schema version ', 'use the version of webcrawl that wrote this table'],
  ])('%s is refused', async (version, message, hint) => {
    const store = await oldTable(new MemoryStore(), [{ key: key(1), inlinks: manyInlinks(3) }]);
    await setVersion(store, version);
    const before = await dumpStore(store);
    await expect(openTables(store)).rejects.toMatchObject({
      code: 'TABLE_VERSION',
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining(hint) as string,
    });
    if (!version.startsWith('6')) {
      await expect(openTables(store, { migrates: true })).rejects.toMatchObject({ code: 'TABLE_VERSION' });
      await expect(migrateRows(store, progress())).rejects.toMatchObject({ code: 'TABLE_VERSION' });
    }
    expect(await dumpStore(store)).toEqual(before);
  });

  it('bytes that are no text are rejected as an unknown version', async () => {
    const store = await oldTable(new MemoryStore(), []);
    await store.write('meta', [{ key: 'schema', put: new Map([['v:n', Buffer.from([0x37, 0xff])]]) }]);
    for (const migrates of [false, true])
      await expect(openTables(store, { migrates })).rejects.toMatchObject({ code: 'TABLE_VERSION' });
    await expect(migrateRows(store, progress())).rejects.toMatchObject({ code: 'TABLE_VERSION' });
  });

  it('a table of the present version stays as it is', async () => {
    const store = new MemoryStore();
    const { pages } = await openTables(store);
    await pages.write([{ key: key(1), set: { score: 1 } }]);
    const before = await dumpStore(store);
    expect(await migrateRows(store, progress())).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });
    expect(await dumpStore(store)).toEqual(before);
  });

  it('a table of version 6 keeps its number of slots', async () => {
    const store = new MemoryStore();
    await openTables(store, { slots: 5 });
    await setVersion(store, '6');
    expect((await openTables(store, { migrates: true })).slots.all).toHaveLength(5);
    await migrateRows(store, progress());
    expect((await openTables(store)).slots.all).toHaveLength(5);
  });
});
