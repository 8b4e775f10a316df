import { describe, expect, it } from 'vitest';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { STORES } from '../../support/stores/open-stores.js';
import {
  MemoryStore,
  horizonOf,
  openTables,
  rowKeyOf,
  type LogEntry,
  type LogItem,
  type Tables,
} from '../../../webtable/index.js';

/** A store in memory, one that other processes change, LevelDB, and HBase. */
const KINDS = [
  'MemoryStore',
  'TimedStore, which others change',
  'LevelStore on memory-level',
  'HBaseStore on a fake HBase',
];
const NONE: ReadonlySet<string> = new Set();
const START = 1_700_000_000_000;

const pageItem = (url: string, to = START): LogItem => ({
  kind: 'page',
  rowKey: rowKeyOf(url),
  change: { kinds: ['content'], to, after: { is: 'page', title: url } },
});

async function entries({ changes }: Tables, from: Parameters<Tables['changes']['read']>[0], before = Infinity) {
  const found: LogEntry[] = [];
  for await (const step of changes.read(from, before)) found.push(...step);
  return found;
}

describe('the change log', () => {
  it.each(KINDS)(
    'returns entries in order of time, then of row key, from a time and after a cursor: %s',
    async (kind) => {
      const { store, cleanup } = await STORES[kind]!();
      const tables = await openTables(store);
      const { changes } = tables;
      const first = await changes.begin('1-1', START);
      const second = await changes.begin('2-2', START + 5);
      await changes.write(second, [
        pageItem('http://a.com/|1'),
        { kind: 'host', host: 'com.a' as never, found: { failing: 5, requested: 6 } },
      ]);
      await changes.write(first, [
        pageItem('http://b.com/'),
        pageItem('http://a.com/x'),
        { kind: 'baseline', rowKey: 'com.a:http/', found: { pages: 3 } },
      ]);
      const all = await entries(tables, { at: 0 });
      expect(
        all.map((entry) => [entry.at - START, entry.kind, entry.kind === 'host' ? entry.host : entry.rowKey]),
      ).toEqual([
        [0, 'baseline', 'com.a:http/'],
        [0, 'page', 'com.a:http/x'],
        [0, 'page', 'com.b:http/'],
        [5, 'host', 'com.a'],
        [5, 'page', 'com.a:http/|1'],
      ]);
      expect(all[4]).toMatchObject({ change: { kinds: ['content'], after: { title: 'http://a.com/|1' } } });
      for (const [i, { cursor }] of all.entries()) expect(await entries(tables, { cursor })).toEqual(all.slice(i + 1));
      expect(await entries(tables, { at: START + 1 })).toEqual(all.slice(3));
      expect(await entries(tables, { at: 0 }, START + 5)).toEqual(all.slice(0, 3));
      expect([...(await changes.hostsOf(second))]).toEqual(['com.a']);
      expect([...(await changes.hostsOf(first))]).toEqual([]);
      await cleanup();
    },
  );

  it('gets the same entries again if a batch is started again', async () => {
    const tables = await openTables(new MemoryStore());
    const first = await tables.changes.begin('1-1', START);
    await tables.changes.write(first, [pageItem('http://a.com/')]);
    const again = await tables.changes.begin('1-1', START + 1000);
    expect(again).toEqual(first);
    await tables.changes.write(again, [pageItem('http://a.com/')]);
    expect(await entries(tables, { at: 0 })).toHaveLength(1);
  });

  it('gives batches increasing times, even if the clock is set back', async () => {
    const { changes } = await openTables(new MemoryStore());
    const times: number[] = [];
    for (const [i, now] of [START, START, START - 1e9, START + 10, 5].entries())
      times.push((await changes.begin(`${i}-1`, now)).at);
    expect(times).toEqual([START, START + 1, START + 2, START + 10, START + 11]);
  });

  it('can be read up to the earliest batch that is being written, and to the last batch if none is', async () => {
    const { changes } = await openTables(new MemoryStore());
    expect(horizonOf(await changes.state(), NONE)).toBe(0);
    await changes.begin('1-1', START);
    await changes.begin('2-1', START + 5);
    expect(horizonOf(await changes.state(), NONE)).toBe(START);
    expect(horizonOf(await changes.state(), new Set(['1-1']))).toBe(START + 5);
    await changes.end(['1-1']);
    expect(horizonOf(await changes.state(), NONE)).toBe(START + 5);
    await changes.end(['2-1', '3-1']);
    expect(horizonOf(await changes.state(), NONE)).toBe(START + 6);
  });

  it('starts a mark before a batch that is being written, and before all later ones', async () => {
    const { changes } = await openTables(new MemoryStore());
    expect(await changes.mark('early', START, NONE)).toEqual({ name: 'early', at: START, from: START + 1 });
    expect((await changes.begin('1-1', START - 1000)).at).toBe(START + 1);
    expect((await changes.mark('during', START + 50, NONE)).from).toBe(START + 1);
    await changes.end(['1-1']);
    expect((await changes.mark('early', START + 60, NONE)).from).toBe(START + 61);
    expect((await changes.state()).marks?.map(({ name }) => name)).toEqual(['during', 'early']);
    expect(await changes.unmark('during')).toBe(true);
    expect(await changes.unmark('during')).toBe(false);
  });

  it('has a baseline until the first mark, or until its end', async () => {
    const { changes } = await openTables(new MemoryStore());
    await changes.endBaseline(START);
    expect((await changes.begin('1-1', START)).isBaseline).toBe(true);
    await changes.endBaseline(START + 1);
    await changes.endBaseline(START + 2);
    expect((await changes.state()).baselineEnd).toBe(START + 1);
    expect((await changes.begin('2-1', START + 3)).isBaseline).toBe(false);
    const other = (await openTables(new MemoryStore())).changes;
    await other.mark('m', START, NONE);
    expect((await other.begin('1-1', START)).isBaseline).toBe(false);
  });

  it('removes entries that are older than a time', async () => {
    const tables = await openTables(new MemoryStore());
    const { changes } = tables;
    for (const n of [1, 2, 3])
      await changes.write(await changes.begin(`${n}-1`, START + n), [pageItem(`http://a.com/${n}`)]);
    expect(await changes.removeBefore(START + 3)).toBe(2);
    expect(await changes.removeBefore(START + 3)).toBe(0);
    expect((await entries(tables, { at: 0 })).map(({ at }) => at)).toEqual([START + 3]);
    expect((await changes.state()).removedBefore).toBe(START + 3);
  });

  it('knows which entries a killed removal may have removed', async () => {
    const store = new MemoryStore();
    const { changes } = await openTables(store);
    const times = [START + 1, START + 2];
    for (const at of times) await changes.write(await changes.begin(`${at}-1`, at), [pageItem('http://a.com/')]);
    for (let failAt = 1; ; failAt++) {
      const tables = await openTables(new FailingStore(store, failAt));
      const isKilled = await tables.changes.removeBefore(START + 3).then(
        () => false,
        (error) => error instanceof PlannedFailure,
      );
      const left = (await entries(tables, { at: 0 })).map(({ at }) => at);
      const removed = times.filter((at) => !left.includes(at));
      expect((await tables.changes.state()).removedBefore ?? 0).toBeGreaterThanOrEqual((removed.at(-1) ?? -1) + 1);
      if (!isKilled) break;
    }
    expect(await entries(await openTables(store), { at: 0 })).toEqual([]);
  });

  it('reports a state that cannot be read', async () => {
    const store = new MemoryStore();
    const { changes } = await openTables(store);
    await store.write('meta', [{ key: 'changes', put: new Map([['v:g', Buffer.from('{')]]) }]);
    await expect(changes.state()).rejects.toThrow('row changes of table meta');
  });
});
