import { expect, test } from 'vitest';
import { logPlaces, readChanges } from '../../packages/changes/index.js';
import { MAX_READ, createNewestChanges } from '../../packages/serve/changes/newest-changes.js';
import type { ChangesSource } from '../../packages/serve/index.js';
import { madeUrl, writeChanges } from '../support/made-changes.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';

const HOUR = 3_600_000;

/** A source that counts the records that are read. */
function countingSource(crawl: TestCrawl) {
  const counted = { read: 0 };
  const source: ChangesSource = {
    read(options) {
      const found = readChanges(crawl, options);
      return {
        ...found,
        async *[Symbol.asyncIterator]() {
          for await (const record of found) {
            counted.read++;
            yield record;
          }
        },
      };
    },
    diff: () => Promise.resolve(undefined),
    places: (cursor) => logPlaces(crawl, cursor),
    tableId: () => crawl.tables.id(),
  };
  return { source, counted };
}

test('a filter that finds little reads a limited part of the log for each page, and finds all of it over the pages', async () => {
  await using crawl = await testCrawl(undefined);
  await writeChanges(crawl, ['old'], { at: START - 50 * HOUR, kinds: ['gone'] });
  for (let i = 0; i < 3; i++) {
    const names = Array.from({ length: MAX_READ }, (_, n) => `${i}-${n}`);
    await writeChanges(crawl, names, { at: START - (3 - i) * HOUR, kinds: i === 1 ? ['bytes'] : ['content'] });
  }
  await writeChanges(crawl, ['last'], { at: START - 1, kinds: ['gone'] });
  const { source, counted } = countingSource(crawl);
  const newest = createNewestChanges(source);
  const { signal } = new AbortController();
  for (let pass = 0; pass < 2; pass++) {
    const urls: string[] = [];
    let bytesOnly = 0;
    let before: string | undefined;
    do {
      counted.read = 0;
      const asked = { filter: pass === 0 ? { kinds: ['gone'] as const } : {}, limit: pass === 0 ? 1 : MAX_READ };
      const page = await newest({ ...asked, ...(before !== undefined && { before }) }, signal);
      urls.push(...page.records.flatMap((record) => (record.type === 'page' ? [record.url] : [])));
      bytesOnly += page.bytesOnly;
      before = page.older;
      expect(counted.read).toBeLessThanOrEqual(2 * MAX_READ + 2);
    } while (before !== undefined);
    if (pass === 0) expect([urls, bytesOnly]).toEqual([['last', 'old'].map(madeUrl), 0]);
    else expect([new Set(urls).size, urls.length, bytesOnly]).toEqual([2 * MAX_READ + 2, 2 * MAX_READ + 2, MAX_READ]);
  }
});

test('all changes come once, over the pages, the newest first; a page does not read all changes of one time', async () => {
  await using crawl = await testCrawl(undefined);
  const names = Array.from({ length: 5_000 }, (_, i) => String(i).padStart(4, '0'));
  await writeChanges(crawl, names, { at: START - 1 });
  await writeChanges(crawl, ['a', 'b'], { at: START });
  const { source, counted } = countingSource(crawl);
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
  expect(counted.read).toBeLessThan(6_000 + 51 * 700);

  await writeChanges(crawl, ['c'], { at: START + 1 });
  counted.read = 0;
  const { records } = await newest({ filter: {}, limit: 2 }, signal);
  expect(records.map((record) => record.type === 'page' && record.url)).toEqual([madeUrl('c'), madeUrl('b')]);
  expect(counted.read).toBeLessThan(1_100);
});
