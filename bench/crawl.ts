/**
 * A whole crawl of a site, from the start of the process to its end, by webcrawl and by its peers: what each fetches, and
 * what that costs. Everyone parses title and links, and stores links, titles and bodies on disk; no delays, the same
 * number of requests in flight, and the same URLs left out. webcrawl runs as its users run it, and alone asks for robots.txt.
 *
 * The server is on the same machine, and takes its part of the cores from all alike.
 */
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { crawlOnce, type CrawlSample } from './lib/crawl-once.js';
import { ON_NODE_24, OURS, PEER_CRAWLERS, PROTOTYPE, otherCheckout, type Crawler } from './lib/crawlers.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import { startSite, type Site } from './lib/site.js';

/** What the ratios are to: the first of these that takes part. */
const REFERENCES = ['colly', 'against'];

/** `crawl`: webcrawl and its peers on one site. */
export const crawlBench: Bench = {
  about: 'a whole crawl of a site, by webcrawl on this Node and on Node 24, Colly, Scrapy and Crawlee',
  names: [OURS, ON_NODE_24, ...PEER_CRAWLERS, PROTOTYPE].map(({ name }) => name),
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const { against } = options;
  const named = [OURS, ON_NODE_24, ...PEER_CRAWLERS].filter(({ name }) => isWanted(options, name));
  const wanted = [
    ...named,
    ...(options.only?.includes(PROTOTYPE.name) ? [PROTOTYPE] : []),
    ...(against === undefined ? [] : [otherCheckout(against)]),
  ];
  const crawlers = wanted.filter((crawler) => crawler.version() !== undefined);
  const absent = wanted.filter((crawler) => !crawlers.includes(crawler)).map(({ name }) => name);
  for (const name of absent) options.say(`${name} is left out; bench/install.sh installs it`);

  const site = await startSite(options);
  options.say(`${site.name}, served by ${site.server}`);
  try {
    const samples = await alternate(crawlers, options.rounds, async (crawler, round) => {
      options.say(`round ${round + 1} of ${options.rounds}: ${crawler.name}`);
      return crawlOnce(crawler, site, options.cache);
    });
    return present(crawlers, absent, site, samples);
  } finally {
    await site.close();
  }
}

function present(
  crawlers: readonly Crawler[],
  absent: readonly string[],
  site: Site,
  samples: ReadonlyMap<string, readonly CrawlSample[]>,
): BenchResult {
  const samplesOf = (name: string): readonly CrawlSample[] => samples.get(name) ?? [];
  const of = (name: string, figure: (sample: CrawlSample) => number): Spread => spread(samplesOf(name).map(figure));
  const reference = REFERENCES.find((name) => samples.has(name)) ?? OURS.name;
  // Of each round by itself: the speed of the machine changes between rounds.
  const ratio = (name: string, figure: (sample: CrawlSample) => number): Spread =>
    spread(samplesOf(name).map((sample, round) => figure(sample) / figure(samplesOf(reference)[round]!)));
  const bars = (figure: (sample: CrawlSample) => number) =>
    crawlers.map(({ name, isOurs }) => ({ label: name, value: of(name, figure), ours: isOurs === true }));

  return {
    title: `crawl: ${site.name}`,
    columns: [
      { key: 'name', head: 'crawler' },
      { key: 'pages', head: 'pages' },
      { key: 'rate', head: 'pages/s' },
      { key: 'rateRatio', head: `× ${reference}`, digits: 2 },
      { key: 'cpu', head: 'CPU-s per 1,000', digits: 2 },
      { key: 'cpuRatio', head: `× ${reference}`, digits: 2 },
      { key: 'firstRate', head: 'first quarter: pages/s' },
      { key: 'firstCpu', head: 'CPU-s per 1,000', digits: 2 },
      { key: 'steadyRate', head: 'the rest: pages/s' },
      { key: 'steadyCpu', head: 'CPU-s per 1,000', digits: 2 },
      { key: 'steadyRatio', head: `× ${reference}`, digits: 2 },
      { key: 'memory', head: 'peak MB' },
      { key: 'disk', head: 'disk MB' },
    ],
    rows: crawlers.map((crawler) => {
      const { name } = crawler;
      return {
        name: `${name} ${crawler.version()}`,
        pages: of(name, ({ pages }) => pages),
        rate: of(name, rate),
        rateRatio: ratio(name, rate),
        cpu: of(name, cpu),
        cpuRatio: ratio(name, cpu),
        firstRate: of(name, (sample) => rate(quartersOf(sample, 0, 1))),
        firstCpu: of(name, (sample) => cpu(quartersOf(sample, 0, 1))),
        steadyRate: of(name, (sample) => rate(quartersOf(sample, 1))),
        steadyCpu: of(name, (sample) => cpu(quartersOf(sample, 1))),
        steadyRatio: ratio(name, (sample) => cpu(quartersOf(sample, 1))),
        memory: of(name, ({ peakMb }) => peakMb ?? NaN),
        disk: of(name, ({ diskMb }) => diskMb),
      };
    }),
    notes: [
      compareCounts(crawlers.map(({ name }) => of(name, ({ pages }) => pages).median)),
      ...(site.pages === undefined ? [] : [`The site has ${site.pages.toLocaleString('en-US')} pages.`]),
      ...(absent.length > 0 ? [`Not installed, and left out: ${absent.join(', ')}.`] : []),
      `From the start of each process to its end. The server, ${site.server}, is on the same cores.`,
      'The first quarter is until the server has had a quarter of the requests: what starting and compiling cost shows there, the rest is the steady state.',
      'Ratios are of each round by itself.',
      'Pages are answers of status 200. All keep links, titles and bodies; webcrawl the text and the link graph as well.',
    ],
    chart: {
      title: `Crawling ${site.name}`,
      panels: [
        { title: 'Pages per second', better: 'more', bars: bars(rate) },
        { title: 'CPU seconds per 1,000 pages', better: 'less', digits: 2, bars: bars(cpu) },
        {
          title: 'CPU seconds per 1,000 pages after the first quarter',
          better: 'less',
          digits: 2,
          bars: bars((sample) => cpu(quartersOf(sample, 1))),
        },
        { title: 'Peak memory, MB', better: 'less', bars: bars(({ peakMb }) => peakMb ?? NaN) },
      ],
    },
    samples: Object.fromEntries(samples),
  };
}

type Cost = Pick<CrawlSample, 'pages' | 'seconds' | 'cpuSeconds'>;

const rate = ({ pages, seconds }: Cost): number => pages / seconds;
const cpu = ({ pages, cpuSeconds }: Cost): number => (1000 * cpuSeconds) / pages;

/** The quarters from one to another together; NaN where they were not measured. */
function quartersOf({ pages, quarters }: CrawlSample, from: number, to = 4): Cost {
  const some = quarters.slice(from, to);
  if (some.length === 0) return { pages: NaN, seconds: NaN, cpuSeconds: NaN };
  const total = (figure: 'seconds' | 'cpuSeconds'): number => some.reduce((sum, quarter) => sum + quarter[figure], 0);
  return { pages: (pages * some.length) / 4, seconds: total('seconds'), cpuSeconds: total('cpuSeconds') };
}

/** What the numbers of pages say of whether all did the same work. */
function compareCounts(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (least === most) return `All fetched the same number of pages, ${most.toLocaleString('en-US')}.`;
  const difference = `The numbers of pages differ by up to ${most - least} of ${most.toLocaleString('en-US')}`;
  return most - least <= most / 500 ? `${difference}.` : `${difference}: these are not crawls of the same pages.`;
}
