import { describe, expect, it } from 'vitest';
import {
  jobs,
  rowKeyOf,
  type OpenContext,
  type PageChange,
  type UnmarkedHost,
} from '../../packages/webcrawl/internal.js';
import { numbersOf } from '../../packages/duplicates/identity.js';
import { hash } from 'node:crypto';
import { TEMPLATES, templatePages, type TemplatePage } from './made-templates.js';
import { START, testCrawl } from '../support/test-crawl.js';

type Page = Pick<TemplatePage, 'url' | 'text'> & Partial<TemplatePage>;

async function store(crawl: OpenContext, pages: readonly Page[]): Promise<void> {
  const changes = pages.map(({ url, title, headings, text }): PageChange => {
    const signature = hash('sha1', text);
    const stated = { text, ...(title !== undefined && { title }), ...(headings && { headings }) };
    return { key: rowKeyOf(url), set: { status: 'fetched', dueAt: START, score: 1, signature, ...stated } };
  });
  await crawl.tables.changeRows(
    changes.map(({ key }) => key),
    [],
    START,
    () => changes,
  );
}

async function marked(crawl: OpenContext): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const { url, duplicateOf } of crawl.pages({ fields: ['duplicateOf'] }))
    if (duplicateOf !== undefined) found.set(url, duplicateOf);
  return found;
}

async function pairs(...pages: readonly Page[]): Promise<ReadonlyMap<string, string>> {
  await using crawl = await testCrawl(undefined);
  await store(crawl, pages);
  await jobs.dedup(crawl);
  return await marked(crawl);
}

/** The original of a copy, or the page itself. */
const origin = (url: string): string => url.replace('?print', '');
const words = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `w${from + i}`).join(' ');

describe.each(Object.entries(TEMPLATES))('pages of one template: %s', (_, template) => {
  it('are kept apart, and their copies are found', async () => {
    await using crawl = await testCrawl(undefined);
    const pages = templatePages(template, 200);
    await store(crawl, pages);
    await jobs.dedup(crawl, { yes: true });
    const found = [...(await marked(crawl))];
    const right = found.filter(([url, kept]) => origin(url) === origin(kept)).length;
    const copies = pages.filter(({ copyOf }) => copyOf !== undefined).length;
    expect(right / found.length).toBeGreaterThanOrEqual(0.98);
    expect(right / copies).toBeGreaterThanOrEqual(0.9);
  });
});

describe('a near duplicate', () => {
  const body = words(0, 200);
  const [first, second] = ['http://a.example/1', 'http://b.example/22'];

  it.each([
    ['with another date', { text: `${body} 2026-05-01 10:30` }, { text: `${body} 2026-06-17 23:59` }, 1],
    ['with another word', { text: `${body} one` }, { text: `${body} two` }, 1],
    ['with another title', { title: 'One', text: body }, { title: 'Two', text: `${body} x` }, 0],
    ['without a title', { title: 'One', text: body }, { text: `${body} x` }, 0],
    [
      'with another heading',
      { headings: ['Menu', 'A'], text: body },
      { headings: ['Menu', 'B'], text: `${body} x` },
      0,
    ],
    [
      'with another heading far below',
      { headings: [...'abcd'], text: body },
      { headings: [...'abcx'], text: `${body} x` },
      1,
    ],
    ['with another number', { text: `${body} 12 kg` }, { text: `${body} 13 kg` }, 0],
    ['with the same in other capitals', { title: 'One ', text: body }, { title: 'ONE', text: `${body} x` }, 1],
  ])('%s', async (_, a, b, count) => {
    expect((await pairs({ url: first, ...a }, { url: second, ...b })).size).toBe(count);
  });

  it('is not found through a bucket of pages with other numbers, however many there are', async () => {
    await using crawl = await testCrawl(undefined);
    const pages = Array.from({ length: 6000 }, (_, n) => ({ url: `http://h${n}.example/`, text: `${body} ${n}` }));
    await store(crawl, [...pages, { url: 'http://z.example/', text: `${body} x 5999` }]);
    const { counters } = await jobs.dedup(crawl);
    expect(counters).toMatchObject({ near: 1 });
    expect(counters).not.toHaveProperty('crowded');
  });
});

describe('numbers of a page', () => {
  it.each([
    ['price 1,299.00 EUR, 12.5kg, 3x', ['1,299.00', '12.5', '3']],
    ['-5 °C, −3, 5-7, model-7, x200, 7½', ['-5', '−3', '5-7', '7', '7']],
    ['at 10:30 and 2026', ['10:30', '2026']],
    ['价格199元，١٢٣', ['199', '١٢٣']],
    ['2026-05-01T10:30:00Z 1.5.2026, 05/01/26 at 10:30', []],
    ['1 May 2026, May 1st, 2026 at 9:15, Jan. 3, 1. Mai 2026, 12 de marzo de 2026, le 3 février 2026', []],
    ['2026年5月1日 2026년 5월 1일', []],
    ['in May 2026, of 3 rooms on 4 floors', ['3', '4']],
    ['version 1.2.33, 31.12.99', ['1.2.33', '31.12.99']],
  ])('%s', (text, expected) => expect([...numbersOf(text)]).toEqual(expected));
});

describe('near duplicates that are more than a fifth of the pages of a host', () => {
  const near = (host: string, count: number): Page[] =>
    Array.from({ length: count }, (_, n) => ({ url: `http://${host}/near/${n}`, text: `${words(0, 300)} name${n}` }));
  const other = (host: string, count: number): Page[] =>
    Array.from({ length: count }, (_, n) => ({ url: `http://${host}/${n}`, text: words(1000 * (n + 1), 150) }));

  it('are marked only with yes, while the same pages are', async () => {
    await using crawl = await testCrawl(undefined);
    const same = other('a.example', 1)[0]!.text;
    await store(crawl, [
      ...near('a.example', 12),
      ...other('a.example', 40),
      { url: 'http://a.example/same', text: same },
      ...near('b.example', 11).map((page) => ({ ...page, text: `${page.text} ${words(500, 300)}` })),
      ...other('b.example', 40),
    ]);
    const unmarked: UnmarkedHost[] = [];
    const { counters } = await jobs.dedup(crawl, { onUnmarked: (host) => unmarked.push(host) });
    expect(counters).toMatchObject({ exact: 41, near: 10, unmarked: 11, unmarked_hosts: 1 });
    expect(unmarked).toEqual([{ host: 'a.example', near: 11, pages: 53 }]);
    const found = await marked(crawl);
    expect([...found.keys()].filter((url) => url.startsWith('http://a.example/near'))).toEqual([]);
    expect(found.get('http://a.example/same')).toBe('http://a.example/0');
    const all = await jobs.dedup(crawl, { yes: true, onUnmarked: () => expect.unreachable() });
    expect(all.counters).toMatchObject({ exact: 41, near: 21 });
    expect((await jobs.dedup(crawl)).counters).toMatchObject({ cleared: 11 });
  });

  it('are marked if there are fewer than ten', async () => {
    await using crawl = await testCrawl(undefined);
    await store(crawl, near('a.example', 10));
    expect((await jobs.dedup(crawl)).counters).toMatchObject({ near: 9 });
    await store(crawl, near('a.example', 11));
    expect((await jobs.dedup(crawl)).counters).toMatchObject({ unmarked: 10, cleared: 9 });
  });
});
