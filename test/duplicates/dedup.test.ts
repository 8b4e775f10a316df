import { describe, expect, it } from 'vitest';
import { hash } from 'node:crypto';
import {
  MemoryStore,
  jobs,
  rowKeyOf,
  type OpenContext,
  type PageChange,
  type Store,
} from '../../packages/webcrawl/internal.js';
import { madeDuplicates, scoreDuplicates, type Edit, type Language } from '../../bench/lib/made-duplicates.js';
import { copyStore, dumpStore } from '../support/stores/copy-store.js';
import { FailingStore, PlannedFailure } from '../support/stores/failing-store.js';
import { damage } from '../support/stores/damage.js';
import { START, testCrawl } from '../support/test-crawl.js';

type Fields = NonNullable<PageChange['set']>;

/** Stores fetched pages. */
async function store(crawl: OpenContext, pages: Readonly<Record<string, Fields>>): Promise<void> {
  const changes = Object.entries(pages).map(([url, set]): PageChange => {
    const signature = hash('sha1', set.text ?? '');
    return { key: rowKeyOf(url), set: { status: 'fetched', dueAt: START, score: 1, signature, ...set } };
  });
  await crawl.tables.changeRows(
    changes.map(({ key }) => key),
    [],
    START,
    () => changes,
  );
}

/** The duplicates, with the pages that they are duplicates of. */
async function duplicates(crawl: OpenContext): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { url, duplicateOf } of crawl.pages({ fields: ['duplicateOf'] })) {
    if (duplicateOf !== undefined) found[url] = duplicateOf;
  }
  return found;
}

async function storeMade(crawl: OpenContext, families: number, copies: number): Promise<void> {
  const made = [...madeDuplicates(families, copies)];
  await store(crawl, Object.fromEntries(made.map(({ url, text }) => [url, { text }])));
}

const words = (from: number, count: number, word = 'w'): string =>
  Array.from({ length: count }, (_, i) => `${word}${from + i}`).join(' ');
/** A text of 400 words, or the same with other words at its end. */
const text = (changed = 0): string => `${words(0, 400 - changed)} ${words(0, changed, 'changed')}`;

describe('dedup', () => {
  it('keeps its result for a page that temporarily cannot be fetched, and removes it for one that is gone', async () => {
    await using crawl = await testCrawl(undefined);
    const parseStatus = { code: 'success' } as const;
    const page = { text: text(), parseStatus };
    await store(crawl, { 'http://a.example/': page, 'http://b.example/': page, 'http://c.example/': page });
    await jobs.dedup(crawl);
    const marked = await duplicates(crawl);
    expect(Object.keys(marked)).toHaveLength(2);
    const [first, second] = Object.keys(marked) as [string, string];
    await store(crawl, { [first]: { ...page, status: 'retry' }, [second]: { ...page, status: 'gone' } });
    expect(await duplicates(crawl)).toEqual(marked);
    const { counters } = await jobs.dedup(crawl);
    expect(await duplicates(crawl)).toEqual({ [first]: marked[first] });
    expect(counters).toMatchObject({ cleared: 1 });
  });

  it('finds known duplicates, and no other pages', async () => {
    await using crawl = await testCrawl(undefined);
    await storeMade(crawl, 400, 4);
    const { counters } = await jobs.dedup(crawl, { yes: true });
    expect(counters).toMatchObject({ pages: 2000, exact: expect.any(Number) as number });
    const found = await duplicates(crawl);
    const { precision, recalls } = scoreDuplicates(madeDuplicates(400, 4), (url) => found[url]);
    expect(precision).toBeGreaterThan(0.995);
    // Some are copies of pages that are shorter than dedup.minWords.
    const least: Record<Edit, number> = {
      'same bytes': 1,
      'date changed': 0.75,
      '1 % of words': 0.75,
      '2 % of words': 0.7,
      '5 % of words': 0.3,
      '10 % of words': 0.05,
      'navigation changed': 0,
      'sentence added': 0.5,
    };
    const low = recalls.filter(({ edit, recall }) => recall < least[edit]);
    expect(low).toEqual([]);
    expect(new Set(recalls.map(({ language }): Language => language)).size).toBe(2);
  });

  it('finds all exact duplicates; with --exact it finds only these, and unmarks the near duplicates', async () => {
    await using crawl = await testCrawl(undefined);
    await storeMade(crawl, 100, 8);
    const { counters } = await jobs.dedup(crawl, { yes: true });
    expect(counters).toMatchObject({ exact: 100 });
    expect(counters.near).toBeGreaterThan(250);
    const again = await jobs.dedup(crawl, { exact: true });
    expect(again.counters).toMatchObject({ pages: 900, exact: 100, groups: 100, cleared: counters.near });
    expect(Object.keys(await duplicates(crawl))).toHaveLength(100);
    expect((await jobs.dedup(crawl, { exact: true })).counters).toEqual({ pages: 900, exact: 100, groups: 100 });
  });

  it('keeps the page that the group names as canonical; else by rank, https, URL, key', async () => {
    await using crawl = await testCrawl(undefined);
    const canonical = (url: string): Fields => ({ parseStatus: { code: 'success', canonical: url } });
    await store(crawl, {
      'http://a.com/named-and-long': { text: 'one' },
      'https://a.com/1': { text: 'one', rank: 0.5, ...canonical('http://a.com/named-and-long') },
      'https://a.com/2': { text: 'one', ...canonical('http://a.com/named-and-long') },
      'https://a.com/3': { text: 'one', ...canonical('https://a.com/1') },
      'http://b.com/ranked': { text: 'two', rank: 0.2 },
      'https://b.com/': { text: 'two', rank: 0.1 },
      'http://c.com/': { text: 'three' },
      'https://c.com/longer': { text: 'three' },
      'http://d.com/long': { text: 'four' },
      'http://d.com/z': { text: 'four' },
      'http://d.com/y': { text: 'four', ...canonical('not a URL') },
      // Names a page with another text, which is not in its group.
      'http://e.com/x': { text: 'five', ...canonical('http://a.com/named-and-long') },
      'http://e.com/': { text: 'five' },
    });
    await jobs.dedup(crawl);
    expect(await duplicates(crawl)).toEqual({
      'https://a.com/1': 'http://a.com/named-and-long',
      'https://a.com/2': 'http://a.com/named-and-long',
      'https://a.com/3': 'http://a.com/named-and-long',
      'https://b.com/': 'http://b.com/ranked',
      'http://c.com/': 'https://c.com/longer',
      'http://d.com/long': 'http://d.com/y',
      'http://d.com/z': 'http://d.com/y',
      'http://e.com/x': 'http://e.com/',
    });
  });

  it('does not join unlike pages by a chain of small differences', async () => {
    await using crawl = await testCrawl(undefined);
    const chain = Array.from({ length: 60 }, (_, i) => [`http://a.com/${i}`, { text: words(i * 4, 400) }] as const);
    await store(crawl, Object.fromEntries(chain));
    await jobs.dedup(crawl, { yes: true });
    const found = await duplicates(crawl);
    expect(Object.keys(found).length).toBeGreaterThan(20);
    const far = Object.entries(found).filter(([url, kept]) => {
      const [a, b] = [url, kept].map((each) => Number(each.slice('http://a.com/'.length)));
      return Math.abs(a! - b!) > 30;
    });
    expect(far).toEqual([]);
    // No page is kept and marked at once.
    expect(Object.values(found).filter((kept) => found[kept] !== undefined)).toEqual([]);
  });

  it('does not mark a page that joined the kept one by another page with its signature, and is not near it itself', async () => {
    await using crawl = await testCrawl(undefined);
    // A signature of a plugin, which ignores most of the text.
    const signature = 'the same';
    await store(crawl, {
      'http://a.com/': { text: text(), rank: 0.9 },
      'http://a.com/near': { text: text(4), signature, rank: 0.8 },
      'http://a.com/near-too': { text: text(4), signature },
      'http://a.com/unlike': { text: words(0, 300, 'other'), signature },
      'http://a.com/unlike-too': { text: words(0, 200, 'another'), signature },
      'http://a.com/short': { text: 'few words', signature },
    });
    const { counters } = await jobs.dedup(crawl);
    expect(await duplicates(crawl)).toEqual({
      'http://a.com/near': 'http://a.com/',
      'http://a.com/near-too': 'http://a.com/',
      'http://a.com/unlike': 'http://a.com/short',
      'http://a.com/unlike-too': 'http://a.com/short',
    });
    expect(counters).toMatchObject({ exact: 3, near: 1, groups: 2, written: 4 });
    expect((await jobs.dedup(crawl)).counters).not.toHaveProperty('written');
  });

  it('compares only fetched pages with enough words, and removes invalid marks', async () => {
    await using crawl = await testCrawl(undefined);
    const marked = { duplicateOf: 'http://a.com/' };
    await store(crawl, {
      'http://a.com/': { text: text() },
      'http://a.com/near': { text: text(4) },
      'http://a.com/same': { text: text(), status: 'notmodified' },
      'http://a.com/gone': { text: text(), status: 'gone', ...marked },
      'http://a.com/other': { text: words(0, 300, 'other'), ...marked },
      'http://a.com/short': { text: words(0, 45) },
      'http://a.com/short-too': { text: `${words(0, 44)} x` },
      'http://a.com/empty': { signature: hash('sha1', 'a') },
      'http://a.com/empty-too': { signature: hash('sha1', 'b') },
      'http://a.com/damaged': { text: text(), rank: 1, ...marked },
    });
    await damage(crawl, 'http://a.com/damaged', 'rank');
    const { counters } = await jobs.dedup(crawl);
    expect(counters).toMatchObject({ exact: 1, near: 1, groups: 1, short: 4, written: 2, cleared: 2, damaged: 1 });
    const found = await duplicates(crawl);
    delete found['http://a.com/damaged'];
    expect(found).toEqual({ 'http://a.com/near': 'http://a.com/', 'http://a.com/same': 'http://a.com/' });
  });

  it('uses dedup.distance and dedup.minWords', async () => {
    const near = { 'http://a.com/1': { text: text() }, 'http://a.com/2': { text: text(4) } };
    for (const settings of [{ 'dedup.distance': 0 }, { 'dedup.minWords': 401 }]) {
      await using crawl = await testCrawl(undefined, { settings });
      await store(crawl, near);
      await jobs.dedup(crawl);
      expect(await duplicates(crawl)).toEqual({});
    }
    await expect(testCrawl(undefined, { settings: { 'dedup.distance': 11 } })).rejects.toMatchObject({
      code: 'BAD_SETTING',
    });
  });

  it('does nothing on an empty table', async () => {
    await using crawl = await testCrawl(undefined);
    expect((await jobs.dedup(crawl)).counters).toEqual({});
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    expect((await jobs.dedup(crawl)).counters).toEqual({});
  });

  it('works for a page of one word a million times, and for one of a million words', async () => {
    await using crawl = await testCrawl(undefined);
    await store(crawl, {
      'http://a.com/1': { text: 'word '.repeat(1_000_000) },
      'http://a.com/2': { text: words(0, 200_000) },
      'http://a.com/3': { text: `${words(0, 200_000)} more` },
    });
    expect((await jobs.dedup(crawl)).counters).toMatchObject({ pages: 3, near: 1 });
  });

  it('leaves a row that was fetched again meanwhile to the next run', async () => {
    await using crawl = await testCrawl(undefined);
    await store(crawl, { 'http://a.com/': { text: 'a' }, 'http://a.com/2': { text: 'a' } });
    const { pages } = crawl.tables;
    const { scan } = pages;
    pages.scan = async function* (options) {
      yield* scan(options);
      pages.scan = scan;
      await store(crawl, { 'http://a.com/2': { text: 'b' } });
    };
    expect((await jobs.dedup(crawl)).counters).toMatchObject({ exact: 1, changed: 1 });
    expect(await duplicates(crawl)).toEqual({});
  });

  it('ends in the same state when it fails between any two writes and runs again, and then writes nothing more', async () => {
    const before = new MemoryStore();
    {
      await using crawl = await testCrawl(undefined, { store: keptOpen(before) });
      await storeMade(crawl, 6, 4);
      await store(crawl, { 'http://a.com/': { text: 'x', status: 'gone', duplicateOf: 'http://b.com/' } });
    }
    const run = async (failAt: number): Promise<{ state: unknown; writes: number; failed: boolean }> => {
      const failing = new FailingStore(await copyStore(before), Infinity);
      const crawl = await testCrawl(undefined, { store: failing });
      const at = failing.writes + failAt;
      const once = new FailingStore(failing, at - failing.writes);
      const first = await testCrawl(undefined, { store: once });
      const failed = await jobs.dedup(first).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof PlannedFailure)) throw error;
          return true;
        },
      );
      await jobs.dedup(crawl);
      return { state: await dumpStore(failing), writes: once.writes, failed };
    };
    const whole = await run(Infinity);
    expect(whole.failed).toBe(false);
    for (let failAt = 1; failAt <= whole.writes; failAt++) {
      const { state, failed } = await run(failAt);
      expect(failed).toBe(true);
      expect(state).toEqual(whole.state);
    }
    const cells = (dump: unknown): string =>
      JSON.stringify(dump, (key, value: unknown) => (key === 'cells' ? undefined : value));
    expect(cells(whole.state)).toEqual(cells(await dumpStore(before)));
  });

  it('stops when it is asked to', async () => {
    await using crawl = await testCrawl(undefined);
    await storeMade(crawl, 10, 4);
    expect(await jobs.dedup(crawl, { signal: AbortSignal.abort() })).toMatchObject({ interrupted: true });
    expect(await duplicates(crawl)).toEqual({});
  });
});

/** The same store, which stays open when a crawl is closed. */
function keptOpen(store: MemoryStore): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'close') return async () => {};
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}
