import { describe, expect, it, vi } from 'vitest';
import { MemoryStore, jobs, openTables, rowKeyOf, type Tables } from '../../../packages/webcrawl/internal.js';
import { hostKeyOf, hostKeyOfRow, type HostKey } from '../../../webtable/index.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { FailingStore } from '../../support/stores/failing-store.js';
import { countingStore } from '../../support/stores/counting-store.js';
import { fakeWeb, links, randomNumbers } from '../../support/web/fake-web.js';
import { start } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';

interface Row {
  readonly rowKey: string;
  readonly queue: string;
}

const rowOf = (host: string, path: string | number, queue = host): Row => ({
  rowKey: rowKeyOf(`http://${host}/${path}`),
  queue,
});
const before = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The rows in the order of the index: by slot, queue and key. */
function ordered({ slots }: Tables, rows: readonly Row[]): Row[] {
  const place = ({ queue, rowKey }: Row): string => `${slots.ofRow(rowKey)}|${queue}|${rowKey}`;
  return [...rows].sort((a, b) => before(place(a), place(b)));
}

function expectedQueues(tables: Tables, rows: readonly Row[]): { queue: string; slot: string; hosts: string[] }[] {
  const queues: { queue: string; slot: string; hosts: string[] }[] = [];
  for (const { queue, rowKey } of ordered(tables, rows)) {
    const host = hostKeyOfRow(rowKey);
    const last = queues.at(-1);
    const slot = tables.slots.of(host);
    if (last?.queue !== queue || last.slot !== slot) queues.push({ queue, slot, hosts: [host] });
    else if (last.hosts.at(-1) !== host) last.hosts.push(host);
  }
  return queues;
}

async function collect<T>(steps: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const step of steps) all.push(step);
  return all;
}

const keysIn = async (steps: AsyncIterable<readonly { readonly rowKey: string }[]>): Promise<string[]> =>
  (await collect(steps)).flat().map(({ rowKey }) => rowKey);

describe('the index of a batch', () => {
  it('names each queue of a slot once with its hosts, and skips the rest of large hosts', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = randomNumbers(seed);
      const store = countingStore(new MemoryStore());
      const tables = await openTables(store);
      const rows: Row[] = [];
      const hosts = 40;
      for (let h = 0; h < hosts; h++) {
        const pages = h % 8 === 0 ? 300 : 1 + Math.floor(random() * 5);
        const host = h % 10 === 1 ? `[::${h}]` : `h${h}.example${h % 3}.com`;
        const queue = seed % 2 === 0 ? host : `example${h % 3}.com`;
        for (let p = 0; p < pages; p++) rows.push(rowOf(host, p, queue));
      }
      for (const row of rows) await tables.batches.enter('b-1', [row]);
      await tables.batches.enter('b-0', [rowOf('other.com', 1)]);
      await tables.batches.enter('b-2', [rowOf('other.com', 2)]);
      const expected = expectedQueues(tables, rows);
      store.rowsRead.batch = 0;
      expect(await collect(tables.batches.queues('b-1'))).toEqual(expected);
      // At most two steps of 64 rows for each of the five hosts with 300 rows.
      expect(store.rowsRead.batch).toBeLessThanOrEqual(rows.length - 5 * (300 - 2 * 64));
      expect(await keysIn(tables.batches.entries('b-1'))).toEqual(ordered(tables, rows).map(({ rowKey }) => rowKey));
      expect(store.openScans).toBe(0);
    }
  });

  it('has each row in the slot of its host, and reads a queue in order', async () => {
    const tables = await openTables(new MemoryStore());
    const rows = ['a', 'b', 'c', 'd'].flatMap((h) => [1, 2, 3].map((p) => rowOf(`${h}.x.com`, p, 'x.com')));
    const others = [rowOf('y.com', 1), rowOf('x.com.au', 1), rowOf('x.co', 1)];
    await tables.batches.enter('b-1', [...others, ...rows]);
    const slots = new Map<string, Set<string>>();
    for (const { queue, slot } of (await collect(tables.batches.entries('b-1'))).flat()) {
      slots.set(queue, (slots.get(queue) ?? new Set()).add(slot));
    }
    for (const [queue, found] of slots) expect([...found]).toEqual([tables.slots.ofQueue(queue)]);

    const queue = { queue: 'x.com', slot: tables.slots.ofQueue('x.com') };
    const read = (host?: HostKey) => collect(tables.batches.rowKeys('b-1', queue, host));
    expect((await read()).flat()).toEqual(rows.map(({ rowKey }) => rowKey));
    expect((await read(hostKeyOf('b.x.com'))).flat()).toEqual(rows.slice(3, 6).map(({ rowKey }) => rowKey));
  });

  it('has one key for the rows of a host that enter together', async () => {
    const store = countingStore(new MemoryStore());
    const tables = await openTables(store);
    const rows = Array.from({ length: 100 }, (_, n) => rowOf(n % 2 === 0 ? 'a.com' : 'b.com', n));
    const write = vi.spyOn(store, 'write');
    await tables.batches.enter('b-1', rows);
    expect(write.mock.calls.map(([, changes]) => changes.length)).toEqual([6]);
    expect(await keysIn(tables.batches.entries('b-1'))).toEqual(ordered(tables, rows).map(({ rowKey }) => rowKey));
  });

  it('names each row once, however often and with whichever rows it entered', async () => {
    const { batches } = await openTables(new MemoryStore());
    const random = randomNumbers(1);
    const entered = new Set<string>();
    for (let i = 0; i < 400; i++) {
      const numbers = new Set(Array.from({ length: i % 2 === 0 ? 1 : 30 }, () => Math.floor(random() * 3000)));
      const rows = Array.from(numbers, (n) => rowOf('a.com', n));
      for (const { rowKey } of rows) entered.add(rowKey);
      await batches.enter('b-1', rows);
    }
    expect((await keysIn(batches.entries('b-1'))).sort(before)).toEqual([...entered].sort(before));
  });

  it('keeps the other rows of a group when some are removed', async () => {
    const { batches } = await openTables(new MemoryStore());
    const rows = [1, 2, 3].map((n) => rowOf('a.com', n));
    await batches.enter('b-1', rows);
    for (const [i, { rowKey }] of rows.entries()) {
      const entries = (await collect(batches.entries('b-1'))).flat();
      expect(entries.map((entry) => entry.rowKey)).toEqual(rows.slice(i).map((row) => row.rowKey));
      await batches.remove(entries.filter((entry) => entry.rowKey === rowKey));
    }
    expect(await keysIn(batches.entries('b-1'))).toEqual([]);
  });

  it('names a row of two groups once, also after rows are removed from one of them', async () => {
    const { batches } = await openTables(new MemoryStore());
    const row = (n: number): Row => rowOf('a.com', String(n).padStart(4, '0'));
    for (let n = 0; n < 999; n++) await batches.enter('b-1', [row(n)]);
    await batches.enter('b-1', [row(1001), row(1005)]);
    await batches.enter('b-1', [row(1002), row(1009)]);
    await batches.enter('b-1', [row(1003), row(1005)]);
    const entries = (await collect(batches.entries('b-1'))).flat();
    await batches.remove(entries.filter(({ rowKey }) => rowKey === row(1002).rowKey));
    const left = await keysIn(batches.entries('b-1'));
    expect(left.length).toBe(new Set(left).size);
    expect(left.length).toBe(entries.length - 1);
  });

  it('is read in about as many steps, whether its rows entered alone or together', async () => {
    const store = countingStore(new MemoryStore());
    const { batches, slots } = await openTables(store);
    const rows = Array.from({ length: 400 }, (_, n) => rowOf('a.com', n));
    for (const row of rows) await batches.enter('alone', [row]);
    await batches.enter('together', rows);
    const queue = { queue: 'a.com', slot: slots.ofQueue('a.com') };
    const steps = async (batchId: string): Promise<number> => (await collect(batches.rowKeys(batchId, queue))).length;
    expect(await steps('together')).toBeLessThanOrEqual(8);
    expect(await steps('alone')).toBeLessThanOrEqual(10);
  });

  it('is empty after the batch is abandoned', async () => {
    const { batches } = await openTables(new MemoryStore());
    await batches.enter('b-1', [rowOf('a.com', 1), rowOf('a.com', 2)]);
    await batches.change('b-1', () => ({ state: 'open', size: 1 }));
    await batches.abandon('b-1');
    expect(await keysIn(batches.entries('b-1'))).toEqual([]);
    expect(await batches.find('b-1')).toEqual({ batchId: 'b-1', state: 'closed', size: 1 });
  });
});

describe('a batch that was updated', () => {
  const pages = {
    'http://a.com/': { html: links('/1') },
    'http://b.com/': 'x',
    'http://c.com/robots.txt': { status: 503 },
  };
  const seeds = ['http://a.com/', 'http://b.com/', 'http://c.com/'];

  it('can be found with its rows until its consumers have read it', async () => {
    await using crawl = await testCrawl(fakeWeb(pages));
    const { batches, runs } = crawl.tables;
    for (const name of ['x', 'y']) await runs.changeConsumer(name, true);
    expect(await runs.consumers()).toEqual(['x', 'y']);
    const batchId = await start(crawl, ...seeds);
    await jobs.fetch(crawl, { batch: batchId, parse: true });
    await jobs.updatedb(crawl, { batch: batchId });
    const header = { batchId, state: 'updated', size: 3, consumers: ['x', 'y'] };
    // It holds no page, so a reader of batches with pages does not see it.
    expect(await batches.list()).toEqual([]);
    expect(await batches.listUpdated()).toEqual([header]);
    expect(await batches.get(batchId)).toEqual(header);
    // Pages that were not fetched are not among its rows.
    expect((await keysIn(batches.updated(batchId))).sort()).toEqual(seeds.slice(0, 2).map(rowKeyOf));
    expect(await keysIn(batches.entries(batchId))).toEqual([]);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 4 });
    expect((await keysIn(batches.updated(batchId))).sort()).toEqual(seeds.slice(0, 2).map(rowKeyOf));

    // No job works on it.
    const again = await jobs.updatedb(crawl, { batch: batchId });
    expect(again.counters).toEqual({ batch_closed: 1 });
    expect((await jobs.updatedb(crawl, { batch: 'all' })).counters).toEqual({});
    const week = crawl.settings.generate.lockExpirySeconds * 1000;
    crawl.setTime(crawl.clock() + week);
    expect((await jobs.generate(crawl)).counters).not.toHaveProperty('expired');
    expect((await batches.get(batchId)).state).toBe('updated');

    expect(await batches.change(batchId, (found) => ({ ...found!, consumers: ['y'] }))).toEqual({
      ...header,
      consumers: ['y'],
    });
    expect(await batches.listUpdated()).toEqual([{ ...header, consumers: ['y'] }]);
    await batches.clear(batchId, { updated: true });
    await batches.change(batchId, () => ({ state: 'closed', size: 3 }));
    expect(await batches.listUpdated()).toEqual([]);
    expect((await batches.get(batchId)).state).toBe('closed');
    expect(await keysIn(batches.updated(batchId))).toEqual([]);
  });

  it('names every row to its consumers, wherever the update was stopped', async () => {
    const store = new MemoryStore();
    const first = await testCrawl(fakeWeb(pages), { store });
    await first.tables.runs.changeConsumer('x', true);
    const batchId = await start(first, ...seeds);
    await jobs.fetch(first, { batch: batchId, parse: true });
    for (let failAt = 1, isWhole = false; !isWhole; failAt++) {
      const copy = await copyStore(store);
      const cut = await testCrawl(fakeWeb(pages), { store: new FailingStore(copy, failAt) });
      isWhole = await jobs.updatedb(cut, { batch: batchId }).then(
        () => true,
        () => false,
      );
      await using crawl = await testCrawl(fakeWeb(pages), { store: copy });
      await jobs.updatedb(crawl, { batch: batchId });
      const { batches } = crawl.tables;
      const updated = (await keysIn(batches.updated(batchId))).sort();
      expect(updated, `cut at ${failAt}`).toEqual(seeds.slice(0, 2).map(rowKeyOf));
      expect(await keysIn(batches.entries(batchId))).toEqual([]);
    }
  });

  it('is closed if there are no consumers', async () => {
    await using crawl = await testCrawl(fakeWeb(pages));
    const batchId = await start(crawl, ...seeds);
    await jobs.fetch(crawl, { batch: batchId, parse: true });
    await jobs.updatedb(crawl, { batch: batchId });
    expect(await crawl.tables.batches.get(batchId)).toEqual({ batchId, state: 'closed', size: 3 });
    expect(await keysIn(crawl.tables.batches.updated(batchId))).toEqual([]);
  });
});

describe('the slots of a batch', () => {
  it.each([
    ['closed', undefined],
    ['updated', ['index']],
  ] as const)('are removed as their rows are released, and the last ones leave it %s', async (state, consumers) => {
    const { batches, slots } = await openTables(new MemoryStore(), { slots: 4 });
    const header = { state: 'updating', size: 3, ...(consumers && { consumers }) } as const;
    await batches.change('b-1', () => ({ ...header, slots: ['00', '02'] }));
    expect(await batches.removeSlots('b-1', new Set(['02', '03']))).toBe(false);
    expect(await batches.get('b-1')).toEqual({ batchId: 'b-1', ...header, slots: ['00'] });
    expect(await batches.removeSlots('b-1', new Set(['00']))).toBe(true);
    expect(await batches.get('b-1')).toMatchObject({ state });
    expect(await batches.get('b-1')).not.toHaveProperty('slots');

    // A batch without a list has all slots.
    await batches.change('b-2', () => header);
    expect(await batches.removeSlots('b-2', new Set(['01']))).toBe(false);
    expect((await batches.get('b-2')).slots).toEqual(['00', '02', '03']);
    await batches.abandon('b-2', new Set(slots.all));
    expect(await batches.find('b-2')).toEqual({ batchId: 'b-2', state: 'closed', size: 3 });
  });
});

describe('the headers of batches', () => {
  it('stay when their batch is closed, and are not read by a list', async () => {
    const store = countingStore(new MemoryStore());
    const { batches } = await openTables(store);
    for (let i = 0; i < 20; i++) {
      await batches.change(`b-${i}`, () => ({ state: 'open', size: 1 }));
      await batches.abandon(`b-${i}`);
    }
    store.rowsRead.batch = 0;
    expect([await batches.list(), await batches.listUpdated()]).toEqual([[], []]);
    expect(store.rowsRead.batch).toBe(0);
    // A late call that creates a header finds it.
    expect(await batches.change('b-7', (found) => (found ? undefined : { state: 'generating', size: 0 }))).toEqual({
      batchId: 'b-7',
      state: 'closed',
      size: 1,
    });
  });

  it('are listed by their state, wherever a kill leaves them', async () => {
    const states = ['generating', 'open', 'updating', 'updated', 'closed'] as const;
    for (let failAt = 1; failAt < 12; failAt++) {
      const memory = new MemoryStore();
      await openTables(memory);
      const { batches } = await openTables(new FailingStore(memory, failAt));
      const move = async (): Promise<void> => {
        for (const state of states) await batches.change('b-1', () => ({ state, size: 1 }));
      };
      await move().catch(() => undefined);
      const tables = await openTables(memory);
      const found = await tables.batches.find('b-1');
      const ids = (list: readonly { readonly batchId: string }[]): string[] => list.map(({ batchId }) => batchId);
      // A header without an entry has no rows yet.
      const isListed = found !== undefined && found.state !== 'closed' && failAt > 2;
      if (isListed) {
        const list = found.state === 'updated' ? tables.batches.listUpdated() : tables.batches.list();
        expect(ids(await list), `${failAt}`).toEqual(['b-1']);
      }
      if (found?.state === 'closed') {
        expect([...(await tables.batches.list()), ...(await tables.batches.listUpdated())]).toEqual([]);
        await tables.batches.removeStaleEntries();
        expect(await tables.batches.removeStaleEntries()).toBe(0);
      }
    }
  });
});
