import { describe, expect, test } from 'vitest';
import { MemoryStore, openTables, type RulePoint } from '../../../webtable/index.js';
import { MAX_POINTS, addPoint } from '../../../webtable/tables/rule-history.js';
import { VersionedStore } from '../../support/versions/versioned-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = Date.UTC(2026, 0, 1);
const pointAt = (at: number, links = 0): RulePoint => ({ at, refused: 0, fit: 0, links });

async function tableWith(ids: readonly string[], store = new MemoryStore()) {
  const { rules } = await openTables(store);
  const rule = { kind: 'reject', scope: '*', pattern: { prefix: '/' }, origin: 'hand', state: 'active' } as const;
  await rules.change(() => ({ put: ids.map((id) => ({ ...rule, id, createdAt: 1, changedAt: 1 })) }));
  return { rules, store };
}

describe('the history of a rule', () => {
  test('has few points however long and however often it is written, dense where it is young, with the first and the last', () => {
    const random = randomNumbers(7);
    let series: RulePoint[] = [];
    let at = START;
    for (let i = 0; at < START + 400 * DAY; i += 1) {
      const point = pointAt(at, i);
      series = addPoint(series, point);
      if (series.at(-1)!.at !== at || series.at(-1)!.links !== i) expect(series.at(-1)).toEqual(point);
      at += random() < 0.9 ? Math.floor(random() * 10 * MINUTE) : 3000;
    }
    expect(series.length).toBeLessThan(180);
    expect(series[0]).toEqual(pointAt(START));
    const end = series.at(-1)!.at;
    const times = series.map((point) => point.at);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
    for (const [i, time] of times.entries()) {
      const before = times[i - 1];
      // Ten minutes may have brought none.
      if (before !== undefined) expect(time - before).toBeLessThan(10 * MINUTE + MINUTE + (end - before) / 4);
    }
    expect(series.map(({ links }) => links)).toEqual(series.map(({ links }) => links).sort((a, b) => a - b));
  });

  test('of a clock that jumps stays bounded, in order, and goes on', () => {
    const random = randomNumbers(3);
    let series: RulePoint[] = [];
    for (let i = 0; i < 5_000; i += 1) {
      series = addPoint(series, pointAt(Math.floor(random() * 1000 * DAY), i));
      expect(series.length).toBeLessThanOrEqual(MAX_POINTS);
      for (const [at, point] of series.entries()) if (at > 0) expect(point.at).toBeGreaterThan(series[at - 1]!.at);
    }
    let long: RulePoint[] = [];
    for (let i = 0; i < 3 * MAX_POINTS; i += 1) long.push(pointAt(i * DAY));
    long = addPoint(long, pointAt(3 * MAX_POINTS * DAY));
    expect(long.length).toBeLessThanOrEqual(MAX_POINTS);
  });

  test('writes that come every few seconds move its last point until a minute has passed', () => {
    let series: RulePoint[] = [];
    for (let s = 0; s <= 180; s += 3) series = addPoint(series, pointAt(START + s * 1000, s));
    expect(series.map(({ at }) => (at - START) / 1000)).toEqual([0, 60, 120, 180]);
  });

  test('is noted for rules that are there, only where something has changed, and goes with its rule', async () => {
    const { rules, store } = await tableWith(['r1', 'r2']);
    await rules.noteCounts(['r1', 'r9'], START);
    await rules.addCounts(new Map([['r1', { links: 3 }]]));
    await rules.noteCounts(['r1', 'r2'], START + MINUTE);
    await rules.noteCounts(['r1'], START + 2 * MINUTE);
    expect(await rules.histories(['r1', 'r2', 'r9'])).toEqual(
      new Map([
        ['r1', [pointAt(START), pointAt(START + MINUTE, 3)]],
        ['r2', [pointAt(START + MINUTE)]],
      ]),
    );
    await rules.change(() => ({ remove: ['r1'] }));
    expect([...(await rules.histories(['r1', 'r2'])).keys()]).toEqual(['r2']);
    // As a kill between the two writes of a removal leaves it.
    await store.write('rule', [{ key: 'h|r1', put: new Map([['r:h', Buffer.from('[[1,2,3,4]]')]]) }]);
    await rules.replaceCounts(new Map());
    expect([...(await rules.histories(['r1', 'r2'])).keys()]).toEqual(['r2']);
  });

  test('that cannot be read begins anew', async () => {
    const { rules, store } = await tableWith(['r1']);
    for (const text of ['{', '[[1]', '{"a":1}', '[["x",1,2,3]]']) {
      await store.write('rule', [{ key: 'h|r1', put: new Map([['r:h', Buffer.from(text)]]) }]);
      expect((await rules.histories(['r1'])).size).toBe(0);
      await rules.noteCounts(['r1'], START);
      expect((await rules.histories(['r1'])).get('r1')).toEqual([pointAt(START)]);
    }
  });

  test('is whole where several note at once on a store without locks', async () => {
    const { rules } = await tableWith(['r1'], new VersionedStore(randomNumbers(5)) as unknown as MemoryStore);
    await rules.addCounts(new Map([['r1', { links: 1 }]]));
    await Promise.all(Array.from({ length: 8 }, (_, i) => rules.noteCounts(['r1'], START + i * MINUTE)));
    const series = (await rules.histories(['r1'])).get('r1')!;
    expect(series.length).toBeGreaterThan(0);
    expect(series.at(-1)).toMatchObject({ links: 1 });
  });
});
