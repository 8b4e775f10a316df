import { openContext, rowKeyOf, type Outlink, type PageChange } from '../../packages/webcrawl/internal.js';
import { START } from '../support/test-crawl.js';
import { randomNumbers } from '../support/web/fake-web.js';
import { changeRows } from '../support/stores/put-rows.js';

/** Texts that formats and their readers may handle badly. */
const HARD = [
  'plain words',
  'a "quoted", text; with\ttabs',
  'two\nlines\r\nand a third\r',
  '标题 и заголовок 🕷️',
  'line\u2028separator \u0000 nul \u0001',
  '=SUM(A1:A9)',
  '  spaces around  ',
  '',
  'back\\slash "\\" \'single\'',
];

/** The pages of a generated table: of 40 hosts, fetched or not, with texts that are hard to write. Always the same. */
export function madePages(count: number): PageChange[] {
  const random = randomNumbers(7);
  const below = (n: number): number => Math.floor(random() * n);
  return Array.from({ length: count }, (_, i) => {
    const host = `h${below(40)}.${['example.com', 'example.org', 'xn--fiqs8s', '10.0.0.1'][below(4)]!}`;
    const url = `http://${host.endsWith('10.0.0.1') ? '10.0.0.1' : host}/${i}`;
    const links: Outlink[] = Array.from({ length: below(5) }, (_, n) => ({
      url: `${url}/${n}`,
      anchor: HARD[below(9)]!,
    }));
    const fetched = below(3) > 0;
    return {
      key: rowKeyOf(url),
      set: {
        status: fetched ? 'fetched' : 'unfetched',
        dueAt: START + below(1e9),
        score: random(),
        distance: below(9),
        ...(fetched && {
          fetchedAt: START + i,
          title: HARD[below(9)]!,
          text: Array.from({ length: below(40) }, () => HARD[below(9)]!).join(' '),
          outlinks: links,
          metadata: { 'a key': HARD[below(9)]! },
        }),
      },
    };
  });
}

/** Creates a table of {@link madePages} on the disk. */
export async function makeTable(directory: string, count: number): Promise<void> {
  await using crawl = await openContext({ table: `level:${directory}` });
  const pages = madePages(count);
  for (let at = 0; at < pages.length; at += 500) await changeRows(crawl, pages.slice(at, at + 500));
}
