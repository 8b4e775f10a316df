import { describe, expect, inject, it } from 'vitest';
import { killPart, restartPart } from '../../bench/lib/hbase-control.js';
import { openHBaseStore } from '../../packages/hbase/index.js';
import type { RowChange, Store } from '../../webtable/index.js';
import { hbaseTables } from '../support/hbase/hbase-tables.js';
import { versionedRow, wholeVersions } from '../support/stores/versioned-rows.js';

const hbase = inject('hbase');
const WRITERS = 4;
const ROWS = 300;
/** The number of rows of one call. */
const AT_ONCE = 50;

describe.skipIf(!hbase)('while parts of HBase are killed', () => {
  it.each([
    ['a region server', 'rs1', 'write'],
    ['a gateway', 'gw1', 'write'],
    ['the other region server, under compare-and-set', 'rs2', 'compareAndSet'],
    ['the other gateway, under compare-and-set', 'gw2', 'compareAndSet'],
  ] as const)('no acknowledged write is lost: %s', async (_, part, how) => {
    const url = await hbaseTables(hbase!);
    /** The last acknowledged version of each row. */
    const acknowledged = new Map<string, number>();
    let isDown = false;
    let isOver = false;
    let after = 0;

    /** Each writer has its own rows, and writes them again until some writes were acknowledged after the kill. */
    async function writer(number: number): Promise<void> {
      const store = await openHBaseStore(url);
      const keys = Array.from({ length: ROWS }, (_, i) => `w${number}:${String(i).padStart(5, '0')}`);
      for (let version = 1; !isOver; version++) {
        for (let i = 0; i < keys.length && !isOver; i += AT_ONCE) {
          const some = keys.slice(i, i + AT_ONCE);
          await write(
            store,
            some.map((key) => versionedRow(key, version)),
          );
          for (const key of some) acknowledged.set(key, version);
          if (isDown) after += 1;
          if (after > 3 * WRITERS) isOver = true;
        }
      }
      await store.close();
    }

    async function write(store: Store, changes: readonly RowChange[]): Promise<void> {
      if (how === 'write') return store.write('webpage', changes);
      for (let left = changes; left.length > 0;) {
        const rows = await store.get(
          'webpage',
          left.map(({ key }) => key),
          ['m', 'l', 'p'],
        );
        const made = await store.compareAndSet!(
          'webpage',
          left.map((change, i) => {
            const { cells, at, record = null } = rows[i] ?? {};
            return { change: { ...change, record }, column: 'p:t', value: cells?.get('p:t'), at };
          }),
        );
        left = left.filter((_, i) => !made[i]);
      }
    }

    async function killer(): Promise<void> {
      while (acknowledged.size < WRITERS * AT_ONCE) await new Promise((resolve) => setImmediate(resolve));
      await killPart(hbase!, part);
      isDown = true;
    }

    try {
      await Promise.all([...Array.from({ length: WRITERS }, (_, i) => writer(i)), killer()]);
      const store = await openHBaseStore(url);
      const found = await wholeVersions(store);
      const missing = [...acknowledged].filter(([key, version]) => (found.get(key) ?? 0) < version);
      expect(missing).toEqual([]);
      expect(acknowledged.size).toBeGreaterThanOrEqual(WRITERS * AT_ONCE);
      await store.close();
    } finally {
      await restartPart(hbase!, part);
    }
  });
});
