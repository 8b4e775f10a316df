import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH, PEERS, ROOT } from './folders.js';
import { firstLine } from './machine.js';

export interface CrawlTask {
  readonly seeds: readonly string[];
  readonly stay: 'host' | 'any';
  /** An empty folder for stored data, which is also the working directory. */
  readonly out: string;
}

export interface Crawler {
  readonly name: string;
  readonly isOurs?: boolean;
  /** Undefined: it is not installed. */
  readonly version: () => string | undefined;
  readonly command: (task: CrawlTask) => {
    readonly command: string;
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  };
  /** Number of distinct pages of status 200, from its output. */
  readonly pages: (stdout: string) => number;
  readonly about?: string;
}

/** Node 24, if `bench/install.sh` has installed it. */
export const NODE_24 = join(PEERS, `node24/node_modules/node-${process.platform}-${process.arch}/bin/node`);
const WGET2 = join(BENCH, 'peers/wget2/crawl.sh');
/** Number of requests in flight, the same for all. */
const CONCURRENCY = 64;

const URL_RULES = join(BENCH, 'peers/url-rules.txt');

const SETTINGS: Readonly<Record<string, string | number>> = {
  'fetcher.serverDelay': 0,
  'fetcher.threadsPerQueue': CONCURRENCY,
  'http.privateAddresses': 'allow',
  'urlfilter.regexFile': URL_RULES,
  'http.contentLimit': -1,
  'db.maxOutlinksPerPage': -1,
};

function options({ seeds, stay, out }: CrawlTask): string[] {
  const reject = /^-(.*)$/m.exec(readFileSync(URL_RULES, 'utf8'))?.[1] ?? '';
  const given = { seeds: seeds.join(' '), stay, out, concurrency: CONCURRENCY, reject };
  return Object.entries(given).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

/** The version that a file states, if a program is installed. */
function versionIn(program: string, file: string, pattern: RegExp): string | undefined {
  return existsSync(program) ? pattern.exec(readFileSync(join(BENCH, file), 'utf8'))?.[1] : undefined;
}

function pagesPrinted(stdout: string): number {
  return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { pages: number }).pages;
}

function webcrawl(name: string, folder: string, node: string): Crawler {
  return {
    name,
    isOurs: true,
    version() {
      if (!existsSync(join(folder, 'dist/bin/webcrawl.js'))) return undefined;
      return firstLine(node, ['--version'])?.replace(/^v/, 'on Node ');
    },
    command({ seeds, stay, out }) {
      const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
      const command = ['crawl', ...seeds, '--stay', stay, '--threads', String(CONCURRENCY), '--json', '--quiet'];
      const table = ['--table', `level:${join(out, 'table')}`];
      return { command: node, args: [join(folder, 'dist/bin/webcrawl.js'), ...command, ...table, ...settings] };
    },
    pages: (stdout) => (JSON.parse(stdout) as { counters: Record<string, number> }).counters.success ?? 0,
  };
}

export const OURS = webcrawl('webcrawl', ROOT, process.execPath);

/** The same crawler with unbundled modules, for tools that look into single modules. */
export function unbundled(crawler: Crawler): Crawler {
  return {
    ...crawler,
    command(task) {
      const { args, ...given } = crawler.command(task);
      return {
        ...given,
        args: args.map((arg) => arg.replace(/dist\/bin\/webcrawl\.js$/, 'dist/unbundled/webcrawl.js')),
      };
    },
  };
}

export const ON_NODE_24 = webcrawl('node24', ROOT, NODE_24);

export function otherCheckout(folder: string): Crawler {
  return webcrawl('against', folder, process.execPath);
}

export const PEER_CRAWLERS: readonly Crawler[] = [
  {
    name: 'colly',
    version: () => versionIn(join(PEERS, 'colly/colly'), 'peers/colly/go.mod', /colly\/v2 v(\S+)/),
    command: (task) => ({ command: join(PEERS, 'colly/colly'), args: options(task) }),
    pages: pagesPrinted,
  },
  {
    name: 'spider',
    version: () =>
      versionIn(join(PEERS, 'spider/release/crawl'), 'peers/spider/Cargo.toml', /^spider = .*"=([\d.]+)"/m),
    command: (task) => ({ command: join(PEERS, 'spider/release/crawl'), args: options(task) }),
    pages: pagesPrinted,
    about:
      'spider crawls each host by itself, with its part of the requests in flight, and passes over URLs with a percent sign that stands alone',
  },
  {
    name: 'wget2',
    version() {
      if (!existsSync(join(PEERS, 'wget2'))) return undefined;
      return /^GNU Wget2 ([\d.]+)/.exec(firstLine(WGET2, ['--version']) ?? '')?.[1];
    },
    command: (task) => ({ command: WGET2, args: options(task) }),
    pages: pagesPrinted,
    about: 'wget2 stores each body as a file and no table: neither titles nor links',
  },
  {
    name: 'scrapy',
    version: () => firstLine(join(PEERS, 'scrapy/bin/scrapy'), ['version'])?.replace(/^Scrapy /, ''),
    command: (task) => ({
      command: join(PEERS, 'scrapy/bin/python'),
      args: [join(BENCH, 'peers/scrapy/crawl.py'), ...options(task)],
    }),
    pages: pagesPrinted,
  },
  {
    name: 'crawlee',
    version() {
      const manifest = 'node_modules/@crawlee/cheerio/package.json';
      return versionIn(join(BENCH, manifest), manifest, /"version": "([^"]*)"/);
    },
    command: (task) => ({
      command: process.execPath,
      args: [join(BENCH, 'peers/crawlee/crawl.mjs'), ...options(task)],
      env: { CRAWLEE_STORAGE_DIR: join(task.out, 'storage') },
    }),
    pages: pagesPrinted,
  },
];
