import { createHash } from 'node:crypto';
import { rowKeyOf, type Page, type PageChange } from '../../../webtable/index.js';
import { randomNumbers } from '../web/fake-web.js';
import { linksOf, type SectionedWeb } from '../web/sectioned-web.js';

/** Of so many URLs that are known the next one is chosen. */
const CHOICE = 20;

/**
 * The rows of a table after a crawl of a made-up web, without the crawl: it takes a tenth of the time. A test holds it to a crawl.
 * @param pages that were fetched; of the others that are known there are rows, too
 * @param seed another one fetches other pages first
 */
export function knownRows(web: SectionedWeb, pages = Infinity, seed = 1): PageChange[] {
  const random = randomNumbers(seed);
  const known = new Map<string, Partial<Page>>();
  const waiting: string[] = [];
  const add = (url: string): void => {
    if (known.has(url)) return;
    known.set(url, { status: 'unfetched', dueAt: 0 });
    waiting.push(url);
  };
  web.seeds.forEach(add);
  for (let fetched = 0; fetched < pages && waiting.length > 0; fetched++) {
    const at = Math.floor(random() * Math.min(CHOICE, waiting.length));
    const [url] = waiting.splice(at, 1);
    known.set(url!, { dueAt: 0, ...fetchedPage(web, url!) });
    linksOf(web.pages[url!]).forEach(add);
  }
  return Array.from(known, ([url, set]) => ({
    key: rowKeyOf(url),
    set,
    ...(web.seeds.includes(url) && { marks: { inject: 'y' } }),
  }));
}

function fetchedPage({ pages }: SectionedWeb, url: string): Partial<Page> {
  const page = pages[url];
  if (!page) return { status: 'gone' };
  if (page.location !== undefined) {
    return { status: page.status === 301 ? 'redir_perm' : 'redir_temp', redirectTarget: page.location };
  }
  return {
    status: 'fetched',
    signature: createHash('md5').update(page.html!).digest('hex'),
    parseStatus: { code: 'success' },
    outlinks: linksOf(page).map((target) => ({ url: target, anchor: '' })),
  };
}
