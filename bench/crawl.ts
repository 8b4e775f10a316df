/**
 * A whole crawl of a site, from the start of the process to its end, by webcrawl and by its peers: what each fetches, and
 * what that costs. Everyone parses title and links, and stores links, titles and bodies on disk; no delays, the same
 * number of requests in flight, and the same URLs left out. webcrawl runs as its users run it, and alone asks for robots.txt.
 *
 * The server is on the same machine, and takes its part of the cores from all alike.
 */
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { crawlOnce, type CrawlSample } from './lib/crawl-once.js';
import { CRAWLERS, type Crawler } from './lib/crawlers.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import { startSite, type Site } from './lib/site.js';

/** `crawl`: webcrawl and its peers on one site. */
export const crawlBench: Bench = {
  about: 'a whole crawl of a site, by webcrawl, Colly, Scrapy and Crawlee',
  names: CRAWLERS.map(({ name }) => name),
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const wanted = CRAWLERS.filter(({ name }) => isWanted(options, name));
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
  const of = (name: string, figure: (sample: CrawlSample) => number): Spread =>
    spread((samples.get(name) ?? []).map(figure));
  const rate = (name: string): Spread => of(name, ({ pages, seconds }) => pages / seconds);
  const cpu = (name: string): Spread => of(name, ({ pages, cpuSeconds }) => (1000 * cpuSeconds) / pages);
  const pages = (name: string): Spread => of(name, (sample) => sample.pages);
  const memory = (name: string): Spread => of(name, (sample) => sample.peakMb ?? NaN);
  const disk = (name: string): Spread => of(name, (sample) => sample.diskMb);
  const ours = crawlers.find((crawler) => crawler.isOurs)?.name;
  const bars = (value: (name: string) => Spread) =>
    crawlers.map(({ name }) => ({ label: name, value: value(name), ours: name === ours }));

  return {
    title: `crawl: ${site.name}`,
    columns: [
      { key: 'name', head: 'crawler' },
      { key: 'pages', head: 'pages' },
      { key: 'rate', head: 'pages/s' },
      { key: 'rateRatio', head: '× Colly', digits: 2 },
      { key: 'cpu', head: 'CPU-s per 1,000', digits: 2 },
      { key: 'cpuRatio', head: '× Colly', digits: 2 },
      { key: 'memory', head: 'peak MB' },
      { key: 'disk', head: 'disk MB' },
    ],
    rows: crawlers.map((crawler) => {
      const { name } = crawler;
      return {
        name: `${name} ${crawler.version()}`,
        pages: pages(name),
        rate: rate(name),
        rateRatio: rate(name).median / rate('colly').median,
        cpu: cpu(name),
        cpuRatio: cpu(name).median / cpu('colly').median,
        memory: memory(name),
        disk: disk(name),
      };
    }),
    notes: [
      compareCounts(crawlers.map(({ name }) => pages(name).median)),
      ...(site.pages === undefined ? [] : [`The site has ${site.pages.toLocaleString('en-US')} pages.`]),
      ...(absent.length > 0 ? [`Not installed, and left out: ${absent.join(', ')}.`] : []),
      `From the start of each process to its end. The server, ${site.server}, is on the same cores.`,
      'Pages are answers of status 200. All keep links, titles and bodies; webcrawl the text and the link graph as well.',
    ],
    chart: {
      title: `Crawling ${site.name}`,
      panels: [
        { title: 'Pages per second', better: 'more', bars: bars(rate) },
        { title: 'CPU seconds per 1,000 pages', better: 'less', digits: 2, bars: bars(cpu) },
        { title: 'Peak memory, MB', better: 'less', bars: bars(memory) },
      ],
    },
    samples: Object.fromEntries(samples),
  };
}

/** What the numbers of pages say of whether all did the same work. */
function compareCounts(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (least === most) return `All fetched the same number of pages, ${most.toLocaleString('en-US')}.`;
  const difference = `The numbers of pages differ by up to ${most - least} of ${most.toLocaleString('en-US')}`;
  return most - least <= most / 500 ? `${difference}.` : `${difference}: these are not crawls of the same pages.`;
}
