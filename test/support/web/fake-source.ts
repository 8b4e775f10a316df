import type { SearchHit, SearchResult } from '../../../packages/search/index.js';
import type { ChangesSource, CrawlStatus, ServeSource } from '../../../packages/serve/index.js';
import { fakeRules } from './fake-rules.js';

const DAY = Date.UTC(2026, 2, 12);

/** A hit with default fields. */
export function aHit(change: Partial<SearchHit> = {}): SearchHit {
  return {
    url: 'https://docs.example.com/tea/green.html',
    title: 'Green tea – a guide for beginners',
    snippet: [
      { text: 'Steep ', hit: false },
      { text: 'green tea', hit: true },
      {
        text: ' at eighty degrees for two minutes. Hotter water draws the bitter parts out of the leaves.',
        hit: false,
      },
    ],
    language: 'en',
    fetchedAt: DAY,
    modifiedAt: DAY,
    score: 7.2,
    rank: 0.001,
    hasCopy: true,
    ...change,
  };
}

/** Hits in several languages, some with folded ones behind them. */
export const HITS: readonly SearchHit[] = [
  aHit({ alike: 3 }),
  aHit({
    url: 'https://zh.example.org/%E8%8C%B6/%E7%BB%BF%E8%8C%B6',
    title: '绿茶的冲泡方法与水温',
    language: 'zh-CN',
    snippet: [
      { text: '绿茶', hit: true },
      { text: '宜用八十度左右的水冲泡，水温过高会使茶汤变苦。第一泡约一分钟，之后每泡延长半分钟。', hit: false },
    ],
    moreFromHost: 12,
    hostQuery: 'tea site:zh.example.org',
  }),
  aHit({
    url: 'https://xn--r8jz45g.xn--zckzah/%E7%B7%91%E8%8C%B6',
    title: '緑茶の淹れ方',
    language: 'ja',
    snippet: [
      { text: '緑茶', hit: true },
      { text: 'は七十度から八十度のお湯で一分ほど待つと、甘みが出ます。', hit: false },
    ],
  }),
  aHit({
    url: 'https://ru.example.net/chai/zeleny',
    title: 'Зелёный чай: как заваривать',
    language: 'ru',
    snippet: [
      { text: 'Зелёный чай', hit: true },
      { text: ' заваривают водой не горячее восьмидесяти градусов.', hit: false },
    ],
  }),
  aHit({
    url: 'https://he.example.net/tea',
    title: 'תה ירוק: מדריך קצר',
    language: 'he',
    snippet: [
      { text: 'תה ירוק', hit: true },
      { text: ' חולטים במים שאינם רותחים.', hit: false },
    ],
  }),
  aHit({ url: 'https://example.com/' + 'very-long-path-segment/'.repeat(8), title: '', snippet: [] }),
];

/** The result of a search. */
export function found(hits: readonly SearchHit[], change: Partial<SearchResult> = {}): SearchResult {
  return { total: hits.length, page: 1, pages: hits.length > 0 ? 1 : 0, hits, notices: [], seconds: 0.012, ...change };
}

/** A status of an idle table. */
export function aStatus(change: Partial<CrawlStatus> = {}): CrawlStatus {
  return {
    now: DAY,
    since: DAY - 60_000,
    jobs: [],
    totals: {},
    due: { count: 0, more: false, at: DAY },
    batches: [],
    memory: { resident: 180_000_000, heap: 60_000_000 },
    ...change,
  };
}

/** A status of a running crawl; `step` advances its figures. */
export function aRunningStatus(step = 0): CrawlStatus {
  const done = 18_240 + 47 * step;
  const counters = {
    fetched: done,
    success: done - 412,
    not_found: 330,
    timeout: 61,
    robots_denied: 21,
    parsed: done - 500,
    links: 40 * done,
  };
  const errors = { not_found: 330, timeout: 61, robots_denied: 21 };
  const wave = Math.sin(step / 9) * 9 + Math.sin(step / 2.3) * 3;
  return aStatus({
    now: DAY + step * 2000,
    jobs: [
      {
        job: 'crawl',
        round: 14,
        done,
        bytes: done * 31_000,
        counters,
        errors,
        seconds: 754 + 2 * step,
        rate: 24.5 + wave,
        byteRate: (24.5 + wave) * 31_000,
        toGo: 24_310,
        fetching: {
          inFlight: 48,
          threads: 50,
          waiting: 112,
          setAside: 2,
          pages: [
            { url: 'https://slow.example.com/archive/2019/report.pdf', seconds: 9.4 },
            { url: 'https://docs.example.org/%E8%8C%B6', seconds: 3.1 },
            { url: 'https://example.net/', seconds: 0.4 },
          ],
          hosts: [
            { host: 'busy.example.com', seconds: 1_800, code: 'http_429' },
            { host: 'down.example.org', seconds: 240, code: 'connect_failed' },
          ],
        },
      },
    ],
    totals: { crawl: { done, bytes: done * 31_000, counters, errors } },
    due: { count: 24_310, more: false, at: DAY },
    batches: [
      { batchId: '1773273600000-0a1b2c', state: 'open', size: 1000, created: DAY },
      { batchId: '1773273700000-4d5e6f', state: 'updating', size: 18_000, created: DAY },
    ] as unknown as CrawlStatus['batches'],
    lastFetch: { state: 'running', at: DAY - 754_000 },
    memory: { resident: 182_000_000 + step * 200_000, heap: 71_000_000 },
    disk: { table: 412_000_000, content: 1_930_000_000, index: 210_000_000 },
    owner: { pid: 4711, name: 'crawl', version: '0.1.0', alone: true },
    index: { documents: 17_602, bytes: 210_000_000, changedAt: DAY },
  });
}

/** Nothing has changed. */
const NO_CHANGES: ChangesSource = {
  read: () => ({
    async *[Symbol.asyncIterator]() {},
    summary: () => Promise.resolve({ since: 0, until: 0, complete: true, because: [], bytesOnly: 0, baseline: 0 }),
    begin: () => Promise.resolve('00000000000000'),
    next: () => Promise.resolve('00000000000000'),
  }),
  diff: () => Promise.resolve(undefined),
  places: () => Promise.resolve({ oldest: '00000000000000', next: '00000000000000', isKnown: true }),
  tableId: () => Promise.resolve('0b8e4a52-6d0c-4d5e-9c55-2f1f6f0a7c11'),
};

/** A source that finds these hits for every query, with the functions that a test replaces. */
export function fakeSource(change: Partial<ServeSource> = {}): ServeSource {
  return {
    search: (_query, { page }): Promise<SearchResult> =>
      Promise.resolve(found(page > 5 ? [] : HITS, { total: 42, page, pages: 5 })),
    languages: () => Promise.resolve(['en', 'zh', 'ja']),
    suggest: (prefix) => Promise.resolve([`${prefix} tea`, `${prefix} tea house`]),
    cached: (url) =>
      Promise.resolve(
        url === HITS[0]!.url
          ? {
              url,
              title: HITS[0]!.title,
              text: 'Green tea.\n\nSteep it at eighty degrees.',
              language: 'en',
              fetchedAt: DAY,
            }
          : undefined,
      ),
    status: () => Promise.resolve(aStatus()),
    rules: fakeRules(),
    changes: NO_CHANGES,
    ...change,
  };
}
