/**
 * The output of `changes` for manuals of Debian after a script has changed some of their pages: each in one of the ways that
 * `changes` names, or in one that does not count. The table has also rows of other hosts: 20,000, or WEBCRAWL_ROWS_BESIDE. A
 * part of the manuals is crawled; all of them with WEBCRAWL_ALL_MANUALS.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MANUAL_FOLDER, manualFiles } from '../../bench/lib/manual-pages.js';
import {
  CHANGE_KINDS,
  changes,
  jobs,
  mark,
  openLevelStore,
  type ChangesSummary,
  type LoggedRecord,
} from '../../packages/webcrawl/internal.js';
import { suiteFolder } from '../support/files/temp-folder.js';
import { countingStore, type CountingStore } from '../support/stores/counting-store.js';
import { putRows } from '../support/stores/put-rows.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { serveChanging, type ChangedAnswer, type ChangingSite } from '../support/web/changing-site.js';

const DAY = 86_400_000;
const MINUTE = 60_000;
const ROWS_BESIDE = Number(process.env['WEBCRAWL_ROWS_BESIDE'] ?? 20_000);
const ROWS_AT_ONCE = 5000;
const ROWS_OF_A_HOST = 1000;
/**
 * A time after the last crawl of this test. A row that is due more than `db.fetchIntervalMax` (90 days) ahead is due at once.
 */
const DUE_AFTER_ALL = 85 * DAY;
/** These manuals have enough pages for a crawl of a few minutes. */
const SMALL =
  /^(?:debian-reference|developers-reference|doc\/(?:debian\/FAQ|debian-policy|maint-guide|aptitude|debian-handbook\/html\/(?:en|ja)))/;
const PAGES_OF_A_WAY = 3;

/** A paragraph of plain text, long enough that each way can change something. */
const PARAGRAPH = /<p(?: [^>]*)?>([^<\d]{80,})<\/p>/gi;
const atHead = (html: string, text: string): string => html.replace(/<\/head>/i, (end) => text + end);
const atEnd = (html: string, text: string): string => html.replace(/<\/body>/i, (end) => text + end);
const paragraphs = (html: string): string[] => [...new Set([...html.matchAll(PARAGRAPH)].map(([, text = '']) => text))];

/** A way to change a page. Kinds are in alphabetical order; none: an empty text. */
interface Way {
  /** The page before the change. Absent: the page of the manual. */
  readonly first?: (html: string) => string;
  readonly then: (html: string) => ChangedAnswer;
  /** The output of `changes` after the change. */
  readonly found: string;
  /** The output after a second fetch a day later, which finds the page unchanged since the first. */
  readonly foundLater?: string;
  /** The output when the page is again as it was at first. */
  readonly foundAtLast: string;
}

const way = (found: string, then: Way['then'], others: Partial<Way> = {}): Way => ({
  then,
  found,
  foundAtLast: found,
  ...others,
});
/** A part of a page that differs between fetches and is not content. */
const noise = (of: (html: string, text: string) => string, one: string, other: string): Way =>
  way('bytes', (html) => ({ html: of(html, other) }), { first: (html) => of(html, one) });

let target: string;

const WAYS: Readonly<Record<string, Way>> = {
  content: way('content', (html) => ({
    html: html.replace(paragraphs(html)[0]!, (text) => `${text} And one more sentence.`),
  })),
  word: way('content', (html) => ({
    html: html.replace(paragraphs(html)[1]!, (text) => text.replace(/\p{L}+/u, 'Otherword')),
  })),
  moved: way('reordered', (html) => {
    const [one = '', two = ''] = paragraphs(html);
    return {
      html: html
        .replace(one, () => '\0')
        .replace(two, () => one)
        .replace('\0', () => two),
    };
  }),
  title: way('title', (html) => ({ html: html.replace(/(<title[^>]*>)[^<]*/i, '$1Another title') })),
  description: way('description', (html) => ({
    html: atHead(html, '<meta name="description" content="A new description.">'),
  })),
  canonical: way('canonical', (html) => ({ html: atHead(html, `<link rel="canonical" href="/${target}">`) })),
  noindex: way('noindex', (html) => ({ html: atHead(html, '<meta name="robots" content="noindex">') })),
  links: way('links', (html) => ({ html: atEnd(html, `<p><a href="/${target}?more=1">More</a></p>`) })),
  externalLinks: way('links', (html) => ({
    html: atEnd(html, '<p><a href="http://elsewhere.example/">Elsewhere</a></p>'),
  })),
  titleAndContent: way('content,title', (html) => ({
    html: WAYS['title']!.then(WAYS['content']!.then(html).html!).html!,
  })),
  redirect: way('redirect', () => ({ status: 301, location: `/${target}` })),
  movedForNow: way('redirect', () => ({ status: 302, location: `/${target}` })),
  gone: way('gone', () => ({ status: 410 }), { foundAtLast: 'back' }),
  missing: way('status', () => ({ status: 404 }), { foundLater: 'gone', foundAtLast: 'back' }),
  failing: way('', () => ({ status: 500 }), { foundLater: 'status', foundAtLast: 'status' }),
  forbidden: way('', () => ({ status: 403 }), { foundLater: 'status', foundAtLast: 'status' }),
  shell: way('', () => ({ html: '<!DOCTYPE html><title>Wait</title><p>Checking your browser.' }), {
    foundLater: 'content,links,title',
    foundAtLast: 'content,links,title',
  }),
  stamp: noise(atEnd, '<!-- built 1700000001 -->', '<!-- built 1800000002 -->'),
  generator: noise(
    atHead,
    '<meta name="generator" content="maker 1.0">',
    '<meta name="generator" content="maker 1.1">',
  ),
  navigation: noise(atEnd, '<nav>Home Contents Search</nav>', '<nav>Home Contents Search Blog News</nav>'),
  footer: noise(atEnd, '<footer>Copyright 2024 by us</footer>', '<footer>Copyright 2025 by us and others</footer>'),
  token: noise(atEnd, '<p>Request 7f3c9a1be2d4405f8a61c7</p>', '<p>Request 0b8e2d71fa6943c5be90d2</p>'),
  updated: noise(atEnd, '<p>Last updated: 3 May 2026</p>', '<p>Last updated: 14 June 2026</p>'),
  ago: noise(atEnd, '<p>Posted 2 hours ago by the editor</p>', '<p>Posted 3 days ago by the editor</p>'),
  counter: noise(atEnd, '<p>12 comments</p>', '<p>1,340 comments</p>'),
  script: noise(atEnd, '<script>var nonce="abc";</script>', '<script>var nonce="def";</script>'),
};

let site: ChangingSite;
let crawl: TestCrawl;
let store: CountingStore;
let pages: readonly string[];
/** The pages of each way, by its name. */
const changed = new Map<string, string[]>();
const folder = suiteFolder();

beforeAll(async () => {
  const all = (await manualFiles()).map(({ path }) => path);
  pages = process.env['WEBCRAWL_ALL_MANUALS'] === undefined ? all.filter((path) => SMALL.test(path)) : all;
  site = await serveChanging(MANUAL_FOLDER, pages);
  await choosePages();
  store = countingStore(await openLevelStore(join(folder, 'table')));
  crawl = await testCrawl(undefined, { store, settings: { 'fetcher.threadsPerQueue': 8 } });
}, 5 * MINUTE);

afterAll(async () => {
  await crawl?.[Symbol.asyncDispose]();
  await site?.close();
});

/** Chooses pages all over the manuals that have what the ways change, and assigns them to the ways. */
async function choosePages(): Promise<void> {
  const names = Object.keys(WAYS);
  const wanted = names.length * PAGES_OF_A_WAY + 1;
  const step = Math.max(1, Math.floor(pages.length / (8 * wanted)));
  const able: string[] = [];
  const rest = pages.filter((_, i) => i % step === 0);
  // Alternates between both ends of the list, so that the pages are from several manuals and languages.
  for (let i = 0; i < rest.length; i++) {
    const path = rest[(i * 7919) % rest.length]!;
    if (able.length < wanted && !able.includes(path) && (await isAble(path))) able.push(path);
  }
  expect(able.length, 'too few pages with what the ways change').toBe(wanted);
  target = able.pop()!;
  for (const [i, path] of able.entries()) {
    const name = names[i % names.length]!;
    changed.set(name, [...(changed.get(name) ?? []), path]);
  }
}

async function isAble(path: string): Promise<boolean> {
  const html = await readFile(join(MANUAL_FOLDER, path), 'utf8');
  const has = (pattern: RegExp): boolean => pattern.test(html);
  return (
    has(/<title/i) &&
    has(/<\/head>/i) &&
    has(/<\/body>/i) &&
    !has(/name="?(?:description|robots)|rel="?canonical|http-equiv="?refresh/i) &&
    paragraphs(html).length >= 2
  );
}

/** Serves the pages of all ways before or after their change, and updates the sitemap and the start page. */
async function setPages(as: 'first' | 'then', added: readonly string[] = []): Promise<void> {
  const { answers, url } = site;
  for (const [name, paths] of changed) {
    for (const path of paths) {
      const { first, then } = WAYS[name]!;
      const html = await readFile(join(MANUAL_FOLDER, path), 'utf8');
      answers.set(path, as === 'then' ? then(html) : { html: first ? first(html) : html });
    }
  }
  const listed = pages.map((path) => `<url><loc>${new URL(encodeURI(path), url).href}</loc></url>`).join('\n');
  answers.set('robots.txt', { html: `User-agent: *\nDisallow:\nSitemap: ${url}sitemap.xml\n` });
  answers.set('sitemap.xml', {
    html: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${listed}</urlset>`,
  });
  const links = added.map((path) => `<p><a href="/${path}">${path}</a>`).join('');
  answers.set('', { html: `<!DOCTYPE html><title>Manuals</title><p>The manuals, as a site map lists them.${links}` });
  for (const path of added) answers.set(path, { html: '<!DOCTYPE html><title>Added</title><p>A page that was added.' });
}

/** The expected lines: `kinds path`. */
function expected(of: (way: Way) => string | undefined): string[] {
  const lines = [...changed].flatMap(([name, paths]) => paths.map((path) => [of(WAYS[name]!), path] as const));
  return lines.flatMap(([found, path]) => (found === undefined || found === '' ? [] : [`${found} ${path}`]));
}

interface Found {
  readonly lines: string[];
  readonly summary: ChangesSummary;
  /** The number of rows that were read, by table. */
  readonly read: Readonly<Record<string, number>>;
}

async function found(since: string): Promise<Found> {
  const before = { ...store.rowsRead };
  const records: LoggedRecord[] = [];
  const all = changes(crawl, { since, kinds: CHANGE_KINDS });
  for await (const record of all) records.push(record);
  const summary = await all.summary();
  const read = Object.fromEntries(
    Object.entries(store.rowsRead).map(([table, rows]) => [table, rows - (before[table] ?? 0)]),
  );
  const lines = records.map((record) =>
    record.type === 'page'
      ? `${[...record.kinds].sort().join()} ${decodeURI(record.url.replace(site.url, ''))}`
      : `host ${record.host} ${record.failing}`,
  );
  return { lines: lines.sort(), summary, read };
}

/** Crawls what is due at a time, and compares the output of `changes` since then with the expected lines. */
async function nextCrawl(name: string, days: number, lines: readonly string[]): Promise<Found> {
  await mark(crawl, name);
  crawl.setTime(START + days * DAY);
  const requests = site.requests;
  const began = performance.now();
  await jobs.crawl(crawl, { seeds: [site.url], refetch: true });
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const all = await found(name);
  console.log(
    `changes since ${name}: ${all.lines.length}, of ${site.requests - requests} requests in ${seconds} s; rows read ${JSON.stringify(all.read)}`,
  );
  expect(all.lines).toEqual([...lines].sort());
  const inBytesOnly = all.lines.filter((line) => line.startsWith('bytes ')).length;
  const usual = changes(crawl, { since: name });
  let listed = 0;
  for await (const _record of usual) listed += 1;
  expect(listed).toBe(all.lines.length - inBytesOnly);
  expect(await usual.summary()).toMatchObject({ bytesOnly: inBytesOnly });
  // The entries, and a few rows about the end of the log. Each due page costs an entry of the frontier.
  const rowsRead = Object.values(all.read).reduce((sum, rows) => sum + rows, 0);
  const due = all.summary.because.reduce((sum, { pages: n = 0 }) => sum + n, 0);
  expect(all.read['webpage'] ?? 0).toBe(0);
  expect(rowsRead).toBeLessThanOrEqual(all.lines.length + due + 20);
  return all;
}

it(
  'lists exactly the pages that a script has changed, at a cost that depends on what has changed',
  async () => {
    for (let from = 0; from < ROWS_BESIDE; from += ROWS_AT_ONCE) {
      const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, ROWS_BESIDE - from) }, (_, i) => ({
        url: `http://host${Math.floor((from + i) / ROWS_OF_A_HOST)}.example/page/${from + i}`,
        status: 'fetched' as const,
        dueAt: START + DUE_AFTER_ALL,
      }));
      await putRows(crawl, rows);
    }
    await setPages('first');
    const began = performance.now();
    await jobs.crawl(crawl, { seeds: [site.url] });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const baseline = await changes(crawl, { since: START }).summary();
    console.log(
      `changes: ${pages.length} pages crawled in ${seconds} s, ${ROWS_BESIDE} rows beside, baseline ${baseline.baseline}`,
    );
    expect(baseline.baseline).toBeGreaterThanOrEqual(pages.length);
    expect(baseline.because).toEqual([]);

    const added = ['added/one.html', 'added/two.html'];
    await setPages('then', added);
    const first = await nextCrawl('changed', 40, [
      ...expected((each) => each.found),
      'links ',
      ...added.map((path) => `new ${path}`),
    ]);
    expect(first.summary).toMatchObject({ baseline: 0 });

    const second = await nextCrawl(
      'a-day-later',
      41.1,
      expected((each) => each.foundLater),
    );

    await setPages('first');
    for (const path of added) site.answers.delete(path);
    const third = await nextCrawl('as-before', 80, [
      ...expected((each) => each.foundAtLast),
      'links ',
      ...added.map((path) => `status ${path}`),
    ]);

    await nextCrawl(
      'nothing',
      82,
      added.map((path) => `gone ${path}`),
    );
    const kinds = [first, second, third].flatMap(({ lines }) =>
      lines.flatMap((line) => line.split(' ')[0]!.split(',')),
    );
    expect(new Set(kinds)).toEqual(new Set(CHANGE_KINDS));
  },
  60 * MINUTE,
);
