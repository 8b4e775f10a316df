import { rowKeyOf, type PageChange } from '../../packages/webcrawl/index.js';
import { mix } from './made-page.js';

/** What a table of the benchmark `export` holds. */
export interface ExportPlan {
  readonly hosts: number;
  readonly rowsPerHost: number;
}

const TIME = 1_800_000_000_000;
const WORDS =
  'tide gauge harbour chart sounding moon spring neap current level water station mean error 潮汐 港口'.split(' ');
const LINKS = 5;
const TEXT_WORDS = 60;

/** The rows, in order of their keys: fetched pages with a title, some 400 characters of text and five links. */
export function* exportRows({ hosts, rowsPerHost }: ExportPlan): Generator<PageChange> {
  for (let host = 0; host < hosts; host++) {
    const name = `www.h${String(host).padStart(6, '0')}.example`;
    for (let row = 0; row < rowsPerHost; row++) {
      const random = mix(host, row);
      const url = (n: number): string => `https://${name}/${String(n).padStart(6, '0')}`;
      const words = Array.from({ length: TEXT_WORDS }, (_, i) => WORDS[mix(random, i) % WORDS.length]!);
      yield {
        key: rowKeyOf(url(row)),
        set: {
          status: 'fetched',
          dueAt: TIME + random,
          fetchedAt: TIME - random,
          fetchInterval: 2_592_000,
          retries: 0,
          score: (random % 10_000) / 10_000,
          distance: random % 9,
          signature: random.toString(16).padStart(32, '0'),
          contentType: 'text/html',
          protocolStatus: { code: 'success', http: 200 },
          title: words.slice(0, 4).join(' '),
          text: words.join(' '),
          outlinks: Array.from({ length: LINKS }, (_, i) => ({
            url: url(mix(random, i, 1) % rowsPerHost),
            anchor: words[i]!,
          })),
        },
        marks: { updatedb: `${TIME / 1000}-1` },
      };
    }
  }
}
