import {
  MemoryStore,
  openCrawl,
  type Crawl,
  type Field,
  type OpenCrawlOptions,
  type Plugin,
  type Store,
} from '../../packages/webcrawl/index.js';
import type { FakeWeb } from './web/fake-web.js';
import { randomNumbers } from './web/fake-web.js';

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

/**
 * Every field but `linkedUpTo`, which names batches, the places of bodies, and how long requests took: the id of a batch that had to
 * be made again is another, and so is the place of a body that was stored again.
 */
const COMPARED = {
  status: true,
  dueAt: true,
  fetchedAt: true,
  fetchInterval: true,
  retries: true,
  modifiedTime: true,
  score: true,
  cash: true,
  cashInFlight: true,
  distanceInFlight: true,
  distance: true,
  signature: true,
  prevSignature: true,
  newSignature: true,
  protocolStatus: true,
  parseStatus: true,
  contentType: true,
  redirectTarget: true,
  redirectDepth: true,
  inlinkBound: true,
  refusedBy: true,
  inlinkCount: true,
  sitemap: true,
  metadata: true,
  pageMetadata: true,
  custom: true,
  language: true,
  headings: true,
  outlinks: true,
  inlinks: true,
  title: true,
  text: true,
  headers: true,
  content: true,
  rank: true,
  hostRank: true,
  duplicateOf: true,
  fit: true,
  fitBonus: true,
  cutLinks: true,
  bodyBytes: true,
  marks: true,
} as const satisfies Record<Exclude<Field, 'linkedUpTo' | 'contentAt' | 'contentVersions' | 'fetchMs'>, true>;

/** Every row of the webpage table as plain data, for comparison; bodies as text. */
export async function allRows(crawl: Crawl): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  const fields = Object.keys(COMPARED) as (keyof typeof COMPARED)[];
  for await (const { content, ...row } of crawl.pages({ fields })) {
    rows.push({ ...row, ...(content && { content: Buffer.from(content).toString('latin1') }) });
  }
  return rows;
}
