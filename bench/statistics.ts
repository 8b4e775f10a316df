/**
 * What statistics by prefix cost beside a plain scan of the hot family that decodes one field, and the most memory, also of a tenth of the
 * rows and of all rows on one host. Each runs in a process of its own over the same tables.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { copyTable, makeTableOf, type TableMaker } from './lib/cached-table.js';
import type { PrefixPlan } from './lib/prefix-table.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import { runWorker, type PeakMemory } from './lib/worker.js';

const ROWS = 5_000_000;
const ROWS_PER_HOST = 1000;
/** The tables on which memory is compared have so many times fewer rows. */
const FEWER = 10;
const MAKER: TableMaker<PrefixPlan> = {
  prefix: 'prefixes-',
  worker: 'load-prefix-table.js',
  rowsOf: 'prefix-table.js',
  count: ({ hosts, rowsPerHost }) => hosts * rowsPerHost,
};
const CASES = [
  { name: 'scan', about: 'reads every row, and decodes its status' },
  { name: 'statistics', about: 'what `webcrawl stats prefixes` does, with prefixes of 10 rows and more' },
  { name: 'all', about: 'the same with --min 1, so that next to nothing is folded' },
] as const;

interface Sample extends PeakMemory {
  readonly rows: number;
  readonly prefixes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

interface MeasuredCase extends Sample {
  readonly fewerRowsMb: number;
  readonly oneHostMb: number;
}

/** `statistics`: the cost of statistics by prefix. */
export const statisticsBench: Bench = {
  about: 'statistics by prefix of a table, against a plain scan of it',
  names: CASES.map(({ name }) => name),
  rounds: 3,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const rowsPerHost = Math.min(ROWS_PER_HOST, scaled(ROWS, options.scale));
  const hosts = scaled(ROWS / ROWS_PER_HOST, options.scale);
  const fewer = { hosts: Math.ceil(hosts / FEWER), rowsPerHost };
  const tables = {
    all: await makeTableOf(options, MAKER, { hosts, rowsPerHost }),
    fewer: await makeTableOf(options, MAKER, fewer),
    oneHost: await makeTableOf(options, MAKER, { hosts: 1, rowsPerHost: fewer.hosts * rowsPerHost }),
  };
  const cases = CASES.filter(({ name }) => isWanted(options, name));
  const directory = join(options.cache, 'statistics');
  const runOn = async (table: keyof typeof tables, name: string): Promise<Sample> => {
    await copyTable(tables[table], directory);
    return runWorker<Sample>(new URL('workers/statistics-job.js', import.meta.url), { directory, name });
  };
  const samples = await alternate(cases, options.rounds, async ({ name }, round): Promise<MeasuredCase> => {
    const sample = await runOn('all', name);
    const { rows, prefixes, seconds, cpuSeconds } = sample;
    options.say(
      `round ${round + 1} of ${options.rounds}: ${name}: ${rows} rows, ${prefixes} prefixes in ${seconds.toFixed(1)} s, ` +
        `CPU ${cpuSeconds.toFixed(1)} s, own ${ownMb(sample).toFixed(0)} MB`,
    );
    const fewerRowsMb = ownMb(await runOn('fewer', name));
    return { ...sample, fewerRowsMb, oneHostMb: ownMb(await runOn('oneHost', name)) };
  });
  await rm(directory, { recursive: true, force: true });

  const over = (name: string, figure: (sample: MeasuredCase) => number): Spread =>
    spread((samples.get(name) ?? []).map(figure));
  const scan = samples.has('scan') ? over('scan', ({ cpuSeconds }) => cpuSeconds).median : NaN;
  const rows = cases.map(({ name }) => ({
    name,
    rate: over(name, (sample) => sample.rows / sample.seconds / 1000),
    cpuSeconds: over(name, (sample) => sample.cpuSeconds),
    ofScan: over(name, (sample) => sample.cpuSeconds / scan),
    prefixes: over(name, (sample) => sample.prefixes),
    peakMb: over(name, ownMb),
    fewerRowsMb: over(name, (sample) => sample.fewerRowsMb),
    oneHostMb: over(name, (sample) => sample.oneHostMb),
  }));
  const count = (hosts * rowsPerHost).toLocaleString('en-US');
  return {
    title: `statistics: a table of ${count} rows on ${hosts.toLocaleString('en-US')} hosts`,
    columns: [
      { key: 'name', head: 'what' },
      { key: 'rate', head: '1,000 rows/s', digits: 1 },
      { key: 'cpuSeconds', head: 'CPU s', digits: 1 },
      { key: 'ofScan', head: '× scan', digits: 2 },
      { key: 'prefixes', head: 'prefixes' },
      { key: 'peakMb', head: 'own MB' },
      { key: 'fewerRowsMb', head: `of 1/${FEWER} of the rows` },
      { key: 'oneHostMb', head: 'of these on one host' },
    ],
    rows,
    notes: [
      ...CASES.map(({ name, about }) => `${name}: ${about}.`),
      '× scan: the CPU time divided by that of the plain scan; of statistics at most 2 is asked for.',
      'Own MB is the peak of the memory of the process, without mapped files of the table; beside it, that of tables with a tenth of the rows.',
      'Rows have the hot family alone, as pages do: the others are not read.',
    ],
    chart: {
      title: 'Statistics by prefix',
      panels: [
        {
          title: 'CPU seconds',
          digits: 1,
          better: 'less' as const,
          bars: rows.map(({ name, cpuSeconds }) => ({ label: name, value: cpuSeconds, ours: name !== 'scan' })),
        },
      ],
    },
    samples: Object.fromEntries(samples),
  };
}

function ownMb(sample: Sample): number {
  return sample.ownMb ?? sample.residentMb ?? NaN;
}
