import {
  openContext,
  type OpenContext,
  type Field,
  type OpenCrawlOptions,
  type Plugin,
  type Store,
} from '../../packages/webcrawl/internal.js';
import type { FakeWeb } from './web/fake-web.js';
import { TEST_START, testOptions } from '../../packages/webcrawl/testing/test-crawl.js';

export interface TestCrawl extends OpenContext {
  /** Sets the clock of the crawl, in ms since the epoch. */
  setTime(ms: number): void;
}

/** When the clock of a test crawl starts. */
export const START = TEST_START;

/** A crawl of a fake web, by default on a store in memory, with a clock that stands still until it is set. It does not wait for hosts. */
export async function testCrawl(
  web: FakeWeb | undefined,
  options: Omit<OpenCrawlOptions, 'table' | 'plugins'> & { store?: Store; plugins?: readonly Plugin[] } = {},
): Promise<TestCrawl> {
  const { store, ...rest } = options;
  let now = START;
  const crawl = await openContext({
    clock: () => now,
    ...testOptions(web, { ...rest, ...(store && { table: store }) }),
  });
  return Object.assign(crawl, {
    setTime(ms: number) {
      now = ms;
    },
  });
}

/**
 * Every field except `linkedUpTo`, which names batches, the locations of bodies, and request times. A batch that was made again has another
 * id, and a body that was stored again has another location.
 */
const COMPARED = {
  status: true,
  dueAt: true,
  fetchedAt: true,
  fetchInterval: true,
  retries: true,
  modifiedAt: true,
  firstSeenAt: true,
  changedAt: true,
  bytesChangedAt: true,
  foundAs: true,
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
  inlinksFolded: true,
  refusedBy: true,
  inlinkCount: true,
  sitemap: true,
  metadata: true,
  pageMetadata: true,
  custom: true,
  language: true,
  languageSource: true,
  headings: true,
  outlinks: true,
  inlinks: true,
  title: true,
  text: true,
  headers: true,
  content: true,
  textRanges: true,
  rank: true,
  hostRank: true,
  duplicateOf: true,
  duplicateAt: true,
  relevant: true,
  relevantBonus: true,
  rejectedLinks: true,
  bodyBytes: true,
  digest: true,
  changedLinks: true,
  logged: true,
  marks: true,
} as const satisfies Record<
  Exclude<Field, 'linkedUpTo' | 'contentLocation' | 'textLocation' | 'contentVersions' | 'fetchMs'>,
  true
>;

/** Every row of the webpage table as plain data, for comparison; bodies as text. */
export async function allRows(crawl: OpenContext): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  const fields = Object.keys(COMPARED) as (keyof typeof COMPARED)[];
  for await (const { content, ...row } of crawl.pages({ fields })) {
    rows.push({ ...row, ...(content && { content: Buffer.from(content).toString('latin1') }) });
  }
  return rows;
}
