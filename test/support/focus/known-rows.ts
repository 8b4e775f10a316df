import { createHash } from 'node:crypto';
import { rowKeyOf, type Page, type PageChange } from '../../../webtable/index.js';
import { randomNumbers } from '../web/fake-web.js';
import { linksOf, type SectionedWeb } from '../web/sectioned-web.js';

/** The next page is chosen among this number of known URLs. */
const CHOICE = 20;

/**
 * The rows of a table after a crawl of a made-up web, without the crawl: this takes a tenth of the time. A test compares it with a real
 * crawl.
 * @param pages number of fetched pages; other known pages have rows, too
 * @param seed another seed fetches other pages first
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
