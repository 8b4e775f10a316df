/**
 * The cost of serving for a crawl: `crawl --serve` with one query in a second, alternating with the same crawl without it, at full speed
 * and with a delay. Also the time from the end of updatedb until a search finds a page of its batch, with a large table.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { OURS } from './lib/crawlers.js';
import { cpuSecondsOf } from './lib/measure.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import { startSite, type Site } from './lib/site.js';
import { runWorker } from './lib/worker.js';
import type { ServingFigures, ServingJob } from './workers/serving-job.js';

const RATE = 'rate';
const POLITE = 'polite';
const FINDABLE = 'findable';
/** Number of pages in the existing table. */
const KNOWN = 100_000;
const INJECTED_HOSTS = 300;
/** Queries, one in each second in turn: a word of most pages, two words, and a phrase. */
const QUERIES = ['tide', 'neap current', '"moon spring"', 'page'];
/** Seconds between two requests to a host in the polite crawl, Nutch's default. */
const DELAY = 5;
const LOOK_MS = 100;
/** Milliseconds without a request, beyond the polite delay, after which the server is asked whether the crawl is over. */
const QUIET_MS = 1000;

/** `serving`: a crawl with and without `--serve`. */
export const servingBench: Bench = {
  about: 'what --serve and a query a second cost a crawl of 20,000 pages, and when a page is findable among 100,000',
  names: [RATE, POLITE, FINDABLE],
  run,
};

/** A crawl up to its last request. */
interface Sample {
  readonly pages: number;
  readonly seconds: number;
  /** NaN: the system does not tell. */
  readonly cpuSeconds: number;
  /** Milliseconds of the successful searches. */
  readonly searches: readonly number[];
  readonly failedSearches: number;
}

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
  const site = await startSite({ ...options, site: 'synthetic' });
  try {
    const wanted = CRAWLS.filter(({ pace }) => isWanted(options, pace));
    const samples = await alternate(wanted, options.rounds, async (crawl, round) => {
      options.say(`round ${round + 1} of ${options.rounds}: ${crawl.name}`);
      return crawlOnce(site, options, crawl);
    });
    const found = isWanted(options, FINDABLE) ? await findable(site, options) : undefined;
    return present(site, samples, found);
  } finally {
    await site.close();
  }
}

async function crawlOnce(site: Site, { cache, scale }: BenchOptions, { pace, isServed }: Compared): Promise<Sample> {
  const out = join(cache, 'serving');
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const { command, args } = OURS.command({ ...site, out });
  const longest = DELAY * Math.min(1, scale);
  const delay = pace === POLITE ? longest : 0;
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
      async (answer) => (await answer.text()) !== '' && answer.ok,
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
    if (isServed && url !== undefined && requests > before && at - last.at > QUIET_MS + 1000 * longest) {
      const { jobs } = (await (await fetch(`${url}api/status`)).json()) as { jobs: readonly { job: string }[] };
      if (jobs.every(({ job }) => job !== 'crawl')) break;
      await sleep(1000);
    }
    await sleep(LOOK_MS);
  }
  clearInterval(timer);
  if (isServed) child.kill('SIGINT');
  const [code] = await ended;
  if (code !== (isServed ? 130 : 0)) throw new Error(`the crawl ended with ${code}: ${stderr.slice(-2000)}`);
  await rm(out, { recursive: true, force: true, maxRetries: 5 });
  const { at, cpuSeconds } = last;
  return { pages: OURS.pages(stdout), seconds: (at - start) / 1000, cpuSeconds, searches, failedSearches };
}

async function findable(site: Site, { cache, scale, say }: BenchOptions): Promise<ServingFigures> {
  const directory = join(cache, 'serving');
  await rm(directory, { recursive: true, force: true });
  const job: ServingJob = {
    directory,
    pages: scaled(KNOWN, scale, 100),
    hosts: Math.min(scaled(INJECTED_HOSTS, scale, 3), (site.pages ?? 0) / 10),
    port: Number(new URL(site.seeds[0]!).port),
  };
  say(`a table of ${job.pages.toLocaleString('en-US')} pages, and ${job.hosts} hosts that come to it one by one`);
  const figures = await runWorker<ServingFigures>(new URL('workers/serving-job.js', import.meta.url), job);
  await rm(directory, { recursive: true, force: true });
  return figures;
}

function present(
  site: Site,
  samples: ReadonlyMap<string, readonly Sample[]>,
  found: ServingFigures | undefined,
): BenchResult {
  const of = (name: string, figure: (sample: Sample) => number): Spread =>
    spread((samples.get(name) ?? []).map(figure));
  // Computed within each round, since the speed of the machine changes between rounds.
  const ratio = ({ name, pace }: Compared, figure: (sample: Sample) => number): Spread => {
    const plain = samples.get(CRAWLS.find((each) => each.pace === pace && !each.isServed)!.name)!;
    return spread(samples.get(name)!.map((sample, i) => figure(sample) / figure(plain[i]!)));
  };
  const searchesOf = (name: string): number[] => samples.get(name)!.flatMap(({ searches }) => searches);
  const failed = [...samples.values()].flat().reduce((sum, { failedSearches }) => sum + failedSearches, 0);
  const named = CRAWLS.filter(({ name }) => samples.has(name));
  const times = (found?.batches ?? []).map(({ seconds }) => seconds);
  const during = (found?.batches ?? []).filter(({ isCompared }) => isCompared).map(({ seconds }) => seconds);
  return {
    title: `serving: ${site.name}, crawled with and without --serve; a page among ${(found?.pages ?? 0).toLocaleString('en-US')}`,
    columns: [
      { key: 'name', head: 'what' },
      { key: 'pages', head: 'pages' },
      { key: 'rate', head: 'pages/s' },
      { key: 'rateRatio', head: '× crawl', digits: 2 },
      { key: 'cpu', head: 'CPU-s per 1,000', digits: 2 },
      { key: 'cpuRatio', head: '× crawl', digits: 2 },
      { key: 'count', head: 'searches, batches' },
      { key: 'p50', head: 's p50', digits: 3 },
      { key: 'most', head: 's at most', digits: 3 },
    ],
    rows: [
      ...named.map((crawl) => ({
        name: crawl.name,
        pages: of(crawl.name, ({ pages }) => pages),
        rate: of(crawl.name, rate),
        rateRatio: ratio(crawl, rate),
        cpu: of(crawl.name, cpu),
        cpuRatio: ratio(crawl, cpu),
        ...(crawl.isServed && {
          count: searchesOf(crawl.name).length,
          p50: spread(searchesOf(crawl.name)).median / 1000,
          most: Math.max(0, ...searchesOf(crawl.name)) / 1000,
        }),
      })),
      ...(found
        ? [
            {
              name: 'findable after updatedb',
              count: times.length,
              p50: spread(times).median,
              most: Math.max(...times),
            },
            {
              name: 'the same while table and index are compared',
              count: during.length,
              p50: spread(during).median,
              most: during.length > 0 ? Math.max(...during) : NaN,
            },
          ]
        : []),
    ],
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
          bars: named.map(({ name, isServed }) => ({ label: name, value: of(name, rate), ours: isServed })),
        },
        {
          title: 'Seconds from updatedb until a page is found',
          better: 'less',
          digits: 2,
          bars: found ? [{ label: 'crawl --serve', value: spread(times), ours: true }] : [],
        },
      ],
    },
    samples: { ...Object.fromEntries(samples), found },
  };
}

const rate = ({ pages, seconds }: Sample): number => pages / seconds;
const cpu = ({ pages, cpuSeconds }: Sample): number => (1000 * cpuSeconds) / pages;
