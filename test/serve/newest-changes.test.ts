import { expect, test } from 'vitest';
import { logPlaces, readChanges } from '../../packages/changes/index.js';
import { createNewestChanges } from '../../packages/serve/changes/newest-changes.js';
import type { ChangesSource } from '../../packages/serve/index.js';
import { madeUrl, writeChanges } from '../support/made-changes.js';
import { START, testCrawl } from '../support/test-crawl.js';

test('all changes come once, over the pages, the newest first; a page does not read all changes of one time', async () => {
  await using crawl = await testCrawl(undefined);
  const names = Array.from({ length: 5_000 }, (_, i) => String(i).padStart(4, '0'));
  await writeChanges(crawl, names, { at: START - 1 });
  await writeChanges(crawl, ['a', 'b'], { at: START });
  let read = 0;
  const source: ChangesSource = {
    read(options) {
      const found = readChanges(crawl, options);
      return {
        ...found,
        async *[Symbol.asyncIterator]() {
          for await (const record of found) {
            read++;
            yield record;
          }
        },
      };
    },
    places: (cursor) => logPlaces(crawl, cursor),
    tableId: () => crawl.tables.id(),
  };
  const newest = createNewestChanges(source);
  const { signal } = new AbortController();
  const all = ['b', 'a', ...names.toReversed()].map(madeUrl);
  const urls: string[] = [];
  let before: string | undefined;
  do {
    const { records, older } = await newest(
      { filter: {}, limit: 100, ...(before !== undefined && { before }) },
      signal,
    );
    urls.push(...records.map((record) => (record.type === 'page' ? record.url : '')));
    before = older;
  } while (before !== undefined);
  expect(urls).toEqual(all);
  // One pass, and then some hundred changes for each of 51 pages.
  expect(read).toBeLessThan(6_000 + 51 * 700);

  await writeChanges(crawl, ['c'], { at: START + 1 });
  read = 0;
  const { records } = await newest({ filter: {}, limit: 2 }, signal);
  expect(records.map((record) => record.type === 'page' && record.url)).toEqual([madeUrl('c'), madeUrl('b')]);
  expect(read).toBeLessThan(1_100);
});
