import { describe, expect, test } from 'vitest';
import { MemoryStore, openTables } from '../../../webtable/index.js';
import { MAX_POINTS } from '../../../webtable/tables/rule-counts.js';
import { TimedStore } from '../../support/stores/timed-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';

const START = Date.UTC(2026, 0, 1);
const links = (n: number) => ({ refused: 0, relevant: 0, links: n });
const all = (n: number, ids: readonly string[]) => new Map(ids.map((id) => [id, links(n)]));

async function rulesOf(store = new MemoryStore()) {
  return (await openTables(store)).rules;
}

describe('the stored counts of rules', () => {
  test('have a point for each count, the last of which is shown; a rule that is no longer counted has none', async () => {
    const rules = await rulesOf();
    expect((await rules.counts()).size).toBe(0);
    await rules.noteCounts(all(1, ['r1', 'r2']), START);
    await rules.noteCounts(all(2, ['r2', 'r3']), START + 1);
    expect(await rules.counts()).toEqual(new Map(['r2', 'r3'].map((id) => [id, { at: START + 1, ...links(2) }])));
    expect(await rules.histories(['r1', 'r2'])).toEqual(
      new Map([
        [
          'r2',
          [
            { at: START, ...links(1) },
            { at: START + 1, ...links(2) },
          ],
        ],
      ]),
    );
  });

  test('are removed with their rule', async () => {
    const rules = await rulesOf();
    await rules.noteCounts(all(1, ['r1', 'r2']), START);
    await rules.change(() => ({ remove: ['r1'] }));
    expect([...(await rules.counts()).keys()]).toEqual(['r2']);
  });

  test('may be of more rules than one write has, each stored once', async () => {
    const rules = await rulesOf();
    const ids = Array.from({ length: 1203 }, (_, i) => `r${i}`);
    await rules.noteCounts(all(1, ids.slice(0, 700)), START);
    await rules.noteCounts(all(2, ids), START + 1);
    const found = await rules.histories(ids);
    expect(ids.map((id) => found.get(id)?.length)).toEqual(ids.map((_, i) => (i < 700 ? 2 : 1)));
  });

  test('have a limited number of points, and none in the future after the clock is set back', async () => {
    const rules = await rulesOf();
    for (let i = 0; i < MAX_POINTS + 20; i += 1) await rules.noteCounts(all(i, ['r1']), START + i);
    const points = (await rules.histories(['r1'])).get('r1')!;
    expect(points.map(({ at }) => at - START)).toEqual(Array.from({ length: MAX_POINTS }, (_, i) => i + 20));
    await rules.noteCounts(all(7, ['r1']), START + 30);
    expect(
      (await rules.histories(['r1']))
        .get('r1')!
        .map(({ at }) => at - START)
        .slice(-2),
    ).toEqual([29, 30]);
  });

  test.each(['{', '[[1]]', '[["x",1,2,3]]', '[[1e17,1,2,3]]'])(
    'start again if they cannot be read: %s',
    async (cell) => {
      const store = new MemoryStore();
      const rules = await rulesOf(store);
      await store.write('rule', [{ key: 'h|r1', put: new Map([['r:h', Buffer.from(cell)]]) }]);
      expect((await rules.histories(['r1'])).size + (await rules.counts()).size).toBe(0);
      await rules.noteCounts(all(3, ['r1']), START);
      expect((await rules.histories(['r1'])).get('r1')).toEqual([{ at: START, ...links(3) }]);
    },
  );

  test('may have one point for two counts at the same time', async () => {
    const store = new TimedStore(randomNumbers(1));
    const both = await Promise.all([openTables(store), openTables(store)]);
    await both[0].rules.noteCounts(all(1, ['r1']), START);
    await Promise.all(both.map(({ rules }, i) => rules.noteCounts(all(2, ['r1']), START + 1 + i)));
    const points = (await both[0].rules.histories(['r1'])).get('r1')!;
    expect(points.map((point) => point.links)).toEqual(expect.arrayContaining([1, 2]));
    expect(points.length).toBeLessThanOrEqual(3);
  });
});
