import { describe, expect, test } from 'vitest';
import { jobs, MemoryStore, rowKeyOf, type Plugin } from '../../packages/webcrawl/internal.js';
import { memoryWriter, type MemoryWriter } from '../support/index/memory-writer.js';
import { copyStore } from '../support/stores/copy-store.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { fakeWeb, links, randomNumbers, type FakePage, type FakeWeb } from '../support/web/fake-web.js';
import { runs } from '../support/runs.js';

const HOME = 'http://a.example/';
const MONTHS = 40 * 86_400_000;
const COUNT = 9;
const urlOf = (n: number): string => `${HOME}p${n}`;
const keyOf = (url: string): string => rowKeyOf(url);

const writing = (writer: MemoryWriter): Plugin => ({
  name: 'in-memory',
  indexWriter: { open: () => Promise.resolve(writer) },
});
const canonical = (n: number, more = ''): FakePage => ({
  html: `<title>t</title><link rel="canonical" href="/p${n}"><p>text ${more}</p>`,
});

/** The documents and words in an index; the texts of links are those of the time when a page was indexed. */
const foundIn = ({ documents }: MemoryWriter): unknown[] =>
  [...documents.values()]
    .map(({ key, title, text }) => ({ key, title, text }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));

/** The same for an index that is made at once from a copy of the table. */
async function foundInFull(store: MemoryStore): Promise<unknown[]> {
  const writer = memoryWriter();
  await using crawl = await testCrawl(undefined, { store: await copyStore(store), plugins: [writing(writer)] });
  await jobs.index(crawl);
  return foundIn(writer);
}

/** Rounds with at most n pages each, until nothing is due. */
async function rounds(crawl: TestCrawl, topN: number, most = 20): Promise<void> {
  for (let i = 0; i < most; i++) {
    const { batchId: batch } = await jobs.generate(crawl, { topN });
    if (batch === undefined) return;
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
  }
}

/** Moves the due times of rows far into the future. */
async function postpone(crawl: TestCrawl, keys: readonly string[]): Promise<void> {
  const dueAt = crawl.clock() + MONTHS;
  await crawl.tables.changeRows(keys, ['marks'], crawl.clock(), (rows) =>
    rows.map((row) => (row && row.marks?.generate === undefined ? { key: row.key, set: { dueAt } } : undefined)),
  );
}

describe('a page that names another one as canonical', () => {
  async function crawled(pages: Readonly<Record<string, FakePage | string>>) {
    const web = fakeWeb({ [HOME]: links('/p1', '/p2', '/p3'), ...pages });
    const store = new MemoryStore();
    const writer = memoryWriter();
    const crawl = await testCrawl(web, { store, plugins: [writing(writer)] });
    await jobs.inject(crawl, { seeds: [HOME] });
    await rounds(crawl, 100);
    await jobs.index(crawl);
    const again = async (): Promise<void> => {
      crawl.setTime(crawl.clock() + 3 * MONTHS);
      await postpone(crawl, [keyOf(urlOf(1))]);
      const { length } = web.requests;
      await rounds(crawl, 100);
      expect(web.requests.slice(length)).not.toContain(urlOf(1));
      await jobs.index(crawl);
      expect(foundIn(writer)).toEqual(await foundInFull(store));
    };
    return { web, crawl, writer, again };
  }

  test('is found, although unchanged, when the canonical page goes, and no longer when that is back', async () => {
    const { web, crawl, writer, again } = await crawled({ [urlOf(1)]: canonical(2), [urlOf(2)]: '<title>two</title>' });
    await using _ = crawl;
    expect([...writer.documents.keys()]).not.toContain(keyOf(urlOf(1)));
    web.set(urlOf(2), undefined);
    await again();
    expect([...writer.documents.keys()]).toContain(keyOf(urlOf(1)));
    expect((await crawl.page(urlOf(1), ['marks']))?.marks?.index).toBeDefined();
    web.set(urlOf(2), { html: '<title>two</title>' });
    await again();
    expect([...writer.documents.keys()]).not.toContain(keyOf(urlOf(1)));
    expect((await crawl.page(urlOf(1), ['marks']))?.marks?.index).toBeUndefined();
    await jobs.remove(crawl, { prefix: urlOf(2) });
    await jobs.index(crawl);
    expect([...writer.documents.keys()]).toContain(keyOf(urlOf(1)));
  });

  test('is not found in place of a canonical page that fails temporarily, which stays', async () => {
    const { web, crawl, writer, again } = await crawled({ [urlOf(1)]: canonical(2), [urlOf(2)]: '<title>two</title>' });
    await using _ = crawl;
    const before = foundIn(writer);
    for (const failure of [{ status: 500 }, { status: 503 }]) {
      const { applied } = writer;
      web.set(urlOf(2), failure);
      crawl.setTime(crawl.clock() + MONTHS);
      await postpone(crawl, [keyOf(urlOf(1))]);
      const { batchId: batch } = await jobs.generate(crawl, { topN: 100 });
      await jobs.fetch(crawl, { batch: batch!, parse: true });
      await jobs.updatedb(crawl, { batch: batch! });
      expect((await crawl.page(urlOf(2), ['status']))?.status).toBe('unfetched');
      const { counters } = await jobs.index(crawl);
      expect(counters).toMatchObject({ batches: 1 });
      expect(counters.removed ?? 0).toBe(0);
      expect(writer.changes.slice(applied)).not.toContainEqual({ type: 'remove', key: keyOf(urlOf(2)) });
      expect((await jobs.index(crawl, { all: true })).counters).not.toHaveProperty('removed');
      expect(foundIn(writer)).toEqual(before);
      expect((await crawl.page(urlOf(2), ['marks']))?.marks?.index).toBeDefined();
    }
    web.set(urlOf(2), { html: '<title>two</title>' });
    await again();
    expect(foundIn(writer)).toEqual(before);
    web.set(urlOf(2), undefined);
    await again();
    expect([...writer.documents.keys()]).toContain(keyOf(urlOf(1)));
  });

  test('is found if the canonical page is rejected by an index filter, or is empty', async () => {
    const picky: Plugin = { name: 'picky', indexFilter: ({ title }) => title !== 'two' };
    for (const [html, plugins] of [
      ['<title>two</title><p>text</p>', [picky]],
      ['<html></html>', []],
    ] as const) {
      const web = fakeWeb({ [HOME]: links('/p1', '/p2'), [urlOf(1)]: canonical(2), [urlOf(2)]: html });
      const writer = memoryWriter();
      await using crawl = await testCrawl(web, { plugins: [...plugins, writing(writer)] });
      await jobs.inject(crawl, { seeds: [HOME] });
      await rounds(crawl, 100);
      await jobs.index(crawl);
      expect([...writer.documents.keys()].sort()).toEqual([HOME, urlOf(1)].map(keyOf).sort());
    }
  });

  test('drops records of its earlier canonicals at the next comparison, and the last one after its removal', async () => {
    const { web, crawl } = await crawled({ [urlOf(1)]: canonical(2), [urlOf(2)]: '<title>two</title>' });
    await using _ = crawl;
    const entered = async (): Promise<unknown[]> => {
      const all: unknown[] = [];
      for await (const step of crawl.tables.canonicals.all()) all.push(...step);
      return all;
    };
    const one = keyOf(urlOf(1));
    for (let n = 3; n < 7; n++) {
      web.set(urlOf(1), canonical(n));
      crawl.setTime(crawl.clock() + 3 * MONTHS);
      await rounds(crawl, 100);
      await jobs.index(crawl);
    }
    const named = (n: number): unknown[] => [{ canonical: keyOf(urlOf(n)) }, { canonical: keyOf(urlOf(n)), page: one }];
    expect(await entered()).toEqual([2, 3, 4, 5, 6].flatMap(named));
    await jobs.index(crawl, { all: true });
    expect(await entered()).toEqual(named(6));
    await jobs.remove(crawl, { prefix: urlOf(1) });
    await jobs.index(crawl, { all: true });
    expect(await entered()).toEqual([]);
  });

  test('is only checked when the canonical page changes, not each time that this is fetched', async () => {
    const { web, crawl, writer } = await crawled({ [urlOf(1)]: canonical(2), [urlOf(2)]: '<title>two</title>' });
    await using _ = crawl;
    crawl.setTime(crawl.clock() + MONTHS);
    web.set(urlOf(2), { html: '<title>two again</title>' });
    await rounds(crawl, 100);
    const { applied } = writer;
    await jobs.index(crawl);
    const removed = writer.changes.slice(applied).filter(({ type }) => type === 'remove');
    // Only by its own batch.
    expect(removed).toEqual([{ type: 'remove', key: keyOf(urlOf(1)) }]);
  });
});

/** A random new state of a page. */
function anyPage(random: () => number, step: number): FakePage | undefined {
  const other = Math.floor(random() * COUNT);
  const kind = random();
  if (kind < 0.4) return canonical(other, String(step));
  if (kind < 0.65) return { html: `<title>page ${step}</title>` };
  if (kind < 0.75) return { html: '<title>hidden</title><meta name="robots" content="noindex">' };
  if (kind < 0.85) return { location: urlOf(other) };
  if (kind < 0.9) return { status: 503 };
  return undefined;
}

/** Indexes, and sometimes is stopped or fails. */
async function indexSomehow(crawl: TestCrawl, writer: MemoryWriter, random: () => number): Promise<void> {
  const kind = random();
  const stop = new AbortController();
  const steps = Math.floor(random() * 4);
  if (kind < 0.2) writer.failAfter(steps);
  const original = crawl.tables.pages.getMany;
  if (kind > 0.8) {
    let left = 1 + 2 * steps;
    crawl.tables.pages.getMany = ((...args: Parameters<typeof original>) => {
      if ((left -= 1) === 0) stop.abort();
      return original(...args);
    }) as typeof original;
  }
  try {
    await jobs.index(crawl, { all: random() < 0.1, signal: stop.signal });
  } catch (error) {
    if (kind >= 0.2) throw error;
  } finally {
    crawl.tables.pages.getMany = original;
    writer.failAfter(Infinity);
  }
}

async function history(seed: number): Promise<void> {
  const random = randomNumbers(seed);
  const all = Array.from({ length: COUNT }, (_, n) => n);
  const web: FakeWeb = fakeWeb({ [HOME]: links(...all.map((n) => `/p${n}`)) });
  for (const n of all) web.set(urlOf(n), anyPage(random, 0));
  const store = new MemoryStore();
  const writer = memoryWriter();
  await using crawl = await testCrawl(web, { store, plugins: [writing(writer)] });
  await jobs.inject(crawl, { seeds: [HOME] });
  for (let step = 1; step <= 8; step++) {
    await rounds(crawl, 1 + Math.floor(random() * 6), 1 + Math.floor(random() * 6));
    if (random() < 0.6) await indexSomehow(crawl, writer, random);
    if (random() < 0.1) await jobs.remove(crawl, { prefix: urlOf(Math.floor(random() * COUNT)) });
    crawl.setTime(START + step * 3 * MONTHS);
    for (const n of all) if (random() < 0.3) web.set(urlOf(n), anyPage(random, step));
    await postpone(
      crawl,
      all.map((n) => keyOf(urlOf(n))).filter(() => random() < 0.7),
    );
    if (random() >= 0.2) continue;
    // A fetched batch stays as it is while other batches continue.
    const { batchId: batch } = await jobs.generate(crawl, { topN: 3 });
    if (batch !== undefined) await jobs.fetch(crawl, { batch, parse: true });
    await indexSomehow(crawl, writer, random);
    if (batch !== undefined) await jobs.updatedb(crawl, { batch });
  }
  await jobs.index(crawl);
  expect(foundIn(writer), `seed ${seed}`).toEqual(await foundInFull(store));
}

test('with random additions, removals, redirects and canonicals, indexing in steps equals indexing at once', async () => {
  for (let seed = 1; seed <= runs(8, 40); seed++) await history(seed);
});
