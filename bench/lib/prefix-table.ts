import { rowKeyOf, type PageChange, type Status } from '../../packages/webcrawl/index.js';
import { mix } from './made-page.js';

/** What a table of the benchmark `statistics` holds. */
export interface PrefixPlan {
  readonly hosts: number;
  readonly rowsPerHost: number;
}

const TIME = 1_800_000_000_000;
const SECTIONS = ['news', 'sport', 'culture', 'economy', 'science'];
const STATUS: readonly Status[] = ['fetched', 'fetched', 'fetched', 'unfetched', 'gone'];

/** Paths as news sites have them: articles by section and day, tags, lists with parameters, a calendar. */
function pathOf(host: number, row: number): string {
  const random = mix(host, row);
  const section = SECTIONS[random % SECTIONS.length]!;
  const [year, month, day] = [2020 + (random % 6), 1 + ((random >> 3) % 12), 1 + ((random >> 7) % 28)];
  switch ((random >> 12) % 8) {
    case 0:
      return `/tag/${section}-${random % 50}/${row}`;
    case 1:
      return `/${section}/list?page=${row}&sort=${random % 4}`;
    case 2:
      return `/shop/item-${row}?color=${random % 9}&size=${random % 5}&session=${random.toString(16)}`;
    case 3:
      return `/calendar/${year}/${month}/${day}/${row}`;
    default:
      return `/${section}/${year}/${month}/article-${row}.html`;
  }
}

/** The rows, one host after the other; of the hot family alone, as pages have it that were fetched. */
export function* prefixRows({ hosts, rowsPerHost }: PrefixPlan): Generator<PageChange> {
  for (let host = 0; host < hosts; host++) {
    const name = `www.h${String(host).padStart(6, '0')}.example`;
    for (let row = 0; row < rowsPerHost; row++) {
      const random = mix(host, row, 1);
      const status = STATUS[random % STATUS.length]!;
      const isFetched = status === 'fetched';
      yield {
        key: rowKeyOf(`https://${name}${pathOf(host, row)}`),
        set: {
          status,
          dueAt: TIME + random,
          fetchInterval: 2_592_000,
          retries: random % 20 === 0 ? 1 : 0,
          score: (random % 10_000) / 10_000,
          distance: random % 9,
          cash: 0,
          fit: random % 3 === 0,
          ...(status !== 'unfetched' && {
            fetchedAt: TIME - random,
            protocolStatus: { code: isFetched ? 'success' : 'not_found', http: isFetched ? 200 : 404 },
            fetchMs: random % 2000,
          }),
          ...(isFetched && {
            signature: random.toString(16).padStart(32, '0'),
            contentType: 'text/html',
            parseStatus: { code: 'success', charset: 'utf-8' },
            contentAt: { segment: '20270115-000001', offset: random % 1e9, length: 20_000 + (random % 50_000) },
            bodyBytes: 20_000 + (random % 50_000),
            ...(random % 10 === 0 && { duplicateOf: `https://${name}/` }),
          }),
        },
        marks: { updatedb: `${TIME / 1000}-1` },
      };
    }
  }
}
