import { describe, expect, it } from 'vitest';
import {
  MemoryStore,
  jobs,
  openTables,
  rowKeyOf,
  type PageChange,
  type PageRow,
  type Tables,
} from '../../../packages/webcrawl/internal.js';
import { hostKeyOfRow } from '../../../webtable/index.js';
import { FRONTIER_FIELDS, type FrontierField } from '../../../webtable/frontier/frontier-rows.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { putRows } from '../../support/stores/put-rows.js';
import { rowOf } from '../../support/job-steps.js';
import { START, testCrawl } from '../../support/test-crawl.js';
import { seeds } from '../../support/runs.js';

const KEYS = Array.from({ length: 12 }, (_, i) => rowKeyOf(`http://h${i % 4}.com/${i}`));
const SECOND = 1000;

/** The rows in queues with heads, the refused rows, and the due times of the others. */
async function entriesOf({ frontier }: Tables) {
  const due = new Set<string>();
  for await (const { host, score } of frontier.heads()) {
    for (const { rowKey } of await frontier.due(host, score, 1000)) due.add(rowKey);
  }
  const refused = new Set<string>();
  for (const cause of await frontier.refusalCauses()) {
    for await (const entries of frontier.refused(cause)) for (const { rowKey } of entries) refused.add(rowKey + cause);
  }
  const timed = new Map<string, number>();
  for await (const entries of frontier.entries()) {
    for (const { entryKey, rowKey } of entries) {
      const time = /^..t([0-9a-f]+)\|/.exec(entryKey)?.[1];
      if (time !== undefined) timed.set(rowKey, Math.min(timed.get(rowKey) ?? Infinity, parseInt(time, 16)));
    }
  }
  return { due, refused, timed };
}

type Row = PageRow<FrontierField>;

async function allRows(tables: Tables): Promise<Row[]> {
  return (await tables.pages.getMany(KEYS, FRONTIER_FIELDS)).filter((row) => row !== undefined);
}

/** The rows that no entry leads to in time. */
async function lostRows(tables: Tables): Promise<string[]> {
  const { due, refused, timed } = await entriesOf(tables);
  const isLost = ({ key, dueAt = 0, marks, refusedBy }: Row): boolean => {
    if (marks?.generate !== undefined) return false;
    if (refusedBy !== undefined) return !refused.has(key + refusedBy);
    return !due.has(key) && (timed.get(key) ?? Infinity) > dueAt;
  };
  return (await allRows(tables)).filter(isLost).map(({ key }) => key);
}

describe('the frontier', () => {
  const groups = seeds(3, 20).map((i) => 10 * i);

  it.each(groups)('leads to every row in time, in random histories: seeds from %i', async (first) => {
    for (let seed = first; seed < first + 10; seed++) {
      const random = randomNumbers(seed);
      const pick = (n: number): number => Math.floor(random() * n);
      const store = new MemoryStore();
      let tables = await openTables(store);
      let now = START;

      const randomChange = (key: string, row: Row | undefined): PageChange => {
        const set = {
          ...((!row || pick(2) === 0) && { score: pick(4) }),
          ...((!row || pick(2) === 0) && { dueAt: now + (pick(7) - 3) * SECOND }),
          ...(pick(6) === 0 && { refusedBy: `cause-${pick(2)}` }),
          ...(pick(6) === 0 && { distance: pick(3) }),
        };
        const kind = pick(4);
        const marks = kind === 0 ? { generate: 'b-1' } : kind === 1 ? { generate: null } : {};
        return { key, set, marks, ...(pick(6) === 0 && { unset: ['refusedBy' as const] }) };
      };

      for (let step = 0; step < 40; step++) {
        const kind = pick(10);
        if (kind === 0) now += (pick(9) - 4) * SECOND;
        else if (kind === 1) await tables.frontier.promote(now, now + pick(3) * SECOND);
        // Another process does not know what the one before has promoted.
        else if (kind === 2) tables = await openTables(store);
        else {
          const keys = [...new Set(Array.from({ length: 1 + pick(5) }, () => KEYS[pick(KEYS.length)]!))];
          const decide = (rows: readonly (Row | undefined)[]) =>
            rows.map((row, i) => {
              const { unset, ...change } = randomChange(keys[i]!, row);
              return { ...change, ...(unset && change.set?.refusedBy === undefined && { unset }) };
            });
          await tables.changeRows(keys, [], now, decide);
        }
        expect(await lostRows(tables), `seed ${seed}, step ${step}`).toEqual([]);
      }

      // In the end the queues have all due rows, and no others.
      const last = START + 1000 * SECOND;
      await tables.frontier.promote(last, last);
      const { due } = await entriesOf(tables);
      const free = (await allRows(tables)).filter(({ marks, refusedBy }) => !marks?.generate && !refusedBy);
      expect(free.filter(({ key }) => !due.has(key))).toEqual([]);

      await using crawl = await testCrawl(undefined, { store, clock: () => last });
      await crawl.tables.batches.change('b-1', () => ({ state: 'open', size: 0 }));
      const { counters } = await jobs.repair(crawl);
      expect(counters).not.toHaveProperty('missing_frontier');
      const { rows } = counters;
      expect((await jobs.repair(crawl)).counters).toEqual({ rows });
      expect(await lostRows(crawl.tables)).toEqual([]);
      expect((await entriesOf(crawl.tables)).due).toEqual(new Set(free.map(({ key }) => key)));
    }
  });

  it('has a row at its new score if the score changed before the row was due', async () => {
    await using crawl = await testCrawl(undefined);
    const dueAt = START + SECOND;
    await putRows(crawl, [
      { url: 'http://a.com/1', score: 1, dueAt },
      { url: 'http://b.com/2', score: 2, dueAt },
    ]);
    await putRows(crawl, [{ url: 'http://a.com/1', score: 3, dueAt }]);
    crawl.setTime(dueAt);
    await crawl.tables.frontier.promote(dueAt, dueAt);
    const scores: [string, number][] = [];
    for await (const { host, score } of crawl.tables.frontier.heads()) scores.push([host, score]);
    expect(scores).toEqual([
      [hostKeyOfRow(rowKeyOf('http://a.com/1')), 3],
      [hostKeyOfRow(rowKeyOf('http://b.com/2')), 2],
    ]);
    expect((await jobs.generate(crawl, { topN: 1 })).counters).toEqual({ generated: 1 });
    expect((await rowOf(crawl, 'http://a.com/1', 'marks')).marks).toHaveProperty('generate');
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 2 });
  });
});
