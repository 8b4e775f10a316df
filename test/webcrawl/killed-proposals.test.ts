import { beforeAll, expect, test } from 'vitest';
import { jobs, MemoryStore, rules, type OpenContext } from '../../packages/webcrawl/internal.js';
import { copyStore } from '../support/stores/copy-store.js';
import { FailingStore, PlannedFailure } from '../support/stores/failing-store.js';
import { testCrawl } from '../support/test-crawl.js';
import { fakeWeb, links } from '../support/web/fake-web.js';

const HOST = 'http://a.example';
const SECTIONS = ['news', 'tag', 'forum', 'old'];
const SIZE = 15;
const settings = { 'propose.minRelevant': 1 };

/** Sections of a few pages. A page links to the next page of its section, to a page of another section, and to an old page. */
function site(): Record<string, string> {
  const pages: Record<string, string> = { [`${HOST}/`]: links(...SECTIONS.map((section) => `/${section}/0`)) };
  for (const [s, section] of SECTIONS.entries()) {
    for (let i = 0; i < SIZE; i++) {
      const next = `/${SECTIONS[(s + 1) % SECTIONS.length]!}/${(i * 7) % SIZE}`;
      pages[`${HOST}/${section}/${i}`] = links(`/${section}/${i + 1}`, next, `/old/${i}`);
    }
  }
  return pages;
}

const made = new MemoryStore();
beforeAll(async () => {
  const crawl = await testCrawl(fakeWeb(site()), { store: made });
  await rules.add(crawl, { kind: 'relevant', pattern: { prefix: '/news/1' } });
  await jobs.crawl(crawl, { seeds: [`${HOST}/`] });
});

async function outcome(store: MemoryStore) {
  const crawl = await testCrawl(undefined, { store });
  const { proposals } = (await rules.proposals(crawl))!;
  const listed = (await rules.list(crawl)).rules.map((rule) => ({ ...rule, createdAt: 0, changedAt: 0 }));
  expect((await jobs.repair(crawl)).counters).not.toHaveProperty('missing_frontier');
  return { proposals, listed };
}

test.each([
  ['propose', (crawl: OpenContext) => rules.propose(crawl, { apply: true }), false],
  ['applyProposals', (crawl: OpenContext) => rules.applyProposals(crawl, {}), true],
])(
  '%s that dies at any write and runs again ends with the same rules as without a failure',
  async (_, act, isProposed) => {
    const copy = async (): Promise<MemoryStore> => {
      const store = await copyStore(made);
      if (isProposed) await rules.propose(await testCrawl(undefined, { store, settings }), {});
      return store;
    };
    const undisturbed = await copy();
    const counting = new FailingStore(undisturbed);
    await act(await testCrawl(undefined, { store: counting, settings }));
    const expected = await outcome(undisturbed);
    expect(expected.proposals).toEqual([]);
    expect(expected.listed.filter(({ origin }) => origin === 'generated').length).toBeGreaterThan(1);
    expect(counting.writes).toBeGreaterThan(1);
    for (let write = 1; write <= counting.writes; write++) {
      const store = await copy();
      const dying = await testCrawl(undefined, { store: new FailingStore(store, write), settings });
      await expect(act(dying), `write ${write}`).rejects.toThrow(PlannedFailure);
      await act(await testCrawl(undefined, { store, settings }));
      expect(await outcome(store), `write ${write}`).toEqual(expected);
    }
  },
);
