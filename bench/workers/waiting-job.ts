// Crawls hosts of which some are slow, and tells for how long no request to a fast one was in flight.
import { jobs, openCrawl, type Plugin } from '../../packages/webcrawl/index.js';
import { htmlAnswer, madePage, mix } from '../lib/made-page.js';
import { givenArgument, reply } from '../lib/worker.js';

/** What to crawl, and how. */
export interface WaitingJob {
  readonly directory: string;
  readonly hosts: number;
  /** Milliseconds that every twentieth host takes for an answer. */
  readonly slowMs: number;
  readonly rounds: 'overlapping' | 'one after another';
}

/** What was found. */
export interface WaitingFigures {
  readonly idlePercent: number;
  readonly rounds: number;
  /** From the first request to the last answer of a fast host. */
  readonly fastSeconds: number;
  readonly seconds: number;
  readonly pagesPerSecond: number;
}

/** Pages of a host; each leads to the next of its host, and to pages of others. */
const PAGES = 60;
const SLOW_PAGES = 3;
const FAST_MS = 50;
const { directory, hosts, slowMs, rounds } = givenArgument<WaitingJob>();
const isSlow = (host: number): boolean => host % 20 === 7;
const start = performance.now();
let [inFlight, fetched, idle] = [0, 0, 0];
let [first, last] = [0, 0];

const web: Plugin = {
  name: 'web-with-slow-hosts',
  protocol: {
    schemes: ['http', 'https'],
    async fetch({ url }) {
      const [, host = 0, page = 0] = (/h(\d+)\.example\/(\d*)/.exec(url) ?? []).map(Number);
      if (url.endsWith('/robots.txt')) return { kind: 'gone', code: 'not_found', http: 404 };
      const now = performance.now() - start;
      if (isSlow(host)) {
        await sleep(slowMs);
      } else {
        if (fetched === 0 && inFlight === 0) first = now;
        else if (inFlight === 0) idle += now - last;
        inFlight += 1;
        await sleep(FAST_MS * (0.5 + Math.random()));
        inFlight -= 1;
        fetched += 1;
        last = performance.now() - start;
      }
      const size = isSlow(host) ? SLOW_PAGES : PAGES;
      if (page >= size) return { kind: 'gone', code: 'not_found', http: 404 };
      const links = [2 * page + 1, 2 * page + 2].filter((next) => next < size).map((next) => `/${next}`);
      for (let i = 0; i < 3; i++) links.push(`http://h${mix(host, page, i) % hosts}.example/${1 + (mix(page, i) % 2)}`);
      return htmlAnswer(madePage(mix(host, page), links, 100));
    },
  },
};

await using crawl = await openCrawl({
  table: `level:${directory}`,
  settings: { 'fetcher.serverDelay': 0, 'generate.maxCount': 10 },
  plugins: [web],
  // Nothing is connected to, so the resolver of the machine has no part in it.
  lookup: async () => ['1.2.3.4'],
});
const seeds = Array.from({ length: hosts }, (_, i) => `http://h${i}.example/`);
const report = await jobs.crawl(crawl, {
  seeds,
  stay: 'any',
  ...(rounds === 'one after another' && { rounds: 1000 }),
});
const figures: WaitingFigures = {
  idlePercent: (100 * idle) / (last - first),
  rounds: report.counters.rounds ?? 0,
  fastSeconds: (last - first) / 1000,
  seconds: (performance.now() - start) / 1000,
  pagesPerSecond: (fetched * 1000) / (last - first),
};
reply(figures);

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
