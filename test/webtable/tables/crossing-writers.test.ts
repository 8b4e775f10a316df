import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTables, rowKeyOf, type PageChange, type Tables } from '../../../packages/webcrawl/index.js';
import { FRONTIER_FIELDS, hostKeyOfRow } from '../../../webtable/index.js';
import { VersionedStore } from '../../support/versioned-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';

const NOW = 1_700_000_000_000;
const KEYS = Array.from({ length: 4 }, (_, i) => rowKeyOf(`http://h${i % 2}.com/${i}`));
const SEEDS_AT_ONCE = 200;

/** What a writer does in one step: all that the jobs do to rows and entries. */
async function step(tables: Tables, pick: (n: number) => number): Promise<void> {
  const keys = [...new Set(Array.from({ length: 1 + pick(2) }, () => KEYS[pick(KEYS.length)]!))];
  const kind = pick(8);
  if (kind === 0) return tables.frontier.promote(NOW, NOW + pick(2) * 1000);
  if (kind === 1) return tables.removeRows(keys, [], NOW, (rows) => rows.map(() => pick(3) === 0));
  if (kind === 2) return correctQueue(tables, hostKeyOfRow(keys[0]!));
  await tables.changeRows(keys, [], NOW, (rows, left) =>
    left.map((key, i): PageChange => {
      const isHeld = rows[i]?.marks?.generate !== undefined;
      if (kind === 3) return { key, marks: { generate: isHeld ? null : 'b-1' } };
      if (kind === 4) return { key, set: { refusedBy: `cause-${pick(2)}` } };
      if (kind === 5) return { key, set: { dueAt: NOW + (pick(3) - 1) * 500 } };
      return { key, set: { score: pick(3), dueAt: NOW - 1 }, unset: ['refusedBy'] };
    }),
  );
}

/** Reads the queue of a host as generate does, and has put right what differs from its row. */
async function correctQueue(tables: Tables, host: ReturnType<typeof hostKeyOfRow>): Promise<void> {
  const entries = new Map((await tables.frontier.due(host, 9, 10)).map((entry) => [entry.rowKey, entry]));
  await tables.changeRows([...entries.keys()], [], NOW, (rows, keys, stale) =>
    keys.map((key, i) => {
      const row = rows[i];
      if (!row || !tables.frontier.isEntryOf(entries.get(key)!, row)) stale(entries.get(key)!);
      return undefined;
    }),
  );
}

/** Whatever no entry leads to once the writers have ended. */
async function lostRows(seed: number): Promise<string[]> {
  const random = randomNumbers(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const store = new VersionedStore(random);
  await openTables(store, { slots: 1 });
  const writer = async (): Promise<void> => {
    const tables = await openTables(store);
    for (let i = 0; i < 5; i++) await step(tables, pick);
  };
  await Promise.all(Array.from({ length: 2 + pick(3) }, writer));
  const tables = await openTables(store);
  const rows = [];
  for await (const row of tables.pages.scan({ fields: FRONTIER_FIELDS })) rows.push(row);
  const isLedTo = await tables.frontier.hasEntries(rows);
  return rows.flatMap(({ key }, i) => (isLedTo[i] ? [] : [`seed ${seed}: ${key}`]));
}

describe('writers that cross on a store without locks', () => {
  // A table gives way to timers after some milliseconds of work, so that a history would not follow from its seed alone.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  const groups = Array.from({ length: 16 }, (_, i) => i * SEEDS_AT_ONCE);

  it.each(groups)('leave each row an entry that leads to it: 200 seeds from %i', async (first) => {
    const lost: string[] = [];
    for (let seed = first; seed < first + SEEDS_AT_ONCE; seed++) lost.push(...(await lostRows(seed)));
    expect(lost).toEqual([]);
  });

  it('lose no change of the header of a batch', async () => {
    for (let seed = 0; seed < 500; seed++) {
      const random = randomNumbers(seed);
      const store = new VersionedStore(random);
      const writer = async (): Promise<void> => {
        const { batches } = await openTables(store);
        for (let i = 0; i < 4; i++) {
          await batches.change('1-1', (header) => ({ state: 'open', size: (header?.size ?? 0) + 1 }));
        }
      };
      await openTables(store, { slots: 1 });
      await Promise.all([writer(), writer(), writer()]);
      expect((await (await openTables(store)).batches.get('1-1')).size, `seed ${seed}`).toBe(12);
    }
  });

  it('move a batch on once: who comes second hears of it', async () => {
    for (let seed = 0; seed < 200; seed++) {
      const store = new VersionedStore(randomNumbers(seed));
      const { batches } = await openTables(store, { slots: 1 });
      await batches.change('1-1', () => ({ state: 'open', size: 1 }));
      const close = async (): Promise<void> => {
        const tables = await openTables(store);
        await tables.batches.advance('1-1', ['open'], () => ({ state: 'closed', size: 1 }));
      };
      const outcomes = await Promise.allSettled([close(), close()]);
      const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
      expect(failed, `seed ${seed}`).toMatchObject([{ code: 'BATCH_CLOSING' }]);
      expect(await batches.get('1-1')).toMatchObject({ state: 'closed' });
    }
  });
});
