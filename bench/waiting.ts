/**
 * Whether the fetcher has to wait for the other jobs: a crawl of at least ten rounds on 200 hosts, of which one in twenty
 * takes five seconds for an answer, with rounds that overlap and with rounds one after another. There is no network.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { alternate, spread } from './lib/rounds.js';
import { runWorker } from './lib/worker.js';
import type { WaitingFigures, WaitingJob } from './workers/waiting-job.js';

const WAYS: readonly { readonly name: WaitingJob['rounds']; readonly about: string }[] = [
  { name: 'overlapping', about: 'as crawl runs them' },
  { name: 'one after another', about: 'as with --rounds' },
];
const COLUMNS = [
  { key: 'idlePercent', head: 'idle %', digits: 1 },
  { key: 'rounds', head: 'rounds' },
  { key: 'fastSeconds', head: 'fast hosts done s', digits: 1 },
  { key: 'seconds', head: 'all done s', digits: 1 },
  { key: 'pagesPerSecond', head: 'fast pages/s' },
] as const;

/** `waiting`: slow hosts. */
export const waitingBench: Bench = {
  about: 'one host in twenty answers in five seconds: how long the fetcher waits for other jobs',
  names: WAYS.map(({ name }) => name),
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const ways = WAYS.filter(({ name }) => isWanted(options, name));
  const directory = join(options.cache, 'waiting');
  const hosts = scaled(200, options.scale, 20);
  const slowMs = scaled(5000, options.scale, 100);
  const samples = await alternate(ways, options.rounds, async ({ name }, round) => {
    options.say(`round ${round + 1} of ${options.rounds}: ${name}`);
    await rm(directory, { recursive: true, force: true });
    const job: WaitingJob = { directory, hosts, slowMs, rounds: name };
    return runWorker<WaitingFigures>(new URL('workers/waiting-job.js', import.meta.url), job);
  });
  await rm(directory, { recursive: true, force: true });

  const figure = (name: string, key: keyof WaitingFigures) =>
    spread((samples.get(name) ?? []).map((sample) => sample[key]));
  return {
    title: `waiting: ${hosts} hosts, one in twenty of which takes ${slowMs / 1000} seconds for an answer`,
    columns: [{ key: 'name', head: 'rounds' }, ...COLUMNS],
    rows: ways.map(({ name }) => ({
      name,
      ...Object.fromEntries(COLUMNS.map(({ key }) => [key, figure(name, key)])),
    })),
    notes: [
      ...WAYS.map(({ name, about }) => `${name}: ${about}.`),
      'Idle is the share of the time, from the first request to the last answer of a fast host, in which no request to a fast host was in flight. At most 5 % are asked for.',
    ],
    chart: {
      title: 'Waiting for other jobs',
      panels: COLUMNS.filter(({ key }) => key !== 'rounds').map(
        ({ key, head, digits = 0 }: (typeof COLUMNS)[number] & { digits?: number }) => ({
          title: head,
          digits,
          better: key === 'pagesPerSecond' ? ('more' as const) : ('less' as const),
          bars: ways.map(({ name }) => ({ label: name, value: figure(name, key), ours: name === 'overlapping' })),
        }),
      ),
    },
    samples: Object.fromEntries(samples),
  };
}
