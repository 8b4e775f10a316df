import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, rowKeyOf, urlOf, type Plugin, type Report } from '../../../packages/webcrawl/internal.js';
import { writeScope } from '../../../packages/jobs/scope/stored-scope.js';
import { countingStore, type CountingStore } from '../../support/stores/counting-store.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { selectedUrls } from '../../support/job-steps.js';
import { putRows, type GivenRow } from '../../support/stores/put-rows.js';
import { testCrawl, type TestCrawl } from '../../support/test-crawl.js';

const REFUSED = 1000;
const GOOD = 'http://good.com/';

/** Rejects all URLs but one if it is strict; a version, if given, is that of its rules. */
const filter = (version?: string, isStrict = true): Plugin & { asked: number } => {
  const plugin = {
    name: 'strict',
    ...(version !== undefined && { version }),
    asked: 0,
    filterUrl: (url: string) => {
      plugin.asked += 1;
      return !isStrict || url === GOOD;
    },
  };
  return plugin;
};

/** Rows with better scores that are refused, each on its own host or all on one host, and one row that may be selected. */
const ROWS: readonly GivenRow[] = [
  { url: GOOD, score: 1, distance: 1, status: 'unfetched' },
  ...Array.from({ length: REFUSED }, (_, i) => ({
    url: i % 2 === 0 ? `http://h${i}.com/x` : `http://one.com/x${i}`,
    score: 2 + i,
    distance: 9,
    status: 'fetched' as const,
  })),
];

type Options = NonNullable<Parameters<typeof testCrawl>[1]>;

interface Case {
  /** The counter of the cause of the refusal. */
  readonly reason: string;
  readonly strict: Options;
  readonly loose: Options;
  readonly store?: (crawl: TestCrawl, isStrict: boolean) => Promise<void>;
}

const storePatterns = ({ tables }: TestCrawl, isStrict: boolean): Promise<void> =>
  writeScope(tables, { stay: 'any', include: [], exclude: isStrict ? ['/x'] : ['/y'], folders: {} });

const CASES: Record<string, () => Case> = {
  maxDistance: () => ({
    reason: 'distance',
    strict: { settings: { 'generate.maxDistance': 3 } },
    loose: { settings: { 'generate.maxDistance': 10 } },
  }),
  restrictStatus: () => ({
    reason: 'status',
    strict: { settings: { 'generate.restrictStatus': ['unfetched'] } },
    loose: {},
  }),
  'a filter with a version': () => ({
    reason: 'rejected_strict',
    strict: { plugins: [filter('1')] },
    loose: { plugins: [filter('2', false)] },
  }),
  'patterns of the scope': () => ({ reason: 'excluded', strict: {}, loose: {}, store: storePatterns }),
};

const rowsRead = async (store: CountingStore, task: () => Promise<Report>): Promise<[Report, number]> => {
  const before = store.rowsRead.webpage ?? 0;
  const report = await task();
  return [report, (store.rowsRead.webpage ?? 0) - before];
};

/** Releases the rows of a batch, as if they had never been selected. */
async function release(crawl: TestCrawl, { batchId = '' }: Report): Promise<void> {
  await jobs.updatedb(crawl, { batch: batchId });
}

describe('rows that generate has refused', () => {
  it.each(Object.keys(CASES))('by %s are not read again until that changes', async (name) => {
    const { reason, strict, loose, store: storeScope } = CASES[name]!();
    const store = countingStore(new MemoryStore());
    const crawl = await testCrawl(undefined, { store, ...strict });
    await storeScope?.(crawl, true);
    await putRows(crawl, ROWS);
    const [first, read] = await rowsRead(store, () => jobs.generate(crawl, { topN: 1 }));
    expect(first.counters).toEqual({ generated: 1, [reason]: REFUSED });
    expect(read).toBeGreaterThan(REFUSED);
    expect(await selectedUrls(crawl)).toEqual([GOOD]);
    await release(crawl, first);
    const [second, readAgain] = await rowsRead(store, () => jobs.generate(crawl, { topN: 1 }));
    expect(second.counters).toEqual({ generated: 1 });
    expect(readAgain).toBeLessThan(10);
    await release(crawl, second);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: REFUSED + 1 });

    const other = await testCrawl(undefined, { store, ...loose });
    await storeScope?.(other, false);
    expect((await jobs.generate(other)).counters).toEqual({ generated: REFUSED + 1 });
    expect((await jobs.repair(other)).counters).toEqual({ rows: REFUSED + 1 });
  });

  it('by a filter without a version are checked each time', async () => {
    const plugin = filter();
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    await putRows(crawl, ROWS);
    for (let i = 0; i < 2; i++) {
      plugin.asked = 0;
      const report = await jobs.generate(crawl, { topN: 1 });
      expect(report.counters).toEqual({ generated: 1, rejected_strict: REFUSED });
      expect(plugin.asked).toBe(REFUSED + 1);
      await release(crawl, report);
    }
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: REFUSED + 1 });
  });

  it('are selected if generate uses no filters', async () => {
    await using crawl = await testCrawl(undefined, { plugins: [filter('1')] });
    await putRows(crawl, ROWS);
    await release(crawl, await jobs.generate(crawl));
    expect((await jobs.generate(crawl, { filter: false })).counters).toEqual({ generated: REFUSED + 1 });
  });

  it('return when a link makes the distance smaller, or inject makes one a seed', async () => {
    const web = fakeWeb({ [GOOD]: { html: links('http://far.com/linked') } });
    const settings = { 'generate.maxDistance': 1, 'db.ignoreExternalLinks': false };
    await using crawl = await testCrawl(web, { settings });
    const far = ['linked', 'seed', 'stays'].map((path) => ({ url: `http://far.com/${path}`, distance: 5, score: 9 }));
    await putRows(crawl, [{ url: GOOD, distance: 0 }, ...far]);
    const { batchId: batch = '', counters } = await jobs.generate(crawl);
    expect(counters).toEqual({ generated: 1, distance: 3 });
    await jobs.fetch(crawl, { batch, parse: true });
    expect((await jobs.updatedb(crawl, { batch })).counters).toMatchObject({ linked: 1 });
    await jobs.inject(crawl, { seeds: ['http://far.com/seed'] });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 4 });
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 2 });
    expect(await selectedUrls(crawl)).toEqual(['http://far.com/linked', 'http://far.com/seed']);
  });

  it('never enter a queue if they are found beyond the maximum distance of the crawl', async () => {
    const paths = Array.from({ length: 50 }, (_, i) => `/${i}`);
    const web = fakeWeb({ [GOOD]: { html: links(...paths) } });
    await using crawl = await testCrawl(web, { settings: { 'generate.maxDistance': 0 } });
    await jobs.inject(crawl, { seeds: [GOOD] });
    const { batchId: batch = '' } = await jobs.generate(crawl);
    await jobs.fetch(crawl, { batch, parse: true });
    const { store } = crawl.tables;
    const entered: string[] = [];
    const write = store.write.bind(store);
    store.write = (table, changes) => {
      if (table === 'frontier') for (const { key, put } of changes) if (put && key[2] === 'q') entered.push(key);
      return write(table, changes);
    };
    expect((await jobs.updatedb(crawl, { batch })).counters).toMatchObject({ added: paths.length });
    store.write = write;
    expect(entered).toEqual([]);
    const found: string[] = [];
    for (const cause of await crawl.tables.frontier.refusalCauses()) {
      for await (const entries of crawl.tables.frontier.refused(cause)) found.push(...entries.map((e) => e.rowKey));
    }
    expect(found.sort()).toEqual(paths.map((path) => rowKeyOf(new URL(path, GOOD).href)).sort());
    expect((await jobs.generate(crawl)).counters).toEqual({});
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: paths.length + 1 });
    expect(found.map(urlOf)).not.toContain(GOOD);
  });
});
