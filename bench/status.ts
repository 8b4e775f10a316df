/**
 * What it costs a crawl to be looked at: the same crawl alone, with a process that asks for its status every second, and with
 * the command `webcrawl status` started every second.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { crawlOnce } from './lib/crawl-once.js';
import { OURS } from './lib/crawlers.js';
import { alternate, spread } from './lib/rounds.js';
import { SITES, startSite } from './lib/site.js';

const WORKER = fileURLToPath(new URL('workers/status-asker.js', import.meta.url));
const WAYS = [
  { name: 'alone', about: 'nobody looks' },
  { name: 'status', about: 'a process beside it asks for the status once a second' },
  { name: 'command', about: '`webcrawl status` is started once a second, which takes CPU time of its own to start' },
] as const;

/** `status`: a crawl that is looked at. */
export const statusBench: Bench = {
  about: 'a crawl while others ask for its status once a second, and while nobody does',
  names: WAYS.map(({ name }) => name),
  sites: SITES,
  run,
};

interface Sample {
  readonly pages: number;
  readonly pagesPerSecond: number;
  /** Of the crawl alone, without whoever asks: CPU seconds for 1,000 pages. A busy machine changes it little. */
  readonly cpu: number;
  /** Answers that showed the crawl at work. */
  readonly answers: number;
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const ways = WAYS.filter(({ name }) => isWanted(options, name));
  const site = await startSite(options);
  options.say(`${site.name}, served by ${site.server}`);
  try {
    const samples = await alternate(ways, options.rounds, async ({ name }, round): Promise<Sample> => {
      options.say(`round ${round + 1} of ${options.rounds}: ${name}`);
      const asker = name === 'alone' ? undefined : ask(join(options.cache, 'crawl'), name);
      try {
        const { pages, seconds, cpuSeconds } = await crawlOnce(OURS, site, options.cache);
        return {
          pages,
          pagesPerSecond: pages / seconds,
          cpu: (1000 * cpuSeconds) / pages,
          answers: asker?.answers() ?? 0,
        };
      } finally {
        await asker?.end();
      }
    });
    return present(site.name, ways, samples);
  } finally {
    await site.close();
  }
}

/** Asks once a second, until it is ended. */
function ask(folder: string, way: string): { answers(): number; end(): Promise<void> } {
  const child: ChildProcess = spawn(process.execPath, [WORKER, JSON.stringify({ folder, way })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let answers = 0;
  child.stdout?.on('data', (chunk: Buffer) => (answers += chunk.toString().split('\n').length - 1));
  return {
    answers: () => answers,
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function present(
  site: string,
  ways: readonly (typeof WAYS)[number][],
  samples: ReadonlyMap<string, readonly Sample[]>,
): BenchResult {
  const of = (name: string, figure: keyof Sample) => spread((samples.get(name) ?? []).map((sample) => sample[figure]));
  // Of each round by itself: the speed of the machine changes between rounds.
  const ratio = (name: string) =>
    spread(
      (samples.get(name) ?? []).map(
        ({ pagesPerSecond }, round) => pagesPerSecond / (samples.get('alone')?.[round]?.pagesPerSecond ?? NaN),
      ),
    );
  return {
    title: `status: ${site}`,
    columns: [
      { key: 'name', head: 'asked by' },
      { key: 'pages', head: 'pages' },
      { key: 'rate', head: 'pages/s' },
      { key: 'ratio', head: '× alone', digits: 2 },
      { key: 'cpu', head: 'CPU-s per 1,000', digits: 2 },
      { key: 'answers', head: 'answers' },
    ],
    rows: ways.map(({ name }) => ({
      name,
      pages: of(name, 'pages'),
      rate: of(name, 'pagesPerSecond'),
      ratio: ratio(name),
      cpu: of(name, 'cpu'),
      answers: of(name, 'answers'),
    })),
    notes: [
      ...WAYS.map(({ name, about }) => `${name}: ${about}.`),
      'At least 0.95 times the pages per second of a crawl that nobody looks at are asked for.',
    ],
    chart: {
      title: 'A crawl that is looked at',
      panels: [
        {
          title: 'Pages per second',
          better: 'more',
          bars: ways.map(({ name }) => ({ label: name, value: of(name, 'pagesPerSecond'), ours: name === 'status' })),
        },
      ],
    },
    samples: Object.fromEntries(samples),
  };
}
