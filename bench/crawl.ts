/**
 * A whole crawl of a site, from the start of the process to its end, by webcrawl and by its peers: what each fetches, and what that costs.
 * All of them parse title and links, and store links, titles and bodies on disk, without delays, with the same number of requests in
 * flight, and with the same URL filters. webcrawl runs as its users run it. Only webcrawl requests robots.txt.
 *
 * The server is on the same machine, and takes the same share of the cores from every crawler. With `--cores` the crawlers run on fewer
 * cores.
 */
import { availableParallelism } from 'node:os';
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { crawlOnce, type CrawlSample } from './lib/crawl-once.js';
import { ON_NODE_24, OURS, PEER_CRAWLERS, otherCheckout, type Crawler } from './lib/crawlers.js';
import { cpuPerThousand, firstPart, pagesPerSecond, startCpuSeconds, steadyPart } from './lib/quarters.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import { SITES, startSite, type Site } from './lib/site.js';

/** The reference of the ratios: the first of these that takes part. */
const REFERENCES = ['colly', 'against'];

/** `crawl`: webcrawl and its peers on one site. */
export const crawlBench: Bench = {
  about: 'a whole crawl of a site, by webcrawl on this Node and on Node 24, Colly, spider, wget2, Scrapy and Crawlee',
  names: [OURS, ON_NODE_24, ...PEER_CRAWLERS].map(({ name }) => name),
  sites: SITES,
  run,
};

/** A crawler on some cores. */
interface Run {
  /** The name of the crawler, with the number of cores if it varies. */
  readonly name: string;
  readonly crawler: Crawler;
  /** Absent: all cores. */
  readonly cores?: number;
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const { against } = options;
  const named = [OURS, ON_NODE_24, ...PEER_CRAWLERS].filter(({ name }) => isWanted(options, name));
  const wanted = [...named, ...(against === undefined ? [] : [otherCheckout(against)])];
  const crawlers = wanted.filter((crawler) => crawler.version() !== undefined);
  const absent = wanted.filter((crawler) => !crawlers.includes(crawler)).map(({ name }) => name);
  for (const name of absent) options.say(`${name} is left out; bench/install.sh installs it`);
  const runs = (options.cores ?? [undefined]).flatMap((cores) =>
    crawlers.map((crawler): Run => {
      if (cores === undefined) return { name: crawler.name, crawler };
      return { name: `${crawler.name} on ${cores}`, crawler, cores };
    }),
  );

  const site = await startSite(options);
  options.say(`${site.name}, served by ${site.server}`);
  try {
    const samples = await alternate(runs, options.rounds, async ({ name, crawler, cores }, round) => {
      options.say(`round ${round + 1} of ${options.rounds}: ${name}`);
      return crawlOnce(crawler, site, options.cache, cores === undefined ? {} : { cores });
    });
    return present(runs, absent, site, samples);
  } finally {
    await site.close();
  }
}

function present(
  runs: readonly Run[],
  absent: readonly string[],
  site: Site,
  samples: ReadonlyMap<string, readonly CrawlSample[]>,
): BenchResult {
  const samplesOf = (name: string): readonly CrawlSample[] => samples.get(name) ?? [];
  const of = (name: string, figure: (sample: CrawlSample) => number): Spread => spread(samplesOf(name).map(figure));
  const crawlers = [...new Set(runs.map(({ crawler }) => crawler))];
  const reference = REFERENCES.find((name) => crawlers.some((crawler) => crawler.name === name)) ?? OURS.name;
  // Computed within each round, with the same number of cores, since the speed of the machine changes between rounds.
  const ratio = ({ name, cores }: Run, figure: (sample: CrawlSample) => number): Spread => {
    const other = runs.find((run) => run.crawler.name === reference && run.cores === cores);
    const others = samplesOf(other?.name ?? '');
    return spread(
      samplesOf(name).map((sample, round) => figure(sample) / (others[round] ? figure(others[round]) : NaN)),
    );
  };
  const bars = (figure: (sample: CrawlSample) => number) =>
    runs.map(({ name, crawler }) => ({ label: name, value: of(name, figure), ours: crawler.isOurs === true }));

  return {
    title: `crawl: ${site.name}`,
    columns: [
      { key: 'name', head: 'crawler' },
      { key: 'cores', head: 'cores' },
      { key: 'pages', head: 'pages' },
      { key: 'rate', head: 'pages/s' },
      { key: 'rateRatio', head: `× ${reference}`, digits: 2 },
      { key: 'cpu', head: 'CPU-s per 1,000', digits: 2 },
      { key: 'cpuRatio', head: `× ${reference}`, digits: 2 },
      { key: 'startCpu', head: 'start: CPU-s', digits: 2 },
      { key: 'firstRate', head: 'first quarter: pages/s' },
      { key: 'firstCpu', head: 'CPU-s per 1,000', digits: 2 },
      { key: 'steadyRate', head: 'steady: pages/s' },
      { key: 'steadyRateRatio', head: `× ${reference}`, digits: 2 },
      { key: 'steadyCpu', head: 'CPU-s per 1,000', digits: 2 },
      { key: 'steadyCpuRatio', head: `× ${reference}`, digits: 2 },
      { key: 'memory', head: 'peak MB' },
      { key: 'disk', head: 'disk MB' },
    ],
    rows: runs.map((one) => {
      const { name, crawler, cores = availableParallelism() } = one;
      return {
        name: `${crawler.name} ${crawler.version()}`,
        cores,
        pages: of(name, ({ pages }) => pages),
        rate: of(name, pagesPerSecond),
        rateRatio: ratio(one, pagesPerSecond),
        cpu: of(name, cpuPerThousand),
        cpuRatio: ratio(one, cpuPerThousand),
        startCpu: of(name, startCpuSeconds),
        firstRate: of(name, (sample) => pagesPerSecond(firstPart(sample))),
        firstCpu: of(name, (sample) => cpuPerThousand(firstPart(sample))),
        steadyRate: of(name, steadyRate),
        steadyRateRatio: ratio(one, steadyRate),
        steadyCpu: of(name, steadyCpu),
        steadyCpuRatio: ratio(one, steadyCpu),
        memory: of(name, ({ peakMb }) => peakMb ?? NaN),
        disk: of(name, ({ diskMb }) => diskMb),
      };
    }),
    notes: [
      compareCounts(runs.map(({ name }) => of(name, ({ pages }) => pages).median)),
      ...(site.pages === undefined ? [] : [`The site has ${site.pages.toLocaleString('en-US')} pages.`]),
      ...(absent.length > 0 ? [`Not installed, and left out: ${absent.join(', ')}.`] : []),
      `From the start of each process to its end. The server, ${site.server}, is on the same machine and may use all of its cores.`,
      'The first quarter ends when the server has had a quarter of the requests; the last three are the steady part. The start is the CPU time of the first quarter in addition to that of as many steady pages: loading, compiling, connecting.',
      'Ratios are of each round by itself, and of as many cores.',
      'Pages are answers of status 200. All keep links, titles and bodies, unless it is said below; webcrawl the text and the link graph as well.',
      ...crawlers.flatMap(({ about }) => (about === undefined ? [] : [`${about}.`])),
      'What webcrawl asks of its store for each page (row changes, reads, the frontier, batches, asynchronous calls, bytes) is told by the benchmark `operations`.',
    ],
    chart: {
      title: `Crawling ${site.name}`,
      panels: [
        { title: 'Pages per second', better: 'more', bars: bars(pagesPerSecond) },
        { title: 'CPU seconds per 1,000 pages', better: 'less', digits: 2, bars: bars(cpuPerThousand) },
        { title: 'CPU seconds per 1,000 pages, steady part', better: 'less', digits: 2, bars: bars(steadyCpu) },
        { title: 'CPU seconds of the start', better: 'less', digits: 2, bars: bars(startCpuSeconds) },
        { title: 'Peak memory, MB', better: 'less', bars: bars(({ peakMb }) => peakMb ?? NaN) },
      ],
    },
    samples: Object.fromEntries(samples),
  };
}

const steadyRate = (sample: CrawlSample): number => pagesPerSecond(steadyPart(sample));
const steadyCpu = (sample: CrawlSample): number => cpuPerThousand(steadyPart(sample));

/** A note on whether all crawlers fetched the same number of pages. */
function compareCounts(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (least === most) return `All fetched the same number of pages, ${most.toLocaleString('en-US')}.`;
  const difference = `The numbers of pages differ by up to ${most - least} of ${most.toLocaleString('en-US')}`;
  return most - least <= most / 500 ? `${difference}.` : `${difference}: these are not crawls of the same pages.`;
}
