import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { migrateTable, openContext } from '../../packages/webcrawl/internal.js';
import { openTables, rowKeyOf } from '../../webtable/index.js';
import { turns } from '../support/events.js';
import { fakeTable } from '../support/hbase/open-fake-store.js';
import { putOldInlinks, setVersion, versionOf } from '../support/versions/version-6.js';
import { VersionedStore } from '../support/versions/versioned-store.js';

const KEYS = [1, 2, 3].map((n) => rowKeyOf(`http://a.example.com/${n}`));
const INLINKS = new Map(KEYS.map((key, i) => [key, { anchor: `Link ☃ ${i}`, score: i }]));

it('a table on HBase is migrated, and the cells of single inlinks are gone', async () => {
  const { url, hbase, open, close } = await fakeTable();
  try {
    const store = await open();
    const { pages } = await openTables(store);
    await pages.write(KEYS.map((key) => ({ key, set: { status: 'unfetched' } })));
    await putOldInlinks(
      store,
      KEYS.slice(1).map((key) => ({ key, inlinks: INLINKS })),
    );
    await setVersion(store, '6');
    await store.close();
    await expect(openContext({ table: url })).rejects.toMatchObject({ code: 'TABLE_VERSION' });

    expect(await migrateTable({ table: url })).toMatchObject({ from: 6, to: 7, counters: { rows: 2, inlinks: 6 } });
    // Really deleted: a hidden column would take room for ever.
    const columns = [...hbase.tables.get('crawls:one_webpage')!.rows.values()].map(({ cells, deletedColumns }) =>
      [...cells.keys()].filter((column) => column.startsWith('l:') && !deletedColumns.has(column)),
    );
    expect(columns).toEqual([[], ['l:b:0000000000'], ['l:b:0000000000']]);
    await using crawl = await openContext({ table: url });
    const rows = await crawl.tables.pages.getMany(KEYS, ['inlinks', 'inlinkBound', 'status']);
    const inlinks = KEYS.map((_, i) => ({ url: `http://a.example.com/${i + 1}`, anchor: `Link ☃ ${i}`, score: i }));
    expect(rows).toMatchObject([
      { status: 'unfetched' },
      ...[1, 2].map(() => ({ inlinks, inlinkBound: 3, status: 'unfetched' })),
    ]);
  } finally {
    await close();
  }
});

describe('a shared table', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('is not migrated while a worker holds a part of it', async () => {
    const store = new VersionedStore(() => 0);
    await openTables(store, { slots: 4 });
    await putOldInlinks(store, [{ key: KEYS[0]!, inlinks: INLINKS }]);
    await setVersion(store, '6');
    const worker = await openTables(store.forProcess(), { migrates: true });
    const held = await worker.leases.take(['02'], { job: 'fetch', wait: 0 });

    const migrated = migrateTable({ table: store.forProcess() });
    let isOver = false;
    const mark = (): void => void (isOver = true);
    migrated.then(mark, mark);
    for (let i = 0; !isOver && i < 1000; i++) {
      await turns();
      if (!isOver) vi.advanceTimersByTime(500);
    }
    await expect(migrated).rejects.toMatchObject({ code: 'LEASE_HELD' });
    expect(await versionOf(store)).toBe('6');
    await held.release();
  });
});
