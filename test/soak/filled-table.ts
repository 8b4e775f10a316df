import { jobs, rowKeyOf, type OpenContext, type PageChange } from '../../packages/webcrawl/internal.js';
import { archivedPage } from '../support/export/archive-table.js';
import { toVersion7 } from '../support/versions/version-7.js';
import { randomNumbers } from '../support/web/fake-web.js';

const PAGES = 1200;
const HOSTS = 30;
const DUE = Date.UTC(2026, 0, 5, 9);

/**
 * Fills a table with pages to export, rank and compare: with bodies, links, redirects and duplicates. The same seed gives the
 * same table.
 */
export async function fillTable(crawl: OpenContext, seed: number): Promise<void> {
  const random = randomNumbers(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const url = (n: number): string => `https://h${n % HOSTS}.example.com/${n}`;
  const words = (count: number): string =>
    Array.from({ length: count }, () => random().toString(36).slice(2, 8)).join(' ');
  const texts: string[] = [];

  /** A new text, or the text of an earlier page with up to two more words. */
  const text = (): string => {
    const earlier = below(3) === 0 ? texts[below(texts.length)] : undefined;
    texts.push(earlier === undefined ? words(60 + below(200)) : `${earlier} ${words(below(3))}`);
    return texts.at(-1)!;
  };

  const page = (n: number): PageChange => {
    const kind = random();
    if (kind < 0.05) return row(n, { status: 'redir_perm', redirectTarget: url(below(PAGES)) });
    if (kind < 0.1) return row(n, { status: 'gone' });
    if (kind < 0.2) return row(n, { status: 'unfetched' });
    const outlinks = Array.from({ length: below(9) }, () => ({
      url: url(Math.floor(random() ** 2 * PAGES)),
      anchor: 'a',
    }));
    const content = text();
    const half = content.length / 2;
    const html = `<title>Page ${n}</title><main><h1>One</h1><p>${content.slice(0, half)}<h2>Two</h2><p>${content.slice(half)}</main>`;
    const signature = `${content.length}:${content.slice(0, 20)}`;
    return archivedPage(url(n), html, { set: { title: `Page ${n}`, text: content, signature, outlinks } });
  };
  const row = (n: number, set: PageChange['set']): PageChange => ({
    key: rowKeyOf(url(n)),
    set: { dueAt: DUE, ...set },
  });
  await crawl.tables.pages.write(Array.from({ length: PAGES }, (_, n) => page(n)));
  // repair writes the indexes; the rows were written without them.
  await jobs.repair(crawl);
}

/** The same table in schema version 7. */
export async function fillOldTable(crawl: OpenContext, seed: number): Promise<void> {
  await fillTable(crawl, seed);
  await toVersion7(crawl.tables.store);
}
