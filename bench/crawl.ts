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
import { alternate, over, ratio, samplesByName, type Sampled, type Spread } from './lib/rounds.js';
import { SITES, withSite, type Site } from './lib/site.js';
import { formatNumber, tabulate } from './lib/table.js';

const REFERENCES = ['colly', 'against'];

export const crawlBench: Bench = {
  about: 'a whole crawl of a site, by webcrawl on this Node and on Node 24, Colly, spider, wget2, Scrapy and Crawlee',
  names: [OURS, ON_NODE_24, ...PEER_CRAWLERS].map(({ name }) => name),
  sites: SITES,
  run,
};

interface Run {
  readonly name: string;
  readonly crawler: Crawler;
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

  return withSite(options, async (site) => {
    const measured = await alternate(runs, options.rounds, async ({ name, crawler, cores }, round) => {
      options.say(`round ${round + 1} of ${options.rounds}: ${name}`);
      return crawlOnce(crawler, site, options.cache, cores === undefined ? {} : { cores });
    });
    return present(measured, absent, site);
  });
}

function present(runs: readonly Sampled<Run, CrawlSample>[], absent: readonly string[], site: Site): BenchResult {
  const crawlers = [...new Set(runs.map(({ crawler }) => crawler))];
  const reference = REFERENCES.find((name) => crawlers.some((crawler) => crawler.name === name)) ?? OURS.name;
  const ratioOf =
    (figure: (sample: CrawlSample) => number) =>
    (one: (typeof runs)[number]): Spread => {
      const other = runs.find(({ crawler, cores }) => crawler.name === reference && cores === one.cores);
      return ratio(one, other, figure);
    };
  const pages = over((sample: CrawlSample) => sample.pages);
  const { panels, ...table } = tabulate(
    runs,
    {
      name: { head: 'crawler', of: ({ crawler }) => `${crawler.name} ${crawler.version()}` },
      cores: { head: 'cores', of: ({ cores = availableParallelism() }) => cores },
      pages: { head: 'pages', of: pages },
      rate: { head: 'pages/s', better: 'more', panel: 'Pages per second', of: over(pagesPerSecond) },
      rateRatio: { head: `× ${reference}`, digits: 2, of: ratioOf(pagesPerSecond) },
      cpu: {
        head: 'CPU-s per 1,000',
        digits: 2,
        better: 'less',
        panel: 'CPU seconds per 1,000 pages',
        of: over(cpuPerThousand),
      },
      cpuRatio: { head: `× ${reference}`, digits: 2, of: ratioOf(cpuPerThousand) },
      startCpu: {
        head: 'start: CPU-s',
        digits: 2,
        better: 'less',
        panel: 'CPU seconds of the start',
        of: over(startCpuSeconds),
      },
      firstRate: { head: 'first quarter: pages/s', of: over((sample) => pagesPerSecond(firstPart(sample))) },
      firstCpu: { head: 'CPU-s per 1,000', digits: 2, of: over((sample) => cpuPerThousand(firstPart(sample))) },
      steadyRate: { head: 'steady: pages/s', of: over(steadyRate) },
      steadyRateRatio: { head: `× ${reference}`, digits: 2, of: ratioOf(steadyRate) },
      steadyCpu: {
        head: 'CPU-s per 1,000',
        digits: 2,
        better: 'less',
        panel: 'CPU seconds per 1,000 pages, steady part',
        of: over(steadyCpu),
      },
      steadyCpuRatio: { head: `× ${reference}`, digits: 2, of: ratioOf(steadyCpu) },
      memory: { head: 'peak MB', better: 'less', panel: 'Peak memory, MB', of: over(({ peakMb = NaN }) => peakMb) },
      disk: { head: 'disk MB', of: over(({ diskMb }) => diskMb) },
    },
    ({ name, crawler }) => ({ label: name, ours: crawler.isOurs === true }),
  );
  return {
    title: `crawl: ${site.name}`,
    ...table,
    notes: [
      compareCounts(runs.map((one) => pages(one).median)),
      ...(site.pages === undefined ? [] : [`The site has ${formatNumber(site.pages)} pages.`]),
      ...(absent.length > 0 ? [`Not installed, and left out: ${absent.join(', ')}.`] : []),
      `From the start of each process to its end. The server, ${site.server}, is on the same machine and may use all of its cores.`,
      'The first quarter ends when the server has had a quarter of the requests; the last three are the steady part. The start is the CPU time of the first quarter in addition to that of as many steady pages: loading, compiling, connecting.',
      'Ratios are of each round by itself, and of as many cores.',
      'Pages are answers of status 200. All keep links, titles and bodies, unless it is said below; webcrawl the text and the link graph as well.',
      ...crawlers.flatMap(({ about }) => (about === undefined ? [] : [`${about}.`])),
      'What webcrawl asks of its store for each page (row changes, reads, the frontier, batches, asynchronous calls, bytes) is told by the benchmark `operations`.',
    ],
    chart: { title: `Crawling ${site.name}`, panels },
    samples: samplesByName(runs),
  };
}

const steadyRate = (sample: CrawlSample): number => pagesPerSecond(steadyPart(sample));
const steadyCpu = (sample: CrawlSample): number => cpuPerThousand(steadyPart(sample));

function compareCounts(counts: readonly number[]): string {
  const [min, max] = [Math.min(...counts), Math.max(...counts)];
  if (min === max) return `All fetched the same number of pages, ${formatNumber(max)}.`;
  const difference = `The numbers of pages differ by up to ${max - min} of ${formatNumber(max)}`;
  return max - min <= max / 500 ? `${difference}.` : `${difference}: these are not crawls of the same pages.`;
}
