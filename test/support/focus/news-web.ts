import { jobs, MemoryStore, rules } from '../../../packages/webcrawl/internal.js';
import { copyStore } from '../stores/copy-store.js';
import { testCrawl, type TestCrawl } from '../test-crawl.js';
import { fakeWeb, links } from '../web/fake-web.js';

export const SITE = 'http://www.example.com';
export const SETTINGS = { 'propose.minRelevant': 3 };
export const USEFUL = { kind: 'relevant', pattern: { prefix: '/news/' } } as const;
const NEWS = Array.from({ length: 6 }, (_, i) => `/news/${i}`);

/**
 * News linked from the front page, tags that link to each other, and an archive with the only links to old news. A page is a few links away
 * from the front page, so that a crawl takes few rounds.
 */
export function newsWeb(): Record<string, string> {
  const pages: Record<string, string> = {};
  const tags = Array.from({ length: 20 }, (_, i) => `/tag/${i}`);
  const archive = Array.from({ length: 15 }, (_, i) => `/archive/${i}`);
  pages[`${SITE}/`] = links(...NEWS, '/tag/0', '/archive/0');
  for (const path of NEWS) pages[SITE + path] = links('/', '/tag/0');
  tags.forEach((path, i) => (pages[SITE + path] = links(...next(tags, i), NEWS[i % 6]!)));
  archive.forEach(
    (path, i) => (pages[SITE + path] = links('/', ...next(archive, i), ...(i === 3 ? ['/news/old'] : []))),
  );
  pages[`${SITE}/news/old`] = links('/');
  return pages;
}

/** The pages to which page number `i` of a list links. */
const next = (paths: readonly string[], i: number): readonly string[] => paths.slice(4 * i + 1, 4 * i + 5);

/** Tables of the news web that was crawled, by the seeds. */
const crawledStores = new Map<string, Promise<MemoryStore>>();

/** Crawls the news web to its end, with news as relevant pages. It is crawled once for each list of seeds: others get a copy of that table. */
export async function crawledNews({ seeds = [`${SITE}/`], settings = {} } = {}): Promise<TestCrawl> {
  const id = seeds.join(' ');
  if (!crawledStores.has(id)) {
    const store = new MemoryStore();
    crawledStores.set(
      id,
      crawlAsNews(newsWeb(), seeds, store).then(() => store),
    );
  }
  const store = await copyStore((await crawledStores.get(id))!);
  return testCrawl(fakeWeb(newsWeb()), { store, settings: { ...SETTINGS, ...settings } });
}

/** Crawls a web to its end, with news as relevant pages. */
export async function crawlAsNews(
  web: Record<string, string>,
  seeds: readonly string[] = [`${SITE}/`],
  store = new MemoryStore(),
): Promise<TestCrawl> {
  const crawl = await testCrawl(fakeWeb(web), { store, settings: SETTINGS });
  await rules.add(crawl, USEFUL);
  await jobs.crawl(crawl, { seeds, stay: 'any' });
  return crawl;
}
