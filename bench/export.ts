/** Each format runs in a process of its own, on the same two tables: the smaller one shows whether memory grows with the rows. */
import { join } from 'node:path';
import { setV8Flags } from '../packages/util/index.js';
import { openContext } from '../packages/webcrawl/internal.js';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { makeTable } from './lib/cached-table.js';
import { EXPORT_CASES } from './lib/export-formats.js';
import { EXPORT_TABLE } from './lib/export-table.js';
import { inEmptyFolder } from './lib/folders.js';
import { alternate, over, samplesByName } from './lib/rounds.js';
import { formatNumber, tabulate } from './lib/table.js';
import { measured, runJob } from './lib/worker.js';

const ROWS = 5_000_000;
const ROWS_PER_HOST = 1000;
const BODY_EVERY = 25;
const SMALLER_BY = 10;

export const exportBench: Bench = {
  about: 'rows and MB per second of each format of export, against a plain scan',
  names: Object.keys(EXPORT_CASES),
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const { scale, cache, rounds, say } = options;
  const table = (rows: number): Promise<string> => {
    const hosts = scaled(rows / ROWS_PER_HOST, scale);
    return makeTable(options, EXPORT_TABLE, { hosts, rowsPerHost: ROWS_PER_HOST, bodyEvery: BODY_EVERY });
  };
  const [all, fewer] = [await table(ROWS), await table(ROWS / SMALLER_BY)];
  const cases = Object.entries(EXPORT_CASES)
    .map(([name, { about }]) => ({ name, about }))
    .filter(({ name }) => isWanted(options, name));
  const exported = await alternate(cases, rounds, async ({ name }, round) => {
    say(`round ${round + 1} of ${rounds}: ${name}`);
    const exportFrom = (directory: string): ReturnType<typeof exportTable> =>
      inEmptyFolder(join(cache, 'export'), (folder) =>
        runJob(import.meta.url, exportTable, { directory, name, folder }),
      );
    const sample = await exportFrom(all);
    const { rows, seconds, cpuSeconds, megabytes } = sample;
    say(
      `${name}: ${rows} rows, ${megabytes.toFixed(0)} MB in ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s, own ${sample.ownMb.toFixed(0)} MB`,
    );
    return { ...sample, fewerRowsMb: (await exportFrom(fewer)).ownMb };
  });

  const scan = exported.find(({ name }) => name === 'scan');
  const scanCpu = scan ? over(({ cpuSeconds }: { cpuSeconds: number }) => cpuSeconds)(scan).median : NaN;
  const { panels, ...figures } = tabulate(
    exported,
    {
      name: { head: 'format', of: ({ name }) => name },
      rows: { head: 'rows', of: over(({ rows }) => rows) },
      rate: { head: '1,000 rows/s', digits: 1, better: 'more', of: over(({ rows, seconds }) => rows / seconds / 1000) },
      megabyteRate: { head: 'MB/s', digits: 1, of: over(({ megabytes, seconds }) => megabytes / seconds) },
      megabytes: { head: 'MB', of: over(({ megabytes }) => megabytes) },
      cpuSeconds: { head: 'CPU s', digits: 1, of: over(({ cpuSeconds }) => cpuSeconds) },
      speed: { head: 'of scan', digits: 2, of: over(({ cpuSeconds }) => scanCpu / cpuSeconds) },
      peakMb: { head: 'own MB', of: over(({ ownMb }) => ownMb) },
      fewerRowsMb: { head: `of 1/${SMALLER_BY} of the rows`, of: over(({ fewerRowsMb }) => fewerRowsMb) },
    },
    ({ name }) => ({ label: name, ours: name !== 'scan' }),
  );
  return {
    title: `export: a table of ${formatNumber(scaled(ROWS / ROWS_PER_HOST, scale) * ROWS_PER_HOST)} rows`,
    ...figures,
    notes: [
      ...cases.map(({ name, about }) => `${name}: ${about}.`),
      'Of scan: the CPU time of the plain scan divided by that of the export; of jsonl at least 0.5 is asked for.',
      'Own MB is the peak of the memory of the process, without mapped files of the table; beside it, that of a table with a tenth of the rows.',
      `All formats read all rows. One row in ${BODY_EVERY} has a body, of 5 KB of HTML.`,
    ],
    chart: { title: 'Export', panels },
    samples: samplesByName(exported),
  };
}

export async function exportTable({ directory, name, folder }: { directory: string; name: string; folder: string }) {
  setV8Flags();
  await using crawl = await openContext({ table: `level:${directory}` });
  const { output, run: write } = EXPORT_CASES[name]!;
  const [{ counters }, cost] = await measured(() => write(crawl, join(folder, output)));
  // For an archive, `rows` are the pages in it, and `selected` the rows that were read.
  const { rows = 0, selected = rows, bytes = 0 } = counters;
  return { rows: selected, megabytes: bytes / 1e6, ...cost };
}
