import { rowKeyOf, type Outlink, type PageChange } from '../../packages/webcrawl/internal.js';
import type { Tables } from '../../webtable/index.js';
import type { TableKind } from './cached-table.js';
import { fillTable } from './fill-table.js';
import { mix } from './made-page.js';

interface ExportPlan {
  readonly hosts: number;
  readonly rowsPerHost: number;
  readonly bodyEvery: number;
}

interface ExportRow {
  readonly change: PageChange;
  readonly body?: { readonly url: string; readonly date: number; readonly html: string };
}

/** A table without due rows, so without a frontier. */
export const EXPORT_TABLE: TableKind<ExportPlan> = { name: 'export', module: import.meta.url, load: loadExportTable };

export function loadExportTable({ directory, plan }: { directory: string; plan: ExportPlan }): Promise<void> {
  return fillTable(directory, exportRows(plan), writeRows);
}

async function writeRows(tables: Tables, rows: readonly ExportRow[]): Promise<void> {
  const bodies = rows.flatMap(({ body }) => (body ? [body] : []));
  const places = await tables.content.append(
    bodies.map(({ url, date, html }) => ({ kind: 'response', url, date, head: HEAD, body: Buffer.from(html) })),
  );
  let next = 0;
  const changes = rows.map(({ change, body }): PageChange => {
    return body ? { ...change, set: { ...change.set, contentLocation: places[next++]! } } : change;
  });
  await tables.pages.write(changes);
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n';
const TIME = 1_800_000_000_000;
const WORDS =
  'tide gauge harbour chart sounding moon spring neap current level water station mean error 潮汐 港口'.split(' ');
const LINKS = 5;
const TEXT_WORDS = 60;

const SENTENCES = Array.from({ length: 1000 }, (_, sentence) =>
  Array.from({ length: 15 }, (_, i) => WORDS[mix(sentence, i, 2) % WORDS.length]!).join(' '),
);
const BODY_SENTENCES = 48;
const SECTION = 8;

/** The rows in key order: fetched pages with a title, some 400 characters of text and five links. */
function* exportRows({ hosts, rowsPerHost, bodyEvery }: ExportPlan): Generator<ExportRow> {
  for (let host = 0; host < hosts; host++) {
    const name = `www.h${String(host).padStart(6, '0')}.example`;
    for (let row = 0; row < rowsPerHost; row++) {
      const random = mix(host, row);
      const url = (n: number): string => `https://${name}/${String(n).padStart(6, '0')}`;
      const words = Array.from({ length: TEXT_WORDS }, (_, i) => WORDS[mix(random, i) % WORDS.length]!);
      const title = words.slice(0, 4).join(' ');
      const outlinks = Array.from({ length: LINKS }, (_, i) => ({
        url: url(mix(random, i, 1) % rowsPerHost),
        anchor: words[i]!,
      }));
      const date = TIME - random;
      const change: PageChange = {
        key: rowKeyOf(url(row)),
        set: {
          status: 'fetched',
          dueAt: TIME + random,
          fetchedAt: date,
          fetchInterval: 2_592_000,
          retries: 0,
          score: (random % 10_000) / 10_000,
          distance: random % 9,
          signature: random.toString(16).padStart(32, '0'),
          contentType: 'text/html',
          protocolStatus: { code: 'success', http: 200 },
          title,
          text: words.join(' '),
          outlinks,
        },
        marks: { updatedb: `${TIME / 1000}-1` },
      };
      if (row % bodyEvery !== 0) yield { change };
      else yield { change, body: { url: url(row), date, html: htmlOf(random, title, outlinks) } };
    }
  }
}

function htmlOf(random: number, title: string, links: readonly Outlink[]): string {
  const sentence = (n: number): string => SENTENCES[mix(random, n, 3) % SENTENCES.length]!;
  const parts = [
    `<!DOCTYPE html><html lang="en"><head><title>${title}</title></head><body><nav><ul>`,
    ...links.map(({ url, anchor }) => `<li><a href="${url}">${anchor}</a></li>`),
    `</ul></nav><main><h1>${title}</h1>`,
  ];
  for (let n = 0; n < BODY_SENTENCES; n++) {
    if (n % SECTION === 0) parts.push(`<h2>${sentence(n + 100)}</h2>`);
    parts.push(`<p>${sentence(n)}.</p>`);
  }
  parts.push('<table><tr><th>station</th><th>level</th></tr>');
  for (let n = 0; n < SECTION; n++) parts.push(`<tr><td>${n}</td><td>${mix(random, n, 4) % 1000}</td></tr>`);
  parts.push(`</table><pre><code>${sentence(200)}\n${sentence(201)}</code></pre></main></body></html>\n`);
  return parts.join('');
}
