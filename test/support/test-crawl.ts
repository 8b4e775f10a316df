import {
  MemoryStore,
  openCrawl,
  type Crawl,
  type OpenCrawlOptions,
  type Plugin,
  type Store,
} from '../../packages/webcrawl/index.js';
import type { FakeWeb } from './fake-web.js';
import { randomNumbers } from './fake-web.js';

export interface TestCrawl extends Crawl {
  /** Sets the clock of the crawl, in ms since the epoch. */
  setTime(ms: number): void;
}

/** When the clock of a test crawl starts. */
export const START = 1_700_000_000_000;

/** A crawl of a fake web on a store in memory unless another is given, with a clock that stands still until it is set. It does not wait for hosts. */
export async function testCrawl(
  web: FakeWeb | undefined,
  options: Omit<OpenCrawlOptions, 'table' | 'plugins'> & { store?: Store; plugins?: readonly Plugin[] } = {},
): Promise<TestCrawl> {
  const { store, settings, plugins = [], ...rest } = options;
  let now = START;
  const crawl = await openCrawl({
    table: store ?? new MemoryStore(),
    settings: { 'fetcher.serverDelay': 0, 'fetcher.backoffMin': 0, ...settings },
    plugins: [...(web ? [web] : []), ...plugins],
    clock: () => now,
    random: randomNumbers(1),
    lookup: () => Promise.resolve(['127.0.0.1']),
    ...rest,
  });
  return Object.assign(crawl, {
    setTime(ms: number) {
      now = ms;
    },
  });
}

/** Every row of the webpage table as plain data, for comparison. */
export async function allRows(crawl: Crawl): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  const fields = [
    'status',
    'dueAt',
    'fetchedAt',
    'fetchInterval',
    'retries',
    'modifiedTime',
    'score',
    'cash',
    'cashInFlight',
    'distance',
    'signature',
    'prevSignature',
    'newSignature',
    'protocolStatus',
    'parseStatus',
    'contentType',
    'redirectTarget',
    'redirectDepth',
    'inlinkCount',
    'metadata',
    'outlinks',
    'inlinks',
    'title',
    'text',
    'headers',
    'marks',
  ] as const;
  for await (const row of crawl.pages({ fields })) rows.push({ ...row });
  return rows;
}
