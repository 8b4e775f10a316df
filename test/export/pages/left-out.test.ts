import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  exportChunks,
  exportPages,
  jobs,
  mark,
  rowKeyOf,
  type ExportPagesOptions,
  type Report,
} from '../../../packages/webcrawl/internal.js';
import { round } from '../../support/job-steps.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { testFolder } from '../../support/files/temp-folder.js';

const HOUR = 3_600_000;
const SITE = 'http://a.com';
const NAMES = ['', 'gone', 'moved', 'noindex', 'twin', 'waits'];

let folder: string;
beforeEach(() => void (folder = testFolder()));

const page = (text: string): string => `<title>${text}</title><p>${text}</p>`;

/** Pages that existed once, each with a body, in different present states. */
async function lateCrawl(): Promise<TestCrawl> {
  const web = fakeWeb({
    [`${SITE}/`]: page('home'),
    ...Object.fromEntries(NAMES.slice(1, 5).map((name) => [`${SITE}/${name}`, page(name)])),
  });
  const crawl = await testCrawl(web);
  await jobs.inject(crawl, { seeds: NAMES.slice(0, 5).map((name) => `${SITE}/${name}`) });
  await round(crawl);
  web.set(`${SITE}/gone`, undefined);
  web.set(`${SITE}/moved`, { location: '/' });
  web.set(`${SITE}/noindex`, { html: `<meta name="robots" content="noindex">${page('noindex')}` });
  crawl.setTime(START + 9000 * HOUR);
  await round(crawl);
  await crawl.tables.pages.write([{ key: rowKeyOf(`${SITE}/twin`), set: { duplicateOf: `${SITE}/` } }]);
  await jobs.inject(crawl, { seeds: [`${SITE}/waits`] });
  return crawl;
}

async function exported(crawl: TestCrawl, write: typeof exportPages | typeof exportChunks, options: object) {
  const output = join(folder, 'out.jsonl');
  const report = await (write as (crawl: TestCrawl, options: object) => Promise<Report>)(crawl, {
    output,
    force: true,
    ...options,
  });
  const text = await readFile(output, 'utf8');
  const lines = text === '' ? [] : text.trimEnd().split('\n');
  const pages = lines.map((line) => JSON.parse(line) as { url: string; removed?: string });
  return { counters: report.counters, names: pages.map(({ url }) => new URL(url).pathname.slice(1)), pages };
}

describe('an export for readers', () => {
  it.each([
    ['pages', exportPages],
    ['chunks', exportChunks],
  ] as const)('of %s leaves out pages that are gone, noindex or duplicates, and counts them', async (_, write) => {
    await using crawl = await lateCrawl();
    const { names, counters } = await exported(crawl, write, {});
    expect(names).toEqual(['']);
    expect(counters).toMatchObject({ rows: 1, not_there: 3, noindex: 1, duplicate: 1 });
    // A waiting page has no body, and so no chunk.
    const all = write === exportPages ? NAMES : NAMES.slice(0, 5);
    expect((await exported(crawl, write, { all: true })).names).toEqual(all);
    // A selection of rows without a page exports them.
    expect((await exported(crawl, write, { status: 'gone' })).names).toEqual(['gone']);
    expect((await exported(crawl, write, { code: '301' })).names).toEqual(['moved']);
    expect((await exported(crawl, write, { status: ['fetched', 'gone'] })).names).toEqual(['', 'gone']);
  });

  it('lists what has left a copy of the pages since a time, and why, in every format', async () => {
    await using crawl = await lateCrawl();
    await crawl.tables.pages.write([{ key: rowKeyOf(`${SITE}/twin`), set: { duplicateAt: START + 9000 * HOUR } }]);
    const { pages, counters } = await exported(crawl, exportPages, { since: START + HOUR, fields: ['title'] });
    expect(pages.map(({ url, removed }) => [url.slice(SITE.length), removed])).toEqual([
      ['/gone', 'not_there'],
      ['/moved', 'not_there'],
      ['/noindex', 'noindex'],
      ['/twin', 'duplicate'],
    ]);
    // A page that waits for its first fetch was never in the copy.
    expect(counters).toMatchObject({ rows: 4, not_there: 1 });
    const csv = join(folder, 'removed.csv');
    await exportPages(crawl, { output: csv, since: START + HOUR, fields: [] });
    const [head, gone] = (await readFile(csv, 'utf8')).split('\r\n');
    expect(head).toBe('key,url,readableUrl,status,damaged,removed');
    expect(gone).toBe('com.a:http/gone,http://a.com/gone,,gone,,not_there');
    const everything = await exported(crawl, exportPages, { since: 0 });
    expect(everything.pages.filter(({ removed }) => removed === undefined).map(({ url }) => url)).toEqual([`${SITE}/`]);
    expect((await exported(crawl, exportPages, {})).pages.some((page) => 'removed' in page)).toBe(false);
  });

  it('keeps a page as it was if only its last fetch failed', async () => {
    const web = fakeWeb({ [`${SITE}/`]: page('home') });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    web.set(`${SITE}/`, { status: 500 });
    crawl.setTime(START + HOUR);
    await jobs.crawl(crawl, { seeds: [`${SITE}/`, `${SITE}/never`], refetch: true });
    for (const write of [exportPages, exportChunks]) {
      const { names, counters } = await exported(crawl, write, {});
      expect(names).toEqual(['']);
      expect(counters).toMatchObject({ rows: 1, not_there: 1 });
    }
  });

  it('includes what dedup has marked or unmarked since', async () => {
    const text = page('the same words in both of these pages, and enough of them to compare');
    const web = fakeWeb({ [`${SITE}/a`]: text, [`${SITE}/b`]: text });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: [`${SITE}/a`, `${SITE}/b`] });
    crawl.setTime(START + HOUR);
    await jobs.dedup(crawl);
    const since = async (time: number, all = false) => (await exported(crawl, exportPages, { since: time, all })).names;
    expect(await since(START + HOUR, true)).toEqual(['b']);
    web.set(`${SITE}/a`, undefined);
    crawl.setTime(START + 2 * HOUR);
    await jobs.crawl(crawl, { seeds: [`${SITE}/a`], refetch: true });
    crawl.setTime(START + 3 * HOUR);
    await jobs.dedup(crawl);
    expect(await since(START + 3 * HOUR)).toEqual(['b']);
  });

  it('includes changed, new and gone pages since a time, and no refetched unchanged ones', async () => {
    const web = fakeWeb({
      [`${SITE}/`]: { html: links('/same', '/changes', '/goes'), headers: { etag: '"1"' } },
      [`${SITE}/same`]: page('same'),
      [`${SITE}/changes`]: page('before'),
      [`${SITE}/goes`]: page('goes'),
    });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
    web.set(`${SITE}/changes`, { html: `${page('after')}${links('/new', '/fails')}` });
    web.set(`${SITE}/fails`, { status: 503 });
    web.set(`${SITE}/goes`, undefined);
    web.set(`${SITE}/new`, { html: page('new') });
    const refetch = async (hours: number): Promise<void> => {
      crawl.setTime(START + hours * HOUR);
      await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
    };
    await refetch(1);
    const since = async (options: Partial<ExportPagesOptions>) => (await exported(crawl, exportPages, options)).names;
    expect(await since({ since: START + 1 })).toEqual(['changes', 'goes', 'new']);
    expect(await since({ since: START + 1, all: true })).toEqual(['changes', 'fails', 'goes', 'new']);
    expect(await since({ since: START + 1, status: 'fetched' })).toEqual(['changes', 'new']);
    expect(await since({ fetchedSince: START + 1, all: true })).toEqual([
      '',
      'changes',
      'fails',
      'goes',
      'new',
      'same',
    ]);
    // Another crawl does not change the list of changes.
    await refetch(2);
    expect(await since({ since: START + 1 })).toEqual(['changes', 'goes', 'new']);
    expect(await since({ since: START + HOUR + 1 })).toEqual([]);
    const chunks = await exported(crawl, exportChunks, { since: START + 1 });
    expect([...new Set(chunks.names)]).toEqual(['changes', 'new']);
  });

  it.each([
    ['counts pages with other bytes only, and includes them on request', {}, ['changes'], 2],
    [
      'includes pages with other bytes if changes are not logged',
      { 'db.changesKeptDays': 0 },
      ['', 'changes', 'token'],
      0,
    ],
  ])('%s, since a time or a mark', async (_, settings, names, bytesOnly) => {
    const withToken = (text: string, token: string): string => `${page(text)}<footer>Build ${token}</footer>`;
    const web = fakeWeb({
      [`${SITE}/`]: `${withToken('home', '1')}${links('/changes', '/token')}`,
      [`${SITE}/changes`]: page('before'),
      [`${SITE}/token`]: withToken('same', '1'),
    });
    await using crawl = await testCrawl(web, { settings });
    const refetch = async (hours: number): Promise<void> => {
      crawl.setTime(START + hours * HOUR);
      await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
    };
    await refetch(0);
    crawl.setTime(START + HOUR);
    if (bytesOnly > 0) await mark(crawl, 'last-week');
    web.set(`${SITE}/`, { html: `${withToken('home', '2')}${links('/changes', '/token')}` });
    web.set(`${SITE}/token`, { html: withToken('same', '2') });
    web.set(`${SITE}/changes`, { html: page('after') });
    await refetch(2);
    for (const since of bytesOnly > 0 ? [START + HOUR, 'last-week'] : [START + HOUR]) {
      const { names: found, counters } = await exported(crawl, exportPages, { since });
      expect([found, counters.bytes_only ?? 0]).toEqual([names, bytesOnly]);
      expect((await exported(crawl, exportPages, { since, bytes: true })).names).toEqual(['', 'changes', 'token']);
      expect((await exported(crawl, exportPages, { fetchedBefore: since })).names).toEqual([]);
    }
    const { selection } = JSON.parse(await readFile(join(folder, 'out.jsonl.manifest.json'), 'utf8')) as {
      selection: object;
    };
    expect(selection).toHaveProperty('fetchedBefore');
    await expect(exported(crawl, exportPages, { since: 'unknown' })).rejects.toThrow('no mark has the name "unknown"');
  });
});

it('names a chunk by URL and text, so that it keeps its id when it moves', async () => {
  const web = fakeWeb({
    [`${SITE}/`]: `<html lang="en"><title>T</title><h1>A</h1><p>one<h1>B</h1><p>two<h1>B</h1><p>two`,
  });
  await using crawl = await testCrawl(web);
  await jobs.crawl(crawl, { seeds: [`${SITE}/`] });
  const first = (await exported(crawl, exportChunks, {})).pages;
  const [a, b, again] = first as unknown as Record<string, unknown>[];
  expect(a).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    url: `${SITE}/`,
    title: 'T',
    status: 'fetched',
    language: 'en',
    fetchedAt: START,
    modifiedAt: START,
    headings: ['A'],
    text: expect.stringContaining('one') as string,
    digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    position: 0,
  });
  expect(again!.digest).toBe(b!.digest);
  expect(new Set([a!.id, b!.id, again!.id]).size).toBe(3);
  web.set(`${SITE}/`, { html: `<html lang="en"><title>T</title><h1>0</h1><p>new<h1>A</h1><p>one` });
  crawl.setTime(START + HOUR);
  await jobs.crawl(crawl, { seeds: [`${SITE}/`], refetch: true });
  const moved = (await exported(crawl, exportChunks, {})).pages as unknown as Record<string, unknown>[];
  expect(moved.map(({ id, position }) => [id, position])).toEqual([
    [expect.not.stringMatching(String(a!.id)), 0],
    [a!.id, 1],
  ]);
});
