import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTables } from '../../../packages/webcrawl/internal.js';
import { slotsOf, type StoredRow } from '../../../webtable/index.js';
import { createFrontierKeys } from '../../../webtable/frontier/frontier-keys.js';
import { scoreIn } from '../../../webtable/frontier/frontier-entries.js';
import { lostRows, step } from '../../support/versions/crossing-steps.js';
import { createHostileTurns } from '../../support/versions/hostile-turns.js';
import { VersionedStore } from '../../support/versions/versioned-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { runs, seeds } from '../../support/runs.js';

const SEEDS_AT_ONCE = 100;

/** The rates of faults for writers. */
interface Hostility {
  readonly deaths: number;
  readonly refused: number;
  readonly lostAnswers: number;
}

/** Runs concurrent writers until they have ended or died. */
async function cross(seed: number, { deaths, refused, lostAnswers }: Hostility): Promise<VersionedStore> {
  const random = randomNumbers(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const turns = createHostileTurns(random, { deaths });
  const own = new VersionedStore(random, { turn: async () => {} });
  await openTables(own, { slots: 1 });
  const writer = async (turn: () => Promise<void>): Promise<void> => {
    const tables = await openTables(own.forProcess({ turn, refused, lostAnswers }));
    for (let i = 0; i < 5; i++) await step(tables, pick);
  };
  const writers = Array.from({ length: 2 + pick(3) }, () => writer(turns.process()));
  await turns.run(writers);
  return own;
}

/** Heads that the note of their host does not name. */
async function unnamedHeads(store: VersionedStore): Promise<string[]> {
  const keys = createFrontierKeys(slotsOf(1));
  const rows: StoredRow[] = [];
  for await (const row of store.scan('frontier', { columns: ['f'] })) rows.push(row);
  const scoreAt = new Map(rows.map(({ key, cells }) => [key, scoreIn(cells)]));
  return rows.flatMap(({ key }) => {
    const parsed = keys.parse(key);
    if (parsed.kind !== 'head') return [];
    const named = scoreAt.get(keys.note(parsed.host));
    return named !== undefined && keys.head(named, parsed.host) === key ? [] : [key];
  });
}

describe('concurrent writers on a store without locks', () => {
  // A table waits for timers after some milliseconds of work, which would make a history depend on more than its seed.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  const groups = seeds(5, 32).map((i) => i * SEEDS_AT_ONCE);

  it.each(groups)('leave each row an entry that leads to it: 100 seeds from %i', async (first) => {
    const lost: string[] = [];
    for (let seed = first; seed < first + SEEDS_AT_ONCE; seed++) {
      const store = await cross(seed, { deaths: 0.3, refused: 0.02, lostAnswers: 0.02 });
      lost.push(...(await lostRows(await openTables(store))).map((key) => `seed ${seed}: ${key}`));
    }
    expect(lost).toEqual([]);
  });

  it('leave no head that no note names, however many answers are lost', async () => {
    for (let seed = 0; seed < runs(100, 400); seed++) {
      const store = await cross(seed, { deaths: 0, refused: 0, lostAnswers: 0.3 });
      expect(await unnamedHeads(store), `seed ${seed}`).toEqual([]);
    }
  });

  it('lose no change of the header of a batch', async () => {
    for (let seed = 0; seed < runs(100, 500); seed++) {
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

  it('move a batch on once: the second writer learns that it was done', async () => {
    for (let seed = 0; seed < runs(40, 200); seed++) {
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
