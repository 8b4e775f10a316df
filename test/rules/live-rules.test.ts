import { describe, expect, test } from 'vitest';
import { addRules, createLiveRules } from '../../packages/rules/index.js';
import { MemoryStore, openTables } from '../../webtable/index.js';
import { INDEX_COLUMNS } from '../../webtable/schema.js';

const RELEVANT = { score: 10, other: 0 };
const reject = (prefix: string) => ({ kind: 'reject', pattern: { prefix } }) as const;

/** Rules that are read with a clock that stands still until it is set, and edits by another process, without a notice. */
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
  const live = createLiveRules({ ...tables, rules }, RELEVANT, () => now);
  const own = { tables, clock: () => 0 };
  const others = { tables: await openTables(store), clock: () => 0 };
  return { live, looks, own, others, at: (ms: number) => (now = ms) };
}

describe('the rules of a running job', () => {
  test('are checked once a second, however often they are used, and only read again after a change', async () => {
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

  test('are read once for many callers at the same time', async () => {
    const { live, looks } = await watched();
    const sets = await Promise.all(Array.from({ length: 50 }, () => live.current()));
    expect(new Set(sets).size).toBe(1);
    expect(looks).toEqual({ version: 1, read: 1 });
  });

  test('are read at once after a change in this process, also for callers that were reading meanwhile', async () => {
    const { live, looks, own } = await watched();
    await live.current();
    const adding = addRules(own, [reject('/a')]);
    const meanwhile = live.current();
    await adding;
    expect((await live.current()).active).toHaveLength(1);
    await meanwhile;
    expect((await live.current()).active).toHaveLength(1);
    expect(looks.version).toBe(2);
  });

  test('are read again at once after a failure of the store', async () => {
    const store = new MemoryStore();
    const tables = await openTables(store);
    let failures = 1;
    const version = () => (failures-- > 0 ? Promise.reject(new Error('lost')) : tables.rules.version());
    const live = createLiveRules({ ...tables, rules: { ...tables.rules, version } }, RELEVANT, () => 0);
    await expect(live.current()).rejects.toThrow('lost');
    expect((await live.current()).active).toEqual([]);
  });

  test('are checked less and less often after an announced edit was killed, and used once the edit is made', async () => {
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
    // After 1, 2, 4, … and then every 60 seconds.
    expect(looks.read).toBeLessThan(70);
    await addRules(others, [reject('/b')]);
    at(3_601_000);
    expect((await live.current()).active).toHaveLength(2);
  });
});
