import { MemoryStore } from '../../../webtable/index.js';
import { openCrawl, type Crawl } from '../crawl.js';
import type { OpenCrawlOptions } from '../open-context.js';
import type { FakeWeb } from './fake-web.js';

/** Options of {@link openTestCrawl}: the options of `openCrawl` with defaults for tests. */
export type TestCrawlOptions = Omit<OpenCrawlOptions, 'plugins' | 'clock'> & {
  /** Plugins in addition to the fake web and the defaults. */
  readonly plugins?: Extract<OpenCrawlOptions['plugins'], readonly unknown[]>;
};

/** A crawl whose clock stands still until a test moves it. */
export interface TestCrawl extends Crawl {
  /** The time of the clock, in ms since the epoch. */
  readonly now: number;
  /**
   * Moves the clock forward; a negative number moves it back.
   * @param ms milliseconds
   */
  advance(ms: number): void;
}

/** When the clock of a test crawl starts, in ms since the epoch: 2023-11-14T22:13:20Z. */
export const TEST_START = 1_700_000_000_000;

/** Options that make a crawl repeatable: no delays, no network except the fake web, and the same random numbers each time. */
export function testOptions(
  web: FakeWeb | undefined,
  { settings, plugins = [], ...rest }: TestCrawlOptions & Pick<OpenCrawlOptions, 'clock'>,
): OpenCrawlOptions {
  return {
    table: new MemoryStore(),
    settings: { 'fetcher.serverDelay': 0, 'fetcher.minBackoffSeconds': 0, ...settings },
    plugins: [...(web ? [web] : []), ...plugins],
    random: randomNumbers(1),
    lookup: () => Promise.resolve(['127.0.0.1']),
    ...rest,
  };
}

/**
 * Opens a crawl of a fake web for a test. The table is in memory unless `table` names another place. There is no delay between requests,
 * and the clock stands still, so a test always gives the same result.
 * @throws CrawlError as `openCrawl` does
 */
export async function openTestCrawl(web: FakeWeb, options: TestCrawlOptions = {}): Promise<TestCrawl> {
  let now = TEST_START;
  const crawl = await openCrawl({ ...testOptions(web, options), clock: () => now });
  return Object.defineProperties(crawl, {
    now: { get: () => now, enumerable: true },
    advance: { value: (ms: number) => void (now += ms), enumerable: true },
  }) as TestCrawl;
}

/** Makes a function that returns numbers from 0 to 1. The same seed gives the same numbers (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
