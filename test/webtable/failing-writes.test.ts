import { MemoryLevel } from 'memory-level';
import { describe, expect, it } from 'vitest';
import { LevelStore, type RowChange } from '../../webtable/index.js';
import { FailingStore, PlannedFailure } from '../support/stores/failing-store.js';
import { memoryLevel, STORES } from '../support/stores/open-stores.js';
import { put, scanPlain } from '../support/stores/plain-rows.js';
import { versionedRow, wholeVersions } from '../support/stores/versioned-rows.js';

const KEYS = ['a', 'aa', 'b', 'c', 'd'];
const version = (n: number): RowChange[] => KEYS.map((key) => versionedRow(key, n));

describe.each(Object.entries(STORES))('a failure between two row writes on %s', (_, open) => {
  it('leaves every row old or new, at every write', async () => {
    const counting = new FailingStore((await open()).store);
    await counting.write('webpage', version(1));
    expect(counting.writes).toBe(KEYS.length);
    await counting.close();

    for (let failAt = 1; failAt <= KEYS.length; failAt++) {
      const { store, reopen, cleanup } = await open();
      try {
        await store.write('webpage', version(1));
        await expect(new FailingStore(store, failAt).write('webpage', version(2))).rejects.toThrow(PlannedFailure);
        const found = await wholeVersions(reopen ? await reopen() : store);
        expect([...found.values()]).toEqual(KEYS.map((_key, i) => (i < failAt - 1 ? 2 : 1)));
      } finally {
        await cleanup();
      }
    }
  });

  it('continues to fail, like a process that died', async () => {
    const { store, cleanup } = await open();
    const failing = new FailingStore(store, 2);
    await failing.write('webpage', [put('a', { 'm:st': '1' })]);
    await expect(failing.write('webpage', [put('b', { 'm:st': '1' })])).rejects.toThrow(PlannedFailure);
    await expect(failing.write('webpage', [put('c', { 'm:st': '1' })])).rejects.toThrow(PlannedFailure);
    expect((await scanPlain(failing, 'webpage', { columns: ['m'] })).map(({ key }) => key)).toEqual(['a']);
    await cleanup();
  });
});

/** A database in memory whose batches fail from number `failAt` on. */
class DyingLevel extends MemoryLevel<string, Uint8Array> {
  readonly #counter: { batches: number; failAt: number };

  constructor(counter: { batches: number; failAt: number }) {
    super({ keyEncoding: 'utf8', valueEncoding: 'view' });
    this.#counter = counter;
  }

  // abstract-level calls this for every batch; it is missing in its types.
  async _batch(operations: unknown[], options: object): Promise<void> {
    if (++this.#counter.batches >= this.#counter.failAt) throw new Error('IO error: No space left on device');
    const parent = MemoryLevel.prototype as unknown as {
      _batch(operations: unknown[], options: object): Promise<void>;
    };
    await parent._batch.call(this, operations, options);
  }
}

describe('a row write that fails', () => {
  const HISTORY: RowChange[][] = [
    [versionedRow('a', 1)],
    [versionedRow('a', 2)],
    [versionedRow('a', 3), versionedRow('b', 3)],
    [{ ...versionedRow('a', 4), clear: true }],
    [{ key: 'b', clear: true }, versionedRow('c', 5)],
    [versionedRow('b', 6), { key: 'a', clear: true }],
  ];

  async function apply(store: LevelStore, changes: readonly RowChange[][]): Promise<Map<string, number>> {
    for (const change of changes) await store.write('webpage', change);
    return wholeVersions(store);
  }

  it('leaves all rows old or new, and the same changes can be made again', async () => {
    const expected = await apply(new LevelStore({ database: memoryLevel() }), HISTORY);
    const states: Map<string, number>[] = [];
    for (let done = 0; done <= HISTORY.length; done++) {
      states.push(await apply(new LevelStore({ database: memoryLevel() }), HISTORY.slice(0, done)));
    }
    let failAt = 1;
    let failures = 0;
    for (let failed = true; failed; failAt++) {
      failed = false;
      const counter = { batches: 0, failAt };
      const store = new LevelStore({ database: new DyingLevel(counter) });
      for (const [i, changes] of HISTORY.entries()) {
        try {
          await store.write('webpage', changes);
        } catch (error) {
          expect(error).toMatchObject({ code: 'STORE_FULL' });
          const found = await wholeVersions(store);
          expect([states[i], states[i + 1]]).toContainEqual(found);
          failed = true;
          failures++;
          counter.failAt = Infinity;
          // Like a job that is run again.
          await store.write('webpage', changes);
        }
        expect(await wholeVersions(store)).toEqual(states[i + 1]);
      }
      expect(await wholeVersions(store)).toEqual(expected);
    }
    expect(failures).toBe(HISTORY.length);
  });
});
