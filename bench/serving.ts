/**
 * `crawl --serve` with one query in a second, alternating with the same crawl without it, at full speed and with a delay. Also the time from
 * the end of updatedb until a search finds a page of its batch, with a large table.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setV8Flags } from '../packages/util/index.js';
import { crawlContinuously, jobs, openContext, rowKeyOf, serve } from '../packages/webcrawl/internal.js';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { OURS } from './lib/crawlers.js';
import { loadPages } from './lib/fill-table.js';
import { inEmptyFolder } from './lib/folders.js';
import { textRows } from './lib/made-texts.js';
import { addressOf } from './lib/made-up-site.js';
import { cpuSecondsOf } from './lib/measure.js';
import { cpuPerThousand, pagesPerSecond } from './lib/quarters.js';
import { alternate, over, ratio, samplesByName, spread, type Sampled, type Spread } from './lib/rounds.js';
import { withSite, type Site } from './lib/site.js';
import { formatNumber, tabulate, type Cell } from './lib/table.js';
import { runJob } from './lib/worker.js';

const RATE = 'rate';
const POLITE = 'polite';
const FINDABLE = 'findable';
const KNOWN_PAGES = 100_000;
const INJECTED_HOSTS = 300;
/** Queries, one in each second in turn: a word of most pages, two words, and a phrase. */
const QUERIES = ['tide', 'neap current', '"moon spring"', 'page'];
/** Seconds between two requests to a host in the polite crawl, Nutch's default. */
const DELAY = 5;
const POLL_MS = 100;
/** Milliseconds without a request, beyond the polite delay, after which the server is asked whether the crawl is over. */
const QUIET_MS = 1000;

export const servingBench: Bench = {
  about: 'what --serve and a query a second cost a crawl of 20,000 pages, and when a page is findable among 100,000',
  names: [RATE, POLITE, FINDABLE],
  run,
};

type Sample = Awaited<ReturnType<typeof crawlOnce>>;

/** A crawl that is compared with the crawl of the same pace without --serve. */
interface Compared {
  readonly name: string;
  readonly pace: typeof RATE | typeof POLITE;
  readonly isServed: boolean;
}

const CRAWLS: readonly Compared[] = [
  { name: 'crawl', pace: RATE, isServed: false },
  { name: 'crawl --serve', pace: RATE, isServed: true },
  { name: 'polite crawl', pace: POLITE, isServed: false },
  { name: 'polite crawl --serve', pace: POLITE, isServed: true },
];

async function run(options: BenchOptions): Promise<BenchResult> {
  return withSite({ ...options, site: 'synthetic' }, async (site) => {
    const wanted = CRAWLS.filter(({ pace }) => isWanted(options, pace));
    const crawls = await alternate(wanted, options.rounds, async (crawl, round) => {
      options.say(`round ${round + 1} of ${options.rounds}: ${crawl.name}`);
      return inEmptyFolder(join(options.cache, 'serving'), (out) => crawlOnce(site, out, options.scale, crawl));
    });
    return present(site, crawls, isWanted(options, FINDABLE) ? await findable(site, options) : undefined);
  });
}

async function crawlOnce(site: Site, out: string, scale: number, { pace, isServed }: Compared) {
  const { command, args } = OURS.command({ ...site, out });
  const maxDelay = DELAY * Math.min(1, scale);
  const delay = pace === POLITE ? maxDelay : 0;
  const politeness = delay > 0 ? ['--set', `fetcher.serverDelay=${delay}`, '--set', 'fetcher.threadsPerQueue=1'] : [];
  const serving = isServed ? ['--serve', '--port', '0'] : [];
  const all = [...args.filter((each) => each !== '--quiet'), ...politeness, ...serving];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('WEBCRAWL_')));
  const before = await site.requests();
  const start = performance.now();
  const child = spawn(command, all, { cwd: out, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close') as Promise<[number | null]>;
  let isOver = false;
  void ended.then(() => (isOver = true));
  const urlNow = (): string | undefined => /^Search page: (\S+)$/m.exec(stderr)?.[1]?.replace('localhost', '127.0.0.1');

  const searches: number[] = [];
  let failedSearches = 0;
  let asked = 0;
  const search = async (): Promise<void> => {
    const url = urlNow();
    if (url === undefined || isOver) return;
    const began = performance.now();
    const query = QUERIES[asked++ % QUERIES.length]!;
    const isFine = await fetch(`${url}api/search?q=${encodeURIComponent(query)}`).then(
      async (response) => (await response.text()) !== '' && response.ok,
      () => false,
    );
    if (isFine) searches.push(performance.now() - began);
    else failedSearches += 1;
  };
  const timer = isServed ? setInterval(() => void search(), 1000) : undefined;

  let last = { requests: before, at: start, cpuSeconds: NaN };
  while (!isOver) {
    const requests = await site.requests();
    const at = performance.now();
    if (requests > last.requests) last = { requests, at, cpuSeconds: cpuSecondsOf(child.pid!) || NaN };
    const url = urlNow();
    if (isServed && url !== undefined && requests > before && at - last.at > QUIET_MS + 1000 * maxDelay) {
      const { jobs } = (await (await fetch(`${url}api/status`)).json()) as { jobs: readonly { job: string }[] };
      if (jobs.every(({ job }) => job !== 'crawl')) break;
      await sleep(1000);
    }
    await sleep(POLL_MS);
  }
  clearInterval(timer);
  if (isServed) child.kill('SIGINT');
  const [code] = await ended;
  if (code !== (isServed ? 130 : 0)) throw new Error(`the crawl ended with ${code}: ${stderr.slice(-2000)}`);
  const { at, cpuSeconds } = last;
  return { pages: OURS.pages(stdout), seconds: (at - start) / 1000, cpuSeconds, searches, failedSearches };
}

async function findable(site: Site, { cache, scale, say }: BenchOptions): Promise<Findable> {
  const job = {
    pages: scaled(KNOWN_PAGES, scale, 100),
    hosts: Math.min(scaled(INJECTED_HOSTS, scale, 3), (site.pages ?? 0) / 10),
    port: Number(new URL(site.seeds[0]!).port),
  };
  say(`a table of ${formatNumber(job.pages)} pages, and ${job.hosts} hosts that come to it one by one`);
  const batches = await inEmptyFolder(join(cache, 'serving'), (directory) =>
    runJob(import.meta.url, serveWhileInjecting, { ...job, directory }),
  );
  return { pages: job.pages, batches };
}

function present(site: Site, crawls: readonly Sampled<Compared, Sample>[], found: Findable | undefined): BenchResult {
  type Crawl = (typeof crawls)[number];
  const ratioToPlain =
    (figure: (sample: Sample) => number) =>
    (one: Crawl): Spread => {
      return ratio(
        one,
        crawls.find(({ pace, isServed }) => pace === one.pace && !isServed),
        figure,
      );
    };
  const failed = crawls.flatMap(({ samples }) => samples).reduce((sum, one) => sum + one.failedSearches, 0);
  const batches = found?.batches ?? [];
  const secondsOf = (some: typeof batches): number[] => some.map(({ seconds }) => seconds);
  const waits = found
    ? [
        { name: 'findable after updatedb', seconds: secondsOf(batches) },
        {
          name: 'the same while table and index are compared',
          seconds: secondsOf(batches.filter(({ isCompared }) => isCompared)),
        },
      ]
    : [];
  const searchSeconds = ({ samples, isServed }: Crawl): number[] | undefined =>
    isServed ? samples.flatMap(({ searches }) => searches.map((ms) => ms / 1000)) : undefined;
  interface Item {
    readonly name: string;
    readonly crawl?: Crawl;
    /** Of its searches, or of waits for pages. */
    readonly seconds: readonly number[] | undefined;
  }
  const items: Item[] = [
    ...crawls.map((crawl) => ({ name: crawl.name, crawl, seconds: searchSeconds(crawl) })),
    ...waits,
  ];
  const ofCrawl =
    (figure: (crawl: Crawl) => Cell) =>
    ({ crawl }: Item) =>
      crawl && figure(crawl);
  const { columns, rows } = tabulate(
    items,
    {
      name: { head: 'what', of: ({ name }) => name },
      pages: { head: 'pages', of: ofCrawl(over(({ pages }) => pages)) },
      rate: { head: 'pages/s', of: ofCrawl(over(pagesPerSecond)) },
      rateRatio: { head: '× crawl', digits: 2, of: ofCrawl(ratioToPlain(pagesPerSecond)) },
      cpu: { head: 'CPU-s per 1,000', digits: 2, of: ofCrawl(over(cpuPerThousand)) },
      cpuRatio: { head: '× crawl', digits: 2, of: ofCrawl(ratioToPlain(cpuPerThousand)) },
      count: { head: 'searches, batches', of: ({ seconds }) => seconds?.length },
      p50: { head: 's p50', digits: 3, of: ({ seconds }) => seconds && spread(seconds).median },
      most: { head: 's at most', digits: 3, of: ({ seconds }) => seconds && spread(seconds).max },
    },
    ({ name }) => ({ label: name }),
  );
  return {
    title: `serving: ${site.name}, crawled with and without --serve; a page among ${formatNumber(found?.pages ?? 0)}`,
    columns,
    rows,
    notes: [
      `From the start of each process to the last request that its crawl makes. The server, ${site.server}, is on the same cores, and so is who asks.`,
      `Asked for are ${QUERIES.join(', ')}; ${failed} of the searches failed, those before there is an index among them.`,
      `The polite crawl waits ${DELAY} seconds between two requests to a host; the other one never, and takes all of the machine.`,
      'Ratios are of each round by itself. At least 0.9 of the pages/s is asked for, and a page that is findable within ten seconds.',
    ],
    chart: {
      title: 'Crawling with --serve',
      panels: [
        {
          title: 'Pages per second',
          better: 'more',
          bars: crawls.map((one) => ({ label: one.name, value: over(pagesPerSecond)(one), ours: one.isServed })),
        },
        {
          title: 'Seconds from updatedb until a page is found',
          better: 'less',
          digits: 2,
          bars: found ? [{ label: 'crawl --serve', value: spread(secondsOf(batches)), ours: true }] : [],
        },
      ],
    },
    samples: { ...samplesByName(crawls), found },
  };
}

/** Pages of a batch at most: an index run that has read more compares the whole table. */
const CHUNK = 1000;
const YEAR_MS = 365 * 86_400_000;
const SEED_INTERVAL_MS = 250;
const SEARCH_INTERVAL_MS = 100;

interface Findable {
  readonly pages: number;
  readonly batches: readonly FoundBatch[];
}

/** How long after the end of updatedb a page of a batch was found. */
interface FoundBatch {
  readonly seconds: number;
  readonly isCompared: boolean;
}

/** Fills a table and its search index, crawls and serves it while hosts are injected, and searches a page of each batch over HTTP. */
export async function serveWhileInjecting({
  directory,
  pages,
  hosts,
  port,
}: Record<'pages' | 'hosts' | 'port', number> & { directory: string }): Promise<FoundBatch[]> {
  setV8Flags();
  /** Titles of pages that were parsed but not closed by updatedb yet, by row key. */
  const parsed = new Map<string, string>();
  const found: FoundBatch[] = [];
  const searching = new Set<Promise<void>>();
  const crawl = await openContext({
    table: `level:${directory}`,
    settings: { 'fetcher.serverDelay': 0, 'fetcher.threadsPerQueue': 64, 'http.privateAddresses': 'allow' },
    onPage({ url, title }) {
      parsed.set(rowKeyOf(url), title ?? '');
    },
  });
  const dueAt = Date.now() + YEAR_MS;
  await loadPages(
    crawl.tables,
    textRows(pages, () => ({ dueAt })),
    Date.now(),
  );
  await jobs.index(crawl);
  const served = await serve(crawl, { port: 0 });
  const stop = new AbortController();
  const crawling = crawlContinuously(crawl, {
    seeds: [],
    signal: stop.signal,
    onUpdated() {
      const search = searchFor(performance.now()).finally(() => searching.delete(search));
      searching.add(search);
    },
  });
  await Promise.race([crawling, injectAll()]);
  stop.abort();
  await crawling;
  await served.close();
  await crawl.close();
  return found;

  async function injectAll(): Promise<void> {
    for (let host = 0; host < hosts; host++) {
      await jobs.inject(crawl, { seeds: [`http://${addressOf(host)}:${port}/`] });
      await sleep(SEED_INTERVAL_MS);
    }
    const isCrawling = (): boolean => crawl.running.progress().some(({ job }) => job === 'crawl');
    // On a busy machine the crawl may begin after the last host was injected.
    const isOver = (): boolean => found.length > 0 && parsed.size === 0 && searching.size === 0 && !isCrawling();
    while (!isOver()) await sleep(SEARCH_INTERVAL_MS);
  }

  async function searchFor(since: number): Promise<void> {
    // An index run that compares reads each page of the table, not only those of a batch.
    const isCompared = crawl.running.progress().some(({ job, done }) => job === 'index' && done >= CHUNK);
    const keys = [...parsed.keys()];
    const rows = await crawl.tables.pages.getMany(keys, ['marks']);
    const closed = keys.filter((_, i) => rows[i]?.marks?.updatedb !== undefined);
    const title = parsed.get(closed.at(-1) ?? '');
    for (const key of closed) parsed.delete(key);
    const number = title?.split(' ')[1];
    if (number === undefined) return;
    for (;;) {
      const response = await fetch(`${served.url}api/search?q=${number}`);
      const { total = 0 } = (await response.json()) as { total?: number };
      if (total > 0) break;
      await sleep(SEARCH_INTERVAL_MS);
    }
    found.push({ seconds: (performance.now() - since) / 1000, isCompared });
  }
}
