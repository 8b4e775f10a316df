import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openContext, rowKeyOf, type OpenContext, type PageChange } from '../../../packages/webcrawl/internal.js';

const T = Date.UTC(2026, 0, 5, 9);
const HTML = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\nServer: x\r\n';

/** A page for an archive. */
export function archivedPage(url: string, body: string | Uint8Array, more: Partial<PageChange> = {}): PageChange {
  const record = { kind: 'response', url, date: T, head: HTML, body: Buffer.from(body) } as const;
  return {
    key: rowKeyOf(url),
    record,
    ...more,
    set: { status: 'fetched', dueAt: 2 * T, fetchedAt: T, protocolStatus: { code: 'success', http: 200 }, ...more.set },
  };
}

/** The URLs of {@link fillArchive} whose bodies are in an archive. */
export const ARCHIVED = [
  'http://www.example.com/',
  'http://www.example.com/A/?b=2&a=1',
  'http://www.example.com/%E6%97%A5%E6%9C%AC/',
  'http://example.com:8080/logo.png',
  'https://sub.example.com/cut',
  'https://sub.example.com/same',
  'https://sub.example.com/script.js?SID=0123456789abcdef0123456789abcdef&x',
];

/** URLs of {@link fillArchive} for which an archive has an answer without a body. */
export const ANSWERED = ['http://example.org/gone', 'http://example.org/moved'];

/**
 * Fills a table with rows of every kind: with links and without, with odd headers, truncated, unchanged, with two versions, without a body,
 * lost, moved, gone.
 */
export async function fillArchive(crawl: OpenContext): Promise<void> {
  const outlinks = ARCHIVED.map((url) => ({ url, anchor: 'a\r\nb' }));
  const [home, query, japanese, logo, cut, same, script] = ARCHIVED as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const page = (url: string, body: string, set: PageChange['set'] = {}): PageChange => archivedPage(url, body, { set });
  await crawl.tables.pages.write([
    page(home, `<title>Home</title>${'<p>text '.repeat(2000)}`, { title: 'Home\r\nX: y', language: 'en', outlinks }),
    page(query, '<title>Q</title>', { title: 'Q' }),
    page(japanese, '<title>日本</title>日本', { title: '日本 𠀋', outlinks: outlinks.slice(0, 1) }),
    {
      ...page(logo, ''),
      record: {
        kind: 'response',
        url: logo,
        date: T + 1,
        contentType: 'image/png',
        body: Buffer.from([0, 1, 2, 255, 13, 10]),
      },
    },
    {
      ...page(cut, ''),
      record: {
        kind: 'response',
        url: cut,
        date: T + 2,
        head: 'HTTP/1.1 200 \r\ncontent-type:  TEXT/Plain;x\r\nX-Caf\u00e9: \u00e9\r\n',
        body: Buffer.from('half'),
        truncated: 'length',
      },
    },
    page(same, 'unchanged'),
    {
      ...page(script, ''),
      record: {
        kind: 'response',
        url: script,
        date: T + 3,
        head: 'HTTP/1.1 404 Not Found\r\n',
        body: Buffer.from('1'),
      },
    },
    page('http://example.org/lost', 'lost', {}),
    { key: rowKeyOf('http://example.org/unfetched'), set: { status: 'unfetched', dueAt: T } },
    answered('http://example.org/gone', { status: 'gone', protocolStatus: { code: 'not_found', http: 404 } }),
    answered('http://example.org/moved', {
      status: 'redir_perm',
      protocolStatus: { code: 'moved', http: 301 },
      redirectTarget: home,
    }),
    answered('http://example.org/moved-far', { status: 'redir_perm', protocolStatus: { code: 'moved', http: 301 } }),
    answered('http://example.org/robots', { status: 'gone', protocolStatus: { code: 'robots_denied' } }),
  ]);
  // Requested again, and answered with 304.
  await crawl.tables.pages.write([
    {
      key: rowKeyOf(same),
      set: { status: 'notmodified', fetchedAt: T + 86_400_000, protocolStatus: { code: 'notmodified', http: 304 } },
    },
  ]);
  // Fetched again, with the first answer kept.
  const first = await crawl.tables.pages.get(rowKeyOf(query), ['contentLocation']);
  const record = { kind: 'response', url: query, date: T + 9000, head: HTML, body: Buffer.from('second') } as const;
  await crawl.tables.pages.write([
    { key: rowKeyOf(query), record, set: { contentVersions: [first!.contentLocation!] } },
  ]);
  const lost = await crawl.tables.pages.get(rowKeyOf('http://example.org/lost'), ['contentLocation']);
  const gone = { ...lost!.contentLocation!, segment: '20000101000000-00000000' };
  await crawl.tables.pages.write([{ key: rowKeyOf('http://example.org/lost'), set: { contentLocation: gone } }]);
}

function answered(url: string, set: PageChange['set']): PageChange {
  return { key: rowKeyOf(url), set: { dueAt: 2 * T, fetchedAt: T + 4000, ...set } };
}

/** The counters of an export of {@link fillArchive}. */
export const ARCHIVE_COUNTERS = {
  damaged: 0,
  lost_body: 1,
  metadata: 3,
  answers: 2,
  no_body: 3,
  pages: 9,
  responses: 8,
  revisits: 1,
} as const;

/** Runs a task with a folder that is removed afterwards, and a table in it. */
export async function withTable<T>(task: (crawl: OpenContext, folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-archive-'));
  let now = T;
  // The clock advances by a second at each call, so that progress is reported for every group of rows.
  const clock = (): number => (now += 1000);
  const crawl = await openContext({ table: join(folder, 'table'), serve: false, clock });
  try {
    return await task(crawl, folder);
  } finally {
    await crawl.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files of a folder by name, without the manifest, which contains the time. */
export async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).filter((name) => name !== 'manifest.json').sort();
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}
