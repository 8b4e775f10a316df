import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrateTable, openCrawl, type JobReport } from '../../packages/webcrawl/index.js';
import {
  openContext,
  openLevelStore,
  type Progress,
  type RowChange,
  type TableName,
} from '../../packages/webcrawl/internal.js';
import { PassOnStore } from '../support/stores/pass-on-store.js';
import { makeOldTable } from '../support/versions/old-table.js';
import { versionOf } from '../support/versions/version-7.js';

let directory: string;
let table: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'webcrawl-migrate-'));
  table = join(directory, 'table');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function storedVersion(): Promise<string | undefined> {
  const store = await openLevelStore(table);
  try {
    return await versionOf(store);
  } finally {
    await store.close();
  }
}

test('a table of version 7 can be opened after its migration, and not before', async () => {
  const held = await makeOldTable(table, 700);
  await expect(openCrawl({ table })).rejects.toMatchObject({
    code: 'TABLE_VERSION',
    hint: expect.stringContaining('webcrawl migrate') as string,
  });
  const seen: Progress[] = [];
  const { counters, from, to, interrupted } = await migrateTable({ table, onProgress: (done) => void seen.push(done) });
  expect({ counters, from, to, interrupted }).toEqual({
    counters: { rows: 700, texts: 70, batches: 1, released: held },
    from: 7,
    to: 8,
    interrupted: undefined,
  });
  expect(seen.at(-1)).toMatchObject({ job: 'migrate', done: counters['rows']! + counters['texts']!, counters });
  expect(seen.at(-1)).toHaveProperty('seconds');

  await using crawl = await openCrawl({ table });
  let found = 0;
  for await (const _ of crawl.pages({ fields: ['status'] })) found += 1;
  expect(found).toBe(700);
});

test('a stopped migration continues', async () => {
  await makeOldTable(table, 1200);
  const none: JobReport = await migrateTable({ table, signal: AbortSignal.abort() });
  expect(none).toMatchObject({ interrupted: true, counters: {} });
  expect(await storedVersion()).toBe('7');

  const stop = new AbortController();
  class StoppingStore extends PassOnStore {
    override async write(name: TableName, changes: readonly RowChange[]): Promise<void> {
      if (name === 'webpage') stop.abort();
      await super.write(name, changes);
    }
  }
  const first = await migrateTable({ table: new StoppingStore(await openLevelStore(table)), signal: stop.signal });
  expect(first).toMatchObject({ interrupted: true, from: 7, to: 8 });
  expect(await storedVersion()).toBe('7>8');
  await expect(openCrawl({ table })).rejects.toMatchObject({
    code: 'TABLE_VERSION',
    message: expect.stringContaining('an incomplete migration') as string,
  });
  const second = await migrateTable({ table });
  expect(second).not.toHaveProperty('interrupted');
  expect(second.counters).toMatchObject({ rows: 1200 });
  await (await openCrawl({ table })).close();
});

test('another migration or crawl is refused while a migration has the table open', async () => {
  await makeOldTable(table, 10);
  const other = await openContext({ table }, { migrates: true });
  await expect(migrateTable({ table })).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
  // A process that reads it through that process is refused too.
  await expect(openCrawl({ table })).rejects.toMatchObject({ code: 'TABLE_VERSION' });
  await other.close();
  expect(await storedVersion()).toBe('7');
});
