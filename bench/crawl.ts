/**
 * A whole crawl of a site, from the start of the process to its end, by webcrawl and by its peers: what each fetches, and
 * what that costs. Everyone parses title and links, and stores links, titles and bodies on disk; no delays, the same
 * number of requests in flight, and the same URLs left out. webcrawl runs as its users run it, and alone asks for robots.txt.
 *
 * The server is on the same machine, and takes its part of the cores from all alike.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { CRAWLERS, type Crawler } from './lib/crawlers.js';
import { bytesOnDisk, measure } from './lib/measure.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import { startSite, type Site } from './lib/site.js';

interface Sample {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb?: number;
  readonly diskMb: number;
}

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
      return crawlOnce(crawler, site, options);
    });
    return present(crawlers, absent, site, samples);
  } finally {
    await site.close();
  }
}

async function crawlOnce(crawler: Crawler, site: Site, { cache }: BenchOptions): Promise<Sample> {
  const out = join(cache, 'crawl');
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const { command, args, env = {} } = crawler.command({ ...site, out });
  // Nothing of the environment may set webcrawl up.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('WEBCRAWL_'));
  const { stdout, seconds, cpuSeconds, peakMb } = await measure(command, args, {
    cwd: out,
    env: { ...Object.fromEntries(inherited), ...env },
  });
  const pages = crawler.pages(stdout);
  const diskMb = (await bytesOnDisk(out)) / 2 ** 20;
  await rm(out, { recursive: true, force: true });
  return { pages, seconds, cpuSeconds, diskMb, ...(peakMb !== undefined && { peakMb }) };
}

function present(
  crawlers: readonly Crawler[],
  absent: readonly string[],
  site: Site,
  samples: ReadonlyMap<string, readonly Sample[]>,
): BenchResult {
  const of = (name: string, figure: (sample: Sample) => number): Spread =>
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
