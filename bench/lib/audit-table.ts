import { encodeFacts, idHash, NO_FACTS, type LinkFact } from '../../packages/audit/facts/facts.js';
import { rowKeyOf, type PageChange } from '../../packages/webcrawl/internal.js';
import type { TableKind } from './cached-table.js';
import { fillTable } from './fill-table.js';
import { mix } from './made-page.js';

interface AuditPlan {
  readonly hosts: number;
  readonly rowsPerHost: number;
}

/** A table without due rows, so without a frontier. */
export const AUDIT_TABLE: TableKind<AuditPlan> = { name: 'audit', module: import.meta.url, load: loadAuditTable };

export function loadAuditTable({ directory, plan }: { directory: string; plan: AuditPlan }): Promise<void> {
  return fillTable(directory, auditRows(plan), (tables, chunk) => tables.pages.write(chunk));
}

const TIME = 1_800_000_000_000;
const LINKS = { min: 10, range: 38 };
const IDS = 20;
const GONE_OR_REDIRECT_EVERY = 50;
const LOST_FRAGMENT_EVERY = 500;
const SHARED_TITLE_EVERY = 20;

/** The rows in key order: pages with the facts that an audit reads, pages that are not there, and redirects. */
function* auditRows({ hosts, rowsPerHost }: AuditPlan): Generator<PageChange> {
  for (let host = 0; host < hosts; host++) {
    const url = (row: number): string =>
      `https://www.h${String(host).padStart(6, '0')}.example/manual/chapter-${String(row).padStart(6, '0')}.html`;
    for (let row = 0; row < rowsPerHost; row++) {
      const random = mix(host, row);
      const linked = (i: number): string => url(mix(random, i, 1) % rowsPerHost);
      const known = { fetchedAt: TIME - random, distance: row === 0 ? 0 : 3, dueAt: TIME + random };
      yield { key: rowKeyOf(url(row)), set: { ...known, ...statusOf(row === 0, random, linked) } };
    }
  }
}

function statusOf(isFirst: boolean, random: number, linked: (i: number) => string): PageChange['set'] {
  const lot = isFirst ? undefined : random % GONE_OR_REDIRECT_EVERY;
  if (lot === 0) return { status: 'gone', protocolStatus: { code: 'notfound', http: 404 } };
  if (lot === 1)
    return { status: 'redir_perm', redirectTarget: linked(0), protocolStatus: { code: 'moved', http: 301 } };
  const count = LINKS.min + (random % LINKS.range);
  const urls = Array.from({ length: count }, (_, i) => linked(i));
  return page(random, urls);
}

function page(random: number, urls: readonly string[]): PageChange['set'] {
  const title = `Chapter ${random % SHARED_TITLE_EVERY === 0 ? 'of many' : random}`;
  const places = [...new Set(urls)];
  const links = places.map((_, to): LinkFact => {
    const lot = mix(random, to, 2);
    const fragment = lot % 2 === 0 ? '' : lot % LOST_FRAGMENT_EVERY === 1 ? `lost-${lot}` : `section-${lot % IDS}`;
    return { to, kind: 0, line: 10 + to, fragment, anchor: '', rel: 0 };
  });
  const ids = Uint32Array.from({ length: IDS }, (_, i) => idHash(`section-${i}`));
  return {
    status: 'fetched',
    signature: random.toString(16).padStart(32, '0'),
    contentType: 'text/html',
    protocolStatus: { code: 'success', http: 200 },
    parseStatus: { code: 'success' },
    title,
    outlinks: places.map((url, place) => ({ url, anchor: `chapter ${place} of the manual` })),
    custom: {
      audit: encodeFacts({
        ...NO_FACTS,
        ids,
        links,
        titles: 1,
        h1: title,
        headings: '1223',
        words: 400,
        simhash: [random, random],
      }),
    },
  };
}
