import { createHash } from 'node:crypto';
import { rowKeyOf, type OpenContext, type PageChange } from '../../../packages/webcrawl/internal.js';
import { archivedPage } from './archive-table.js';

const url = (n: number): string => `http://${['a', 'b', 'c'][n % 3]}.example/${n}`;
const targets = (n: number): number[] =>
  [...new Set([(n * 7) % 40, (n * n) % 40, n + 1])].filter((t) => t !== n && t < 40);

/** Forty rows: every fourth without a body, one whose body is lost, one that redirects, a link to itself and one to nowhere. */
export async function fillKrake(crawl: OpenContext): Promise<void> {
  const changes: PageChange[] = [];
  for (let n = 0; n < 40; n++) {
    const outlinks = [...targets(n).map(url), url(n), 'http://nowhere.example/'].map((each) => ({
      url: each,
      anchor: '',
    }));
    const key = rowKeyOf(url(n));
    if (n === 4) changes.push({ key, set: { status: 'redir_perm', dueAt: 1, redirectTarget: url(5) } });
    else if (n % 4 === 0) changes.push({ key, set: { status: 'gone', dueAt: 1, outlinks } });
    else changes.push(archivedPage(url(n), `source ${n} `.repeat(n * 50), { set: { outlinks } }));
  }
  await crawl.tables.pages.write(changes);
  const key = rowKeyOf(url(7));
  const row = await crawl.tables.pages.get(key, ['contentLocation']);
  await crawl.tables.pages.write([
    { key, set: { contentLocation: { ...row!.contentLocation!, segment: '20000101000000-00000000' } } },
  ]);
}

/** The expected content, by node: its URL, key, source and the URLs of its links. */
export function expectedKrake() {
  const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');
  const outlinksOf = (n: number): number[] => (n === 4 ? [5] : targets(n));
  const all = Array.from({ length: 40 }, (_, n) => n).sort((a, b) => (sha1(url(a)) < sha1(url(b)) ? -1 : 1));
  const idOf = new Map(all.map((n, id) => [n, id]));
  const ids = (numbers: readonly number[]): number[] => numbers.map((n) => idOf.get(n)!).sort((a, b) => a - b);
  return all.map((n) => ({
    url: url(n),
    key: sha1(url(n)),
    source: n % 4 === 0 || n === 7 ? undefined : `source ${n} `.repeat(n * 50),
    inlinks: ids(all.filter((from) => outlinksOf(from).includes(n))),
    outlinks: ids(outlinksOf(n)),
  }));
}
