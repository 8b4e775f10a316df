import { describe, expect, it } from 'vitest';
import { MemoryStore, openTables, rowKeyOf, type Store } from '../../../packages/webcrawl/internal.js';
import type { KeyRange } from '../../../webtable/index.js';
import { createHostileTurns } from '../../support/versions/hostile-turns.js';
import { VersionedStore } from '../../support/versions/versioned-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';

const KEYS = Array.from({ length: 100 }, (_, i) =>
  rowKeyOf(`http://h${String(i % 10)}.com/${String(i).padStart(2, '0')}`),
).sort();

async function tablesWith(store: Store) {
  const tables = await openTables(store);
  await tables.pages.write(KEYS.map((key) => ({ key, set: { status: 'unfetched' as const } })));
  return tables;
}

const isIn = (key: string, { start, end }: KeyRange): boolean => key >= start && (end === undefined || key < end);

describe('the splits of an export', () => {
  it('are parts with equally many rows, and each key is in one part', async () => {
    const tables = await tablesWith(new MemoryStore());
    for (const count of [2, 3, 7, 100, 150]) {
      const parts = await Promise.all(
        Array.from({ length: count }, (_, index) => tables.splits.rangesOf('a', { index, count })),
      );
      const sizes = parts.map((ranges) => KEYS.filter((key) => ranges.some((range) => isIn(key, range))).length);
      expect(sizes.reduce((sum, n) => sum + n, 0)).toBe(100);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(2);
      for (const key of ['', 'a', ...KEYS, 'zz', '~']) {
        expect(
          parts.flat().filter((range) => isIn(key, range)),
          key,
        ).toHaveLength(1);
      }
    }
  });

  it('are the same for all shards that begin at once', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = randomNumbers(seed);
      const store = new VersionedStore(random);
      await tablesWith(store);
      const turns = createHostileTurns(random);
      const processes = [0, 1, 2, 3].map(async (index) => {
        const turn = turns.process();
        const tables = await openTables(store.forProcess({ turn }));
        // Each finds other rows than the one before.
        await tables.pages.write([{ key: rowKeyOf(`http://a${index}.com/`), set: { status: 'unfetched' } }]);
        return tables.splits.rangesOf('run', { index, count: 4 });
      });
      await turns.run(processes);
      const parts = await Promise.all(processes);
      for (const [i, [range]] of parts.entries()) expect(range!.end).toBe(parts[i + 1]?.[0]!.start);
    }
  });

  it('are at the bounds of servers if there are enough, and then read no row', async () => {
    const store = new MemoryStore();
    const tables = await tablesWith(store);
    const bounds = ['com.h2:', 'com.h3:', 'com.h5:', 'com.h8:'];
    const served = Object.assign(Object.create(store) as MemoryStore, {
      get: store.get.bind(store),
      write: store.write.bind(store),
      scan: () => {
        throw new Error('expected no scan');
      },
      splitKeys: async () => bounds,
    });
    const { splits } = await openTables(served);
    expect(await splits.rangesOf('a', { index: 0, count: 5 })).toEqual([{ start: '', end: 'com.h2:' }]);
    expect(await splits.rangesOf('a', { index: 4, count: 5 })).toEqual([{ start: 'com.h8:' }]);
    expect(await splits.rangesOf('b', { index: 1, count: 2 })).toEqual([{ start: 'com.h3:' }]);
    // There are fewer parts on servers than shards, so rows decide.
    await expect(splits.rangesOf('c', { index: 1, count: 6 })).rejects.toThrow('expected no scan');
    const within = [{ start: 'com.h1:', end: 'com.h4:' }];
    expect(await splits.rangesOf('d', { index: 2, count: 3 }, { within })).toEqual([
      { start: 'com.h3:', end: 'com.h4:' },
    ]);
    await tables.close();
  });

  it('stay when the table grows', async () => {
    const tables = await tablesWith(new MemoryStore());
    const first = (name: string) => tables.splits.rangesOf(name, { index: 0, count: 2 });
    const before = await first('a');
    await tables.pages.write(KEYS.map((key) => ({ key: `${key}/more`, set: { status: 'unfetched' as const } })));
    await tables.pages.write([{ key: rowKeyOf('http://a.com/'), set: { status: 'unfetched' } }]);
    expect(await first('a')).toEqual(before);
    expect(await first('b')).not.toEqual(before);
  });
});
