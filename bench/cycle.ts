/**
 * A cycle of a small batch on tables of any size: what generate, fetch, parse and updatedb take, and whether that grows
 * with the table. There is no network. Each job runs in a process of its own, on a copy of a table that is made once and
 * kept in the cache.
 *
 * `fetch, rows only` and `parse, rows only` are the same command run again when all is done: they read the rows of the
 * batch and pass over every one, so what they take is the selection of rows without the work on them.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { copyTable, makeTable } from './lib/cached-table.js';
import type { TablePlan } from './lib/cycle-table.js';
import { alternate, spread } from './lib/rounds.js';
import type { Row } from './lib/table.js';
import { runWorker } from './lib/worker.js';
import type { CycleJob, JobFigures } from './workers/cycle-job.js';

interface TableCase {
  readonly name: string;
  /** What is special about it. */
  readonly about: string;
  readonly rows: number;
  readonly hosts: number;
  /** Rows of one further host, which come before all others. */
  readonly bigHostRows?: number;
  /** The part of the rows that are not due. */
  readonly notDue?: number;
  /** Rows in a batch; {@link TOP_N} where it is absent. */
  readonly topN?: number;
  /** Of `generate.maxCount`; none where it is absent. */
  readonly maxCount?: number;
  /** The times and the memory that are asked for at the most, as multiples of the first table's. */
  readonly atMost?: { readonly seconds: number; readonly memory?: number };
}

const TOP_N = 10_000;
const GROWN = { seconds: 1.3, memory: 1.2 };
const SPECIAL = { seconds: 2 };
const HOSTS = 100_000;
/** At full size; a smaller scale makes rows, hosts and batches smaller. No table has more hosts than rows. */
const TABLES: readonly TableCase[] = [
  { name: '50k', about: '50,000 rows, what the others are compared with', rows: 50_000, hosts: HOSTS },
  { name: '500k', about: '500,000 rows on 100,000 hosts', rows: 500_000, hosts: HOSTS, atMost: GROWN },
  { name: '5m', about: '5,000,000 rows on 100,000 hosts', rows: 5_000_000, hosts: HOSTS, atMost: GROWN },
  {
    name: 'capped-host',
    about: '50,000 rows, and 4,000,000 of one host that come first and of which a batch takes 100',
    rows: 50_000,
    hosts: HOSTS,
    bigHostRows: 4_000_000,
    maxCount: 100,
    atMost: SPECIAL,
  },
  { name: '1m-hosts', about: '1,000,000 hosts of one row', rows: 1_000_000, hosts: 1_000_000, atMost: SPECIAL },
  {
    name: '90-not-due',
    about: '5,000,000 rows of which 90 % are not due, and some become due by the time of the cycle',
    rows: 5_000_000,
    hosts: HOSTS,
    notDue: 0.9,
    atMost: SPECIAL,
  },
  {
    name: 'big-batch',
    about: '2,000,000 rows, and a batch of one of each of 100,000 hosts: for its memory, of which 500 MB are asked for',
    rows: 2_000_000,
    hosts: HOSTS,
    topN: HOSTS,
    maxCount: 1,
  },
];

const STEPS = [
  ['generate', { job: 'generate' }],
  ['fetch', { job: 'fetch' }],
  ['fetch, rows only', { job: 'fetch', resume: true }],
  ['parse', { job: 'parse' }],
  ['parse, rows only', { job: 'parse' }],
  ['updatedb', { job: 'updatedb' }],
] as const;
type Step = (typeof STEPS)[number][0];
/** The steps of which a ratio is asked for; the others do work on each page, which is the same on every table. */
const JUDGED: readonly Step[] = ['generate', 'fetch, rows only', 'parse, rows only', 'updatedb'];
type Sample = Readonly<Record<Step, JobFigures>>;

/** `cycle`: what a batch costs as the table grows. */
export const cycleBench: Bench = {
  about: 'a batch of 10,000 rows on tables of 50,000 to 5,000,000',
  names: TABLES.map(({ name }) => name),
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const [base] = TABLES;
  const cases = TABLES.filter((table) => table === base || isWanted(options, table.name));
  const made = new Map<string, string>();
  for (const table of cases) made.set(table.name, await makeTable(options, planOf(table, options.scale)));

  const samples = await alternate(cases, options.rounds, async (table, round): Promise<Sample> => {
    options.say(`round ${round + 1} of ${options.rounds}: ${table.name}`);
    return runCycle(table, made.get(table.name)!, options);
  });
  return present(cases, samples);
}

function planOf({ rows, hosts, bigHostRows = 0, notDue = 0 }: TableCase, scale: number): TablePlan {
  const ownRows = size(rows, scale);
  const ownHosts = Math.min(ownRows, size(hosts, scale));
  return {
    hosts: ownHosts,
    rowsPerHost: Math.ceil(ownRows / ownHosts),
    pool: size(TABLES[0]!.rows, scale),
    bigHostRows: bigHostRows && size(bigHostRows, scale),
    notDue,
  };
}

function size(count: number, scale: number): number {
  return scaled(count, scale, 100);
}

async function runCycle(table: TableCase, made: string, { cache, scale }: BenchOptions): Promise<Sample> {
  const topN = size(table.topN ?? TOP_N, scale);
  const maxCount = table.maxCount ?? -1;
  const directory = join(cache, 'cycle-copy');
  await copyTable(made, directory);
  try {
    const figures: Partial<Record<Step, JobFigures>> = {};
    let batch: string | undefined;
    for (const [step, job] of STEPS) {
      const argument: CycleJob = { directory, topN, maxCount, ...job, ...(batch !== undefined && { batch }) };
      figures[step] = await runWorker<JobFigures>(new URL('workers/cycle-job.js', import.meta.url), argument);
      batch ??= figures[step].batchId;
    }
    return figures as Sample;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function present(cases: readonly TableCase[], samples: ReadonlyMap<string, readonly Sample[]>): BenchResult {
  const of = (name: string, step: Step, figure: 'seconds' | 'ownMb' | 'peakMb') =>
    spread((samples.get(name) ?? []).map((sample) => sample[step][figure]));
  const base = cases[0]!.name;
  const rows = STEPS.flatMap(([step]) =>
    cases.map(({ name, atMost }): Row => {
      const [seconds, memory] = [of(name, step, 'seconds'), of(name, step, 'ownMb')];
      const limit = JUDGED.includes(step) ? atMost : undefined;
      const isCompared = atMost !== undefined;
      return {
        step,
        table: name,
        seconds,
        memory,
        resident: of(name, step, 'peakMb'),
        timeRatio: isCompared ? seconds.median / of(base, step, 'seconds').median : undefined,
        timeAsked: limit && `≤ ${limit.seconds}`,
        memoryRatio: isCompared ? memory.median / of(base, step, 'ownMb').median : undefined,
        memoryAsked: limit?.memory === undefined ? undefined : `≤ ${limit.memory}`,
        did: samples.get(name)?.[0]?.[step].did,
      };
    }),
  );
  return {
    title: 'cycle: what a batch costs as the table grows',
    columns: [
      { key: 'step', head: 'job' },
      { key: 'table', head: 'table' },
      { key: 'did', head: 'rows done' },
      { key: 'seconds', head: 'seconds', digits: 3 },
      { key: 'timeRatio', head: 'ratio', digits: 2 },
      { key: 'timeAsked', head: 'asked' },
      { key: 'memory', head: 'own MB' },
      { key: 'memoryRatio', head: 'ratio', digits: 2 },
      { key: 'memoryAsked', head: 'asked' },
      { key: 'resident', head: 'with mapped files' },
    ],
    rows,
    notes: [
      ...cases.map(({ name, about }) => `${name}: ${about}.`),
      `Ratios are of medians, to ${base}. Time is that of the job, without opening the table.`,
      'Own MB is the peak of the memory of the process; besides it the system maps what is read of the files of the table, which it can take back at any time.',
      'Fetch and parse do the same work on each page of any table; "rows only" is their selection of rows alone.',
    ],
    chart: {
      title: 'A cycle costs what its batch costs',
      panels: STEPS.map(([step]) => ({
        title: `${step}, seconds`,
        digits: 3,
        better: 'less' as const,
        bars: cases
          .filter(({ name, atMost }) => name === base || atMost)
          .map(({ name }) => ({ label: name, value: of(name, step, 'seconds'), ours: name !== base })),
      })),
    },
    samples: Object.fromEntries(samples),
  };
}
