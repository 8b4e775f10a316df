import { expect, test } from 'vitest';
import { jobs, rules } from '../../../packages/webcrawl/internal.js';
import { testCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links, type FakePage } from '../../support/web/fake-web.js';

const SITE = 'http://www.example.com';
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const day = (i: number): string => `/by-day/2026/${1 + Math.floor(i / 28)}/${1 + (i % 28)}/`;

/** The days or months to which one links: the next one, and one that is ten ahead, so that a crawl takes few rounds. */
const next = (i: number): number[] => [i + 1, Math.min(i + 10, 100)];

/**
 * A site of stories: sorted lists with session ids, a calendar, and days. Some stories are only on lists, others also on
 * days, or only there if `onlyWay`.
 */
function site(onlyWay: boolean): Record<string, FakePage | string> {
  const pages: Record<string, FakePage | string> = {};
  const stories = numbers(60).map((i) => `/story/${'abcdef'[i % 6]}${'uvwxyzrstq'[Math.floor(i / 6)]}`);
  const [ofLists, ofDays] = [stories.slice(0, 12), stories.slice(12)];
  const lists = ofLists.map((_, i) => `/list/${'abcdefghijkl'[i]}`);
  const orders = ['up', 'down', 'new', 'old', 'near'];
  const ids = numbers(6).map((i) => `a1b2c3d4e5f6a7b8${i}f${i}`);
  pages[`${SITE}/`] = links(...lists, day(0), '/month/1', ...(onlyWay ? [] : ofDays));
  for (const path of stories) pages[SITE + path] = `${path} ${links('/')}`;
  for (const [i, path] of lists.entries()) {
    pages[SITE + path] = links(
      ...orders.map((order) => `${path}?by=${order}`),
      ...ids.map((id) => `${path}?visit=${id}`),
      ofLists[i]!,
    );
    for (const order of orders) pages[`${SITE}${path}?by=${order}`] = `${order} ${links(path, ofLists[i]!)}`;
    for (const id of ids) pages[`${SITE}${path}?visit=${id}`] = pages[SITE + path]!;
  }
  for (const i of numbers(100)) {
    pages[SITE + day(i)] = `day ${i} ${links(...next(i).map(day), ofDays[i % 48]!)}`;
    pages[`${SITE}/month/${i}`] = `month ${i} ${links(...next(i).map((n) => `/month/${n}`))}`;
  }
  return pages;
}

test.each([false, true])(
  'a site is reduced to what is relevant, and days are rejected only if there is another way: %s',
  async (onlyWay) => {
    const useful = { kind: 'relevant', pattern: { prefix: '/story/' } } as const;
    const seeds = [`${SITE}/`];
    await using crawl = await testCrawl(fakeWeb(site(onlyWay)));
    await rules.add(crawl, useful);
    await jobs.crawl(crawl, { seeds });
    const { proposals } = await rules.propose(crawl);
    const said = proposals
      .map(({ rule, reason }) => `${reason} ${'pattern' in rule ? Object.values(rule.pattern).join() : ''}`)
      .join('\n');
    expect(said).toContain('facet ^[^?]*\\?(?:.*[&;])?by(?:[=&;]|$)');
    expect(said).toContain('session ^[^?]*\\?(?:.*[&;])?visit(?:[=&;]|$)');
    expect(said).toContain('/month/');
    expect(said).not.toContain('prefix /list/');
    expect(said.includes('/by-day/')).toBe(!onlyWay);

    const web = fakeWeb(site(onlyWay));
    await using focused = await testCrawl(web);
    await rules.add(focused, [useful, ...proposals.map(({ rule }) => rule)]);
    await jobs.crawl(focused, { seeds });
    const stories = Object.keys(site(onlyWay)).filter((url) => url.startsWith(`${SITE}/story/`));
    expect(stories.filter((url) => !web.requests.includes(url))).toEqual([]);
    // The front page, the lists, the stories, and the days.
    expect(web.requests).toHaveLength(1 + 12 + 60 + (onlyWay ? 101 : 0));
  },
);
