import { describe, expect, test } from 'vitest';
import { MemoryStore, openTables, type Rule, type Store } from '../../../webtable/index.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { TimedStore } from '../../support/stores/timed-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';

const reject = (id: string, prefix: string): Rule => ({
  id,
  kind: 'reject',
  scope: '*',
  pattern: { prefix },
  origin: 'hand',
  createdAt: 1,
  changedAt: 1,
  state: 'active',
});

async function rulesOf(store: Store) {
  return (await openTables(store)).rules;
}

describe('the table of rules', () => {
  test('never assigns an id twice, even if all rules were removed and another process opens the table', async () => {
    const store = new MemoryStore();
    const rules = await rulesOf(store);
    await rules.change((_, id) => ({ put: [reject(id(), '/a'), reject(id(), '/b')] }));
    const { version, rules: removed } = await rules.change(() => ({ remove: ['r1', 'r2'] }));
    expect(removed).toEqual([]);
    const again = await (await rulesOf(store)).change((_, id) => ({ put: [reject(id(), '/c')] }));
    expect(again.rules.map(({ id }) => id)).toEqual(['r3']);
    expect(again.version).not.toBe(version);
    expect(await rules.read()).toEqual(again);
    expect(await rules.version()).toBe(again.version);
  });

  test('keeps its version if an edit is rejected or changes nothing', async () => {
    const rules = await rulesOf(new MemoryStore());
    const { version } = await rules.change((_, id) => ({ put: [reject(id(), '/a')] }));
    await rules.change(() => undefined);
    const refused = rules.change(() => {
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    expect(await rules.version()).toBe(version);
  });

  test('names a rule that cannot be read, and keeps it', async () => {
    const store = new MemoryStore();
    const rules = await rulesOf(store);
    await rules.change((_, id) => ({ put: [reject(id(), '/a'), reject(id(), '/b')] }));
    await store.write('rule', [{ key: 'rules', put: new Map([['r:d:r1', Buffer.from('{')]]) }]);
    expect(await rules.read()).toMatchObject({ damaged: ['r1'], rules: [{ id: 'r2' }] });
    await rules.change(() => ({ remove: ['r1'] }));
    expect(await rules.read()).toMatchObject({ damaged: [] });
  });

  test('treats a rule with unusable values as damaged', async () => {
    const store = new MemoryStore();
    const rules = await rulesOf(store);
    const whole = { ...reject('', '/a'), id: undefined };
    await rules.change((_, id) => ({ put: [reject(id(), '/a')] }));
    const wrong = [
      { pattern: { regex: 5 } },
      { pattern: { prefix: 5, regex: 'a' } },
      { kind: 'none' },
      { kind: 'www', to: 'without' },
      { scope: 'all' },
      { createdAt: 1e16 },
    ];
    const put = wrong.map((change, i) => {
      const cell = Buffer.from(JSON.stringify({ ...whole, ...change }));
      return [`r:d:r${i + 2}`, cell] as const;
    });
    await store.write('rule', [{ key: 'rules', put: new Map(put) }]);
    expect(await rules.read()).toMatchObject({
      rules: [{ id: 'r1' }],
      damaged: wrong.map((_, i) => `r${i + 2}`),
    });
  });

  test('has all or nothing of an edit of many rules after a kill between any two writes, and earlier readers notice it', async () => {
    const first = new MemoryStore();
    const before = await (await rulesOf(first)).change((_, id) => ({ put: [reject(id(), '/a'), reject(id(), '/b')] }));
    const edit = (store: Store) =>
      rulesOf(store).then((rules) =>
        rules.change((_, id) => ({
          put: Array.from({ length: 50 }, (__, i) => reject(id(), `/${i}`)),
          remove: ['r1'],
        })),
      );
    const counting = new FailingStore(await copyStore(first));
    await edit(counting);
    expect(counting.writes).toBeGreaterThan(1);
    for (let failAt = 1; failAt <= counting.writes; failAt++) {
      const store = await copyStore(first);
      await expect(edit(new FailingStore(store, failAt))).rejects.toThrow(PlannedFailure);
      const rules = await rulesOf(store);
      const after = await rules.read();
      expect([2, 51]).toContain(after.rules.length);
      // A process with older rules sees by the version that there may be new ones.
      if (after.version !== before.version) expect(await rules.version()).not.toBe(before.version);
      await edit(store);
      const end = await rules.read();
      expect(await rules.version()).toBe(end.version);
    }
  });

  test.each([1, 2, 3])('has the edits of several writers at once, seed %i', async (seed) => {
    const store = new TimedStore(randomNumbers(seed));
    const all = await Promise.all([rulesOf(store), rulesOf(store), rulesOf(store)]);
    await Promise.all(
      all.flatMap((rules, who) =>
        Array.from({ length: 10 }, (_, i) => rules.change((__, id) => ({ put: [reject(id(), `/${who}/${i}`)] }))),
      ),
    );
    const { rules } = await all[0].read();
    expect(new Set(rules.map(({ id }) => id)).size).toBe(30);
    expect(rules).toHaveLength(30);
    expect(store.refused).toBeGreaterThan(0);
  });
});
