import { describe, expect, test } from 'vitest';
import { MemoryStore, explain, jobs, rules, type Crawl, type Store } from '../../../packages/webcrawl/index.js';
import { hostKeyOf } from '../../../webtable/index.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { allRows, testCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links, type FakeWeb } from '../../support/web/fake-web.js';

const SITE = 'http://a.com';
const HOST = hostKeyOf('a.com');
const SETTINGS = { 'scoring.fit.explore': 1 };
const LISTS = 6;

/** Lists one after the other, each with a list beside it that is not there, and six stories of its own; all stories link to the newest ones. */
function newsWeb(): FakeWeb {
  const pages: Record<string, string> = { [`${SITE}/robots`]: '' };
  const stories = (list: number): string[] => [1, 2, 3, 4, 5, 6].map((n) => `${SITE}/story/${10 * list + n}`);
  for (let i = 0; i < LISTS; i++) {
    pages[`${SITE}/list/${'abcdef'[i]}`] = links(
      ...[`/list/${'bcdefg'[i]}`, `/list/more-${'bcdefg'[i]}`],
      ...stories(i),
      ...stories(0),
    );
    for (const story of stories(i)) pages[story] = links(...stories(0));
  }
  return fakeWeb(pages);
}

const USEFUL = { kind: 'useful', pattern: { prefix: '/story/' } } as const;

async function rounds(crawl: Crawl, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await jobs.crawl(crawl, { seeds: i === 0 ? [`${SITE}/list/a`] : [], rounds: 1 });
}

const explored = async (crawl: Crawl): Promise<unknown[]> =>
  (await allRows(crawl)).filter(({ fit, fitBonus }) => fit === false && fitBonus !== undefined);

describe('where pages led', () => {
  test('is counted by the form of their URLs, each useful page for the first page that leads to it', async () => {
    await using crawl = await testCrawl(newsWeb(), { settings: SETTINGS });
    await rules.add(crawl, USEFUL);
    await rounds(crawl, 1);
    expect(await crawl.tables.hosts.leads.get([HOST])).toMatchObject([{ useful: [0, 0] }]);
    const [first] = await crawl.tables.hosts.leads.get([HOST]);
    expect(Object.values(first!.forms)).toEqual([[1, 6]]);
    await rounds(crawl, 1);
    const [second] = await crawl.tables.hosts.leads.get([HOST]);
    // Six stories that led to nothing new, the next list, and one that is not there.
    expect(second!.useful).toEqual([6, 0]);
    expect(Object.values(second!.forms).sort()).toEqual([
      [3, 12],
      [6, 0],
    ]);
    // Of batches that are closed no note is kept but the last.
    expect(Object.keys(second!.upTo)).toHaveLength(1);
  });

  test('pages like those that led to several have the score of useful ones, until they are fetched', async () => {
    await using crawl = await testCrawl(newsWeb(), { settings: SETTINGS });
    await rules.add(crawl, USEFUL);
    await rounds(crawl, 2);
    const before = await explored(crawl);
    expect(before).not.toEqual([]);
    expect(before).toMatchObject(before.map(() => ({ status: 'unfetched', fitBonus: 10 })));
    const [{ url, score }] = before as [{ url: string; score: number }];
    expect(score).toBeGreaterThan(10);
    expect((await explain(crawl, url)).page).toMatchObject({ fit: false, isExplored: true, fitBonus: 10 });
    await rounds(crawl, 1);
    expect(await crawl.page(url, ['status', 'fit', 'fitBonus', 'score'])).toMatchObject({ fit: false });
    const after = await crawl.page(url, ['status', 'fitBonus', 'score']);
    expect(after?.status).not.toBe('unfetched');
    expect(after?.fitBonus).toBeUndefined();
    expect(after?.score).toBeLessThan(10);
    expect((await explain(crawl, url)).page).not.toHaveProperty('isExplored');
  });

  test('rules apply decides it of all pages, and takes it from all where it is turned off', async () => {
    const store = new MemoryStore();
    await using crawl = await testCrawl(newsWeb(), { store, settings: SETTINGS });
    await rules.add(crawl, USEFUL);
    await rounds(crawl, 2);
    const rows = await allRows(crawl);
    for (const explore of [0, 1]) {
      const settings = { 'scoring.fit.explore': explore };
      await using other = await testCrawl(undefined, { store: await copyStore(store), settings });
      await rules.apply(other);
      const found = await explored(other);
      if (explore === 0) expect(found).toEqual([]);
      else
        expect(found.length).toBeGreaterThanOrEqual(
          rows.filter(({ fit, fitBonus }) => fit === false && fitBonus).length,
        );
      await rules.apply(other);
      expect(await explored(other)).toEqual(found);
    }
  });

  test.each([
    ['no rule says what is useful', false, 1],
    ['it is turned off', true, 0],
  ])('where %s, nothing is noted and nothing more is read', async (_, hasRule, explore) => {
    const store = new MemoryStore();
    const asked: string[] = [];
    const watched: Store = new Proxy<Store>(store, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          asked.push(JSON.stringify(given, (_, each: unknown) => (each instanceof Map ? [...each] : each)));
          return (value as (...given: unknown[]) => unknown).apply(target, given);
        };
      },
    });
    await using crawl = await testCrawl(newsWeb(), { store: watched, settings: { 'scoring.fit.explore': explore } });
    if (hasRule) await rules.add(crawl, USEFUL);
    await rounds(crawl, 3);
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((call) => call.includes('h:le') || call.includes('/first'))).toEqual([]);
    if (!hasRule) expect(asked.filter((call) => call.includes('m:fb'))).toEqual([]);
    expect(await crawl.tables.hosts.leads.get([HOST])).toEqual([undefined]);
  });
});
