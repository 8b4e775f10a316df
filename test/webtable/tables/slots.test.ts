import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, openTables } from '../../../packages/webcrawl/internal.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { start } from '../../support/job-steps.js';
import { allRows, testCrawl } from '../../support/test-crawl.js';

describe('the slots of a table', () => {
  it.each([1, 16, 256, 257, 4097])('may be %i, which the table keeps, and jobs end in the same rows', async (count) => {
    const pages = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`http://h${i % 7}.com/${i}`, { html: links(`/${i}/next`) }]),
    );
    const run = async (store: MemoryStore) => {
      const crawl = await testCrawl(fakeWeb(pages));
      await using mine = { ...crawl, tables: await openTables(store), [Symbol.asyncDispose]: crawl.close };
      const batch = await start(mine, ...Object.keys(pages));
      expect((await jobs.fetch(mine, { batch, parse: true })).counters).toMatchObject({ fetched: 30, success: 30 });
      expect((await jobs.updatedb(mine, { batch })).counters).toMatchObject({ fetched: 30, links: 30, added: 30 });
      expect((await jobs.repair(mine)).counters).toEqual({ rows: 60 });
      expect((await jobs.generate(mine)).counters).toEqual({ generated: 30 });
    };
    const rowsOf = async (store: MemoryStore) => {
      await using crawl = await testCrawl(undefined, { store });
      return (await allRows(crawl)).map(({ marks: _, ...row }) => row);
    };

    const store = new MemoryStore();
    const made = await openTables(store, { slots: count });
    expect(made.slots.all).toHaveLength(count);
    expect(new Set(made.slots.all.map((slot) => slot.length))).toEqual(
      new Set([count > 4096 ? 4 : count > 256 ? 3 : 2]),
    );
    expect((await openTables(store)).slots.all).toEqual(made.slots.all);
    expect((await openTables(store, { slots: 7 })).slots.all).toEqual(made.slots.all);
    await run(store);

    const plain = new MemoryStore();
    await run(plain);
    expect(await rowsOf(store)).toEqual(await rowsOf(plain));
  });

  it.each([0, 65_537, 1.5, Number.NaN])('cannot be %d', async (slots) => {
    const store = new MemoryStore();
    await expect(openTables(store, { slots })).rejects.toMatchObject({ code: 'BAD_SETTING' });
    // Nothing was written.
    expect((await openTables(store, { slots: 3 })).slots.all).toEqual(['00', '01', '02']);
  });
});
