import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LevelStore, MemoryStore, SegmentFolder, openTables, rowKeyOf } from '../../../webtable/index.js';
import type { SegmentFile } from '../../../webtable/content/segment-files.js';
import { createFile } from '../../../webtable/content/segment-writer.js';
import { MIGRATIONS } from '../../../webtable/migrations/migrations.js';
import { SCHEMA_VERSION } from '../../../webtable/schema.js';
import { seeds } from '../../support/runs.js';
import { copyStore, dumpStore } from '../../support/stores/copy-store.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { memoryLevel } from '../../support/stores/open-stores.js';
import { testCrawl } from '../../support/test-crawl.js';
import { jobs } from '../../../packages/webcrawl/internal.js';
import { migrate, migrationProgress } from '../../support/versions/migrate.js';
import { OLD_BATCH, comparable, fillOldTable, oldKey, oldTexts } from '../../support/versions/old-table.js';
import { setVersion, versionOf } from '../../support/versions/version-7.js';
import { TimedStore } from '../../support/stores/timed-store.js';

/** A file for writing that fails if there is no room. */
async function limitedFile(path: string, hasRoom: (bytes: number) => boolean): Promise<SegmentFile> {
  const file = await createFile(path);
  return {
    writev(parts, position) {
      const bytes = parts.reduce((sum, part) => sum + part.length, 0);
      if (hasRoom(bytes)) return file.writev(parts, position);
      return Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    },
    truncate: (length) => file.truncate(length),
    close: () => file.close(),
  };
}

describe('the migration from version 7', () => {
  it.each(seeds(3, 100))('rebuilds the indexes, so that repair finds nothing, seed %i', async (seed) => {
    const { store, held } = await fillOldTable(new MemoryStore(), 300, seed);
    const done = migrationProgress();
    expect(await migrate(store, done)).toEqual({ from: 7, to: SCHEMA_VERSION });
    expect(done.counters).toEqual({ texts: 30, signatures: 0, rows: 300, batches: 1, released: held, damaged: 0 });
    await using crawl = await testCrawl(undefined, { store });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 300 });
    expect((await crawl.tables.batches.get(OLD_BATCH)).state).toBe('closed');
    for await (const row of crawl.tables.pages.scan({ fields: ['marks', 'cashInFlight'] })) {
      expect(row.marks?.generate).toBeUndefined();
    }
  });

  it('moves texts, links and headers from the rows to records', async () => {
    const { store } = await fillOldTable(new MemoryStore(), 31);
    await migrate(store);
    const { pages } = await openTables(store);
    const fields = ['text', 'headings', 'textRanges', 'outlinks', 'headers'] as const;
    const keys = [0, 10, 20, 30];
    expect(await pages.getMany(keys.map(oldKey), fields)).toEqual(
      keys.map((n) => ({ key: oldKey(n), ...oldTexts(n) })),
    );
    for await (const row of store.scan('webpage', { columns: ['l:o', 'p'] })) expect(row).toBeUndefined();
  });

  it('continues after a failure of any write, and ends the same', async () => {
    const { store: table } = await fillOldTable(new MemoryStore(), 12);
    const whole = await copyStore(table);
    await migrate(whole);
    const expected = await comparable(whole);
    let failures = 0;
    for (let failAt = 1; ; failAt++) {
      const store = await copyStore(table);
      try {
        await migrate(new FailingStore(store, failAt));
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(PlannedFailure);
      }
      failures += 1;
      expect(await versionOf(store)).toBe(failAt === 1 ? '7' : '7>8');
      expect(await migrate(store)).toEqual({ from: 7, to: 8 });
      expect(await comparable(store)).toEqual(expected);
    }
    expect(failures).toBeGreaterThan(5);
  });

  it('ends with STORE_FULL on a full disk, and continues when there is room', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webcrawl-migrate-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { store } = await fillOldTable(new MemoryStore(), 1500);
    const whole = await copyStore(store);
    await migrate(whole);
    let room = 200_000;
    const content = new SegmentFolder(folder, { create: (path) => limitedFile(path, (bytes) => (room -= bytes) >= 0) });
    await expect(migrate(store, migrationProgress(), content)).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(await versionOf(store)).toBe('7>8');
    room = Infinity;
    expect(await migrate(store, migrationProgress(), content)).toEqual({ from: 7, to: 8 });
    expect(await comparable(store, content)).toEqual(await comparable(whole));
    await content.close();
  });

  it('stops between two steps on an abort', async () => {
    const { store } = await fillOldTable(new MemoryStore(), 1500);
    const first = migrationProgress(1);
    await migrate(store, first);
    expect(first.counters).toMatchObject({ texts: 50, rows: 0 });
    const stopped = migrationProgress(3);
    await migrate(store, stopped);
    expect(stopped.counters).toMatchObject({ texts: 100, rows: 1000 });
    expect(await versionOf(store)).toBe('7>8');
    const rest = migrationProgress();
    await migrate(store, rest);
    expect(rest.counters.rows).toBe(1500);
  });

  it('leaves and counts a row that cannot be read', async () => {
    const database = memoryLevel();
    const { store } = await fillOldTable(new LevelStore({ database }), 3);
    const broken = `wm${rowKeyOf('http://h2.site2.com/pages/2')}`;
    await database.put(broken, Buffer.from([0xff]));
    const again = new LevelStore({ database });
    const done = migrationProgress();
    await migrate(again, done);
    expect(done.counters).toMatchObject({ rows: 3, damaged: 1 });
    expect(await database.get(broken)).toEqual(Buffer.from([0xff]));
    void store;
  });

  it('makes the consumers of updated batches read the whole table', async () => {
    const { store } = await fillOldTable(new MemoryStore(), 3);
    const { runs, batches } = await openTables(store, { migrates: true });
    await runs.putReadAllInto('index', 'an-index');
    const header = Buffer.from(JSON.stringify({ state: 'updated', size: 1, consumers: ['index'] }));
    await store.write('batch', [{ key: 'w|1700000001-1', put: new Map([['b:h', header]]) }]);
    await migrate(store);
    expect(await runs.hasReadAllInto('index')).toBeUndefined();
    expect(await batches.get('1700000001-1')).toMatchObject({ state: 'closed', size: 1 });
    expect(await batches.listUpdated()).toEqual([]);
  });

  it('is refused on a store that several processes use', async () => {
    const { store: old } = await fillOldTable(new MemoryStore(), 3);
    const store = await copyStore(old, new TimedStore(() => 0));
    const before = await dumpStore(store);
    await expect(migrate(store)).rejects.toMatchObject({
      code: 'TABLE_VERSION',
      hint: 'crawl into a new table, with the seeds of this one',
    });
    expect(await dumpStore(store)).toEqual(before);
  });
});

describe('versions', () => {
  it('each migration leads to the next one, the last to the present version', () => {
    expect(MIGRATIONS.map(({ to }) => to)).toEqual([...MIGRATIONS.slice(1).map(({ from }) => from), SCHEMA_VERSION]);
    for (const { from, to } of MIGRATIONS) expect(to).toBeGreaterThan(from);
  });

  it.each([
    ['7', 'the table has schema version 7, and this version needs schema version 8', 'run `webcrawl migrate`'],
    [
      '7>8',
      'the table has an incomplete migration from schema version 7 to 8, and this version needs schema version 8',
      'run `webcrawl migrate` with the same --table again',
    ],
    ['6', 'schema version 6', 'use the version of webcrawl that wrote this table'],
    ['9', 'schema version 9', 'use the version of webcrawl that wrote this table'],
    ['8>9', 'schema version 8>9', 'use the version of webcrawl that wrote this table'],
    ['', 'schema version ', 'use the version of webcrawl that wrote this table'],
  ])('%s is refused', async (version, message, hint) => {
    const { store } = await fillOldTable(new MemoryStore(), 1);
    await setVersion(store, version);
    const before = await dumpStore(store);
    await expect(openTables(store)).rejects.toMatchObject({
      code: 'TABLE_VERSION',
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining(hint) as string,
    });
    if (!version.startsWith('7')) {
      await expect(openTables(store, { migrates: true })).rejects.toMatchObject({ code: 'TABLE_VERSION' });
      await expect(migrate(store)).rejects.toMatchObject({ code: 'TABLE_VERSION' });
    }
    expect(await dumpStore(store)).toEqual(before);
  });

  it('bytes that are no text are rejected as an unknown version', async () => {
    const { store } = await fillOldTable(new MemoryStore(), 0);
    await store.write('meta', [{ key: 'schema', put: new Map([['v:n', Buffer.from([0x37, 0xff])]]) }]);
    for (const migrates of [false, true])
      await expect(openTables(store, { migrates })).rejects.toMatchObject({ code: 'TABLE_VERSION' });
    await expect(migrate(store)).rejects.toMatchObject({ code: 'TABLE_VERSION' });
  });

  it('a table of the present version stays as it is', async () => {
    const store = new MemoryStore();
    const { pages } = await openTables(store);
    await pages.write([{ key: rowKeyOf('http://a.com/'), set: { score: 1 } }]);
    const before = await dumpStore(store);
    expect(await migrate(store)).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });
    expect(await dumpStore(store)).toEqual(before);
  });

  it('a migrated table keeps its number of slots', async () => {
    const store = new MemoryStore();
    await openTables(store, { slots: 5 });
    await setVersion(store, '7');
    expect((await openTables(store, { migrates: true })).slots.all).toHaveLength(5);
    await migrate(store);
    expect((await openTables(store)).slots.all).toHaveLength(5);
  });
});
