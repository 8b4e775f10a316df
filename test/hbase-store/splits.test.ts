import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTables, rowKeyOf } from '../../packages/webcrawl/internal.js';
import { fakeTable, type FakeTable } from '../support/hbase/open-fake-store.js';

let table: FakeTable;
beforeEach(async () => void (table = await fakeTable()));
afterEach(() => table.close());

it('shards read between the bounds of regions if these are valid row keys', async () => {
  table.hbase.splits.set('crawls:one_webpage', ['org.b:http/', 'com.c:', '\xff\xfe', 'com.a:http/1', 'net.d']);
  const tables = await openTables(await table.open());
  await tables.pages.write([{ key: rowKeyOf('http://c.com/'), set: { status: 'unfetched' } }]);
  const parts = [0, 1, 2, 3, 4].map((index) => tables.splits.rangesOf('run', { index, count: 5 }));
  expect((await Promise.all(parts)).flat()).toEqual([
    { start: '', end: 'com.a:http/1' },
    { start: 'com.a:http/1', end: 'com.c:' },
    { start: 'com.c:', end: 'net.d' },
    { start: 'net.d', end: 'org.b:http/' },
    { start: 'org.b:http/' },
  ]);
  const scans = table.gateways[0]!.calls.filter(({ method }) => method === 'getScannerResults').length;
  // With more shards than regions, the keys of the rows are read.
  const [range] = await tables.splits.rangesOf('run', { index: 7, count: 8 });
  expect(range).toEqual({ start: 'com.c:http/' });
  expect(table.gateways[0]!.calls.filter(({ method }) => method === 'getScannerResults')).toHaveLength(scans + 1);
  await tables.close();
});
