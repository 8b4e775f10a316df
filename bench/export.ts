/**
 * The speed of exports: rows and megabytes in a second for each format, beside a plain scan of the same fields, and the peak memory, also
 * with a tenth of the rows. Each runs in its own process on the same tables.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { makeTable } from './lib/cached-table.js';
import { EXPORT_CASES } from './lib/export-formats.js';
import type { ExportPlan } from './lib/export-table.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import { runWorker } from './lib/worker.js';
import type { ExportSample } from './workers/export-job.js';

const ROWS = 5_000_000;
const ROWS_PER_HOST = 1000;
const BODY_EVERY = 25;
/** The smaller table, for comparing memory, has fewer rows by this factor. */
const FEWER = 10;

interface MeasuredCase extends ExportSample {
  readonly fewerRowsMb: number;
}

/** `export`: the rate of each format. */
export const exportBench: Bench = {
  about: 'rows and MB per second of each format of export, against a plain scan',
  names: Object.keys(EXPORT_CASES),
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const planOf = (rows: number): ExportPlan => ({
    hosts: scaled(rows / ROWS_PER_HOST, options.scale),
    rowsPerHost: ROWS_PER_HOST,
    bodyEvery: BODY_EVERY,
  });
  const plan = planOf(ROWS);
  const tables = {
    all: await makeTable(options, 'export', plan),
    fewer: await makeTable(options, 'export', planOf(ROWS / FEWER)),
  };
  const cases = Object.entries(EXPORT_CASES)
    .map(([name, { about, output }]) => ({ name, about, output }))
    .filter(({ name }) => isWanted(options, name));
  const folder = join(options.cache, 'export');
  const runOn = async (table: keyof typeof tables, name: string, output: string): Promise<ExportSample> => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const job = { directory: tables[table], name, output: join(folder, output) };
    return runWorker<ExportSample>(new URL('workers/export-job.js', import.meta.url), job);
  };
  const samples = await alternate(cases, options.rounds, async ({ name, output }, round) => {
    options.say(`round ${round + 1} of ${options.rounds}: ${name}`);
    const sample = await runOn('all', name, output);
    const { rows, seconds, cpuSeconds, megabytes } = sample;
    options.say(
      `${name}: ${rows} rows, ${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s, own ${sample.ownMb.toFixed(0)} MB`,
    );
    return { ...sample, fewerRowsMb: (await runOn('fewer', name, output)).ownMb };
  });
  await rm(folder, { recursive: true, force: true });

  const over = (name: string, figure: (sample: MeasuredCase) => number): Spread =>
    spread((samples.get(name) ?? []).map(figure));
  const scan = samples.has('scan') ? over('scan', ({ cpuSeconds }) => cpuSeconds).median : NaN;
  const rows = cases.map(({ name }) => ({
    name,
    rows: over(name, (sample) => sample.rows),
    rate: over(name, (sample) => sample.rows / sample.seconds / 1000),
    megabytes: over(name, (sample) => sample.megabytes),
    megabyteRate: over(name, (sample) => sample.megabytes / sample.seconds),
    cpuSeconds: over(name, (sample) => sample.cpuSeconds),
    speed: over(name, (sample) => scan / sample.cpuSeconds),
    peakMb: over(name, ({ ownMb }) => ownMb),
    fewerRowsMb: over(name, (sample) => sample.fewerRowsMb),
  }));
  const count = (plan.hosts * plan.rowsPerHost).toLocaleString('en-US');
  return {
    title: `export: a table of ${count} rows`,
    columns: [
      { key: 'name', head: 'format' },
      { key: 'rate', head: '1,000 rows/s', digits: 1 },
      { key: 'megabyteRate', head: 'MB/s', digits: 1 },
      { key: 'megabytes', head: 'MB', digits: 0 },
      { key: 'cpuSeconds', head: 'CPU s', digits: 1 },
      { key: 'speed', head: 'of scan', digits: 2 },
      { key: 'peakMb', head: 'own MB' },
      { key: 'fewerRowsMb', head: `of 1/${FEWER} of the rows` },
    ],
    rows,
    notes: [
      ...cases.map(({ name, about }) => `${name}: ${about}.`),
      'Of scan: the CPU time of the plain scan divided by that of the export; of jsonl at least 0.5 is asked for.',
      'Own MB is the peak of the memory of the process, without mapped files of the table; beside it, that of a table with a tenth of the rows.',
      `All formats read all rows. One row in ${BODY_EVERY} has a body, of 5 KB of HTML.`,
    ],
    chart: {
      title: 'Export',
      panels: [
        {
          title: 'rows per second, in thousands',
          digits: 1,
          better: 'more' as const,
          bars: rows.map(({ name, rate }) => ({ label: name, value: rate, ours: name !== 'scan' })),
        },
      ],
    },
    samples: Object.fromEntries(samples),
  };
}
