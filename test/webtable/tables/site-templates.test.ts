import { expect, test } from 'vitest';
import { MemoryStore, openTables, sitesOfPage, type StoredSite } from '../../../webtable/index.js';
import { TimedStore } from '../../support/stores/timed-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';

const stored = (number: number): StoredSite => ({
  rule: 1,
  number,
  learnedAt: 5,
  readerBegan: 4,
  sample: [],
  template: {},
});

test.each([
  ['com.a:http/', 'com.a:http/', undefined],
  ['com.a:https:8443/x?y=/z/', 'com.a:https:8443/', undefined],
  ['com.a:http/docs', 'com.a:http/', undefined],
  ['com.a:http/docs/', 'com.a:http/', 'com.a:http/docs/'],
  ['com.a:http/docs/b/c?d', 'com.a:http/', 'com.a:http/docs/'],
  ['[::1]:http//x', '[::1]:http/', '[::1]:http//'],
])('%s belongs to its origin and its first folder', (key, origin, folder) => {
  expect(sitesOfPage(key)).toEqual(folder === undefined ? { origin } : { origin, folder });
});

test('the template of a folder goes before that of its origin, unless it was removed', async () => {
  const { siteTemplates } = await openTables(new MemoryStore());
  await siteTemplates.change('com.a:http/', () => stored(1));
  await siteTemplates.change('com.a:http/docs/', () => stored(2));
  expect((await siteTemplates.ofPage('com.a:http/docs/b'))?.stored.number).toBe(2);
  expect((await siteTemplates.ofPage('com.a:http/b/c'))?.stored.number).toBe(1);
  expect(await siteTemplates.ofPage('com.b:http/b/c')).toBeUndefined();
  const { template: _, ...removed } = stored(3);
  await siteTemplates.change('com.a:http/docs/', () => removed);
  expect((await siteTemplates.ofPage('com.a:http/docs/b'))?.stored.number).toBe(1);
});

test('processes that change a template at the same time never lower its number', async () => {
  const store = new TimedStore(randomNumbers(1), { refused: 0.2 });
  const tables = await openTables(store);
  const others = await openTables(store.forProcess());
  const raise = (now: StoredSite | undefined) => stored((now?.number ?? 0) + 1);
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 ? tables : others).siteTemplates.change('com.a:http/', raise)),
  );
  expect((await tables.siteTemplates.get('com.a:http/'))?.number).toBe(20);
});
