import { describe, expect, test } from 'vitest';
import { addRules, createLiveRules } from '../../packages/rules/index.js';
import { MemoryStore, openTables } from '../../webtable/index.js';
import { FailingStore, PlannedFailure } from '../support/stores/failing-store.js';
import { INDEX_COLUMNS } from '../../webtable/schema.js';

const FIT = { score: 10, other: 0, explore: 0 };
const reject = (prefix: string) => ({ kind: 'reject', pattern: { prefix } }) as const;

/** Rules that are looked at by a clock that stands still until it is set, and edits by another process, which says nothing. */
async function watched() {
  const store = new MemoryStore();
  const tables = await openTables(store);
  let now = 0;
  const looks = { version: 0, read: 0 };
  const rules = {
    ...tables.rules,
    version: () => ((looks.version += 1), tables.rules.version()),
    read: () => ((looks.read += 1), tables.rules.read()),
  };
  const live = createLiveRules({ ...tables, rules }, FIT, () => now);
  const others = { tables: await openTables(store), clock: () => 0 };
  return { live, looks, others, at: (ms: number) => (now = ms) };
}

describe('the rules of a running job', () => {
  test('are looked at once a second, however often they are asked for, and read anew only when they have changed', async () => {
    const { live, looks, others, at } = await watched();
    const first = await live.current();
    for (let i = 0; i < 100; i++) expect(await live.current()).toBe(first);
    expect(looks).toEqual({ version: 1, read: 1 });

    await addRules(others, [reject('/a')]);
    at(999);
    expect(await live.current()).toBe(first);
    at(1000);
    const second = await live.current();
    expect(second.active.map(({ id }) => id)).toEqual(['r1']);
    expect(looks).toEqual({ version: 2, read: 2 });

    for (const ms of [1999, 2000, 2001, 2999, 3000]) {
      at(ms);
      expect(await live.current()).toBe(second);
    }
    expect(looks).toEqual({ version: 4, read: 2 });
  });

  test('are looked at by one read where many ask at once', async () => {
    const { live, looks } = await watched();
    const sets = await Promise.all(Array.from({ length: 50 }, () => live.current()));
    expect(new Set(sets).size).toBe(1);
    expect(looks).toEqual({ version: 1, read: 1 });
  });

  test('are looked at at once after a change in this process, also by who was looking meanwhile', async () => {
    const { live, looks, others } = await watched();
    await live.current();
    const adding = addRules({ ...others, rules: live }, [reject('/a')]);
    const meanwhile = live.current();
    await adding;
    expect((await live.current()).active).toHaveLength(1);
    await meanwhile;
    expect((await live.current()).active).toHaveLength(1);
    expect(looks.version).toBe(2);
  });

  test('are looked at again at once where the store failed', async () => {
    const store = new MemoryStore();
    const tables = await openTables(store);
    let failures = 1;
    const version = () => (failures-- > 0 ? Promise.reject(new Error('lost')) : tables.rules.version());
    const live = createLiveRules({ ...tables, rules: { ...tables.rules, version } }, FIT, () => 0);
    await expect(live.current()).rejects.toThrow('lost');
    expect((await live.current()).active).toEqual([]);
  });

  test('are looked at ever more seldom where an edit that was announced was killed, and taken once they are there', async () => {
    const { live, looks, others, at } = await watched();
    await addRules(others, [reject('/a')]);
    const before = await live.current();
    const { store } = others.tables;
    const version = new Map([[INDEX_COLUMNS.rulesVersion, Buffer.from('announced')]]);
    await store.write('rule', [{ key: 'version', put: version }]);
    for (let second = 1; second <= 3600; second++) {
      at(second * 1000);
      expect(await live.current()).toBe(before);
    }
    // After 1, 2, 4, … and then each 60 seconds.
    expect(looks.read).toBeLessThan(70);
    await addRules(others, [reject('/b')]);
    at(3_601_000);
    expect((await live.current()).active).toHaveLength(2);
  });

  test('store what they have decided the next time, where the store fails', async () => {
    const store = new MemoryStore();
    const tables = await openTables(store);
    await addRules({ tables, clock: () => 0 }, [reject('/a')]);
    let failures = 1;
    const addCounts: typeof tables.rules.addCounts = (changes) =>
      failures-- > 0 ? Promise.reject(new Error('lost')) : tables.rules.addCounts(changes);
    const live = createLiveRules({ ...tables, rules: { ...tables.rules, addCounts } }, FIT);
    await live.current();
    live.cutLinks({ r1: 3 });
    await expect(live.flush()).rejects.toThrow('lost');
    live.cutLinks({ r1: 4 });
    await live.flush();
    await live.flush();
    expect((await tables.rules.counts()).get('r1')).toMatchObject({ links: 7 });
  });
});

describe('the histories of rules', () => {
  const START = Date.UTC(2026, 0, 1);

  async function counting() {
    const store = new FailingStore(new MemoryStore());
    const tables = await openTables(store);
    let now = 0;
    const live = createLiveRules(
      tables,
      FIT,
      () => now,
      () => START + now,
    );
    /** Goes on to a moment, at which links were cut, and until all is written. */
    const cutAt = async (ms: number, links: Readonly<Record<string, number>>) => {
      now = ms;
      live.cutLinks(links);
      await live.current();
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    };
    const pointsOf = async (id: string) =>
      ((await tables.rules.histories([id])).get(id) ?? []).map(({ at, links }) => [(at - START) / 1000, links]);
    return { store, tables, live, cutAt, pointsOf, rules: { tables, clock: () => START, rules: live } };
  }

  test('get a point a minute while counts are stored, of rules that have changed alone, and the last one with a flush', async () => {
    const { live, cutAt, pointsOf, rules } = await counting();
    await addRules(rules, [reject('/a'), reject('/b')]);
    await live.current();
    for (let s = 1; s <= 150; s += 1) await cutAt(s * 1000, s === 5 ? { r1: 1, r2: 1 } : { r1: 1 });
    const [first, ...rest] = await pointsOf('r1');
    expect(first![0]).toBeLessThan(10);
    expect(rest.length).toBeGreaterThan(0);
    expect(rest.length).toBeLessThanOrEqual(3);
    await live.flush();
    expect((await pointsOf('r1')).at(-1)).toEqual([150, 150]);
    expect((await pointsOf('r2')).map(([, links]) => links)).toEqual([1]);
  });

  test('cost nothing where there is no rule', async () => {
    const { store, live, cutAt } = await counting();
    const before = store.writes;
    for (let s = 1; s <= 10; s += 1) await cutAt(s * 10_000, {});
    await live.flush();
    expect(store.writes).toBe(before);
  });

  test('are whole after a death at any write, and the counts are what they were', async () => {
    for (let failAt = 1; ; failAt += 1) {
      const { tables, live, pointsOf, rules, store } = await counting();
      await addRules(rules, [reject('/a')]);
      await live.current();
      live.cutLinks({ r1: 3 });
      await live.flush();
      const dying = new FailingStore(store, failAt);
      const other = createLiveRules(
        await openTables(dying),
        FIT,
        () => 0,
        () => START + 120_000,
      );
      await other.current();
      other.cutLinks({ r1: 4 });
      const isDead = await other.flush().then(
        () => false,
        (error: unknown) => {
          expect(error).toBeInstanceOf(PlannedFailure);
          return true;
        },
      );
      const points = await pointsOf('r1');
      const links = (await tables.rules.counts()).get('r1')!.links;
      expect([3, 7]).toContain(links);
      expect(points[0]).toEqual([0, 3]);
      expect(points.slice(1)).toEqual(isDead ? [] : [[120, 7]]);
      if (!isDead) return expect(failAt).toBe(3);
    }
  });
});
