/**
 * The memory of an audit, at most 400 MB for 1,000,000 rows with 10 to 47 links each, and its cost. Each table is audited in
 * its own process, which reads all findings.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { makeTable } from './lib/cached-table.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import { runWorker } from './lib/worker.js';
import type { AuditSample } from './workers/audit-job.js';

const ASKED_MB = 400;
const ROWS_PER_HOST = 1000;
const CASES = [
  { name: '200k', rows: 200_000 },
  { name: '1m', rows: 1_000_000 },
] as const;

/** `audit`: its memory and its cost. */
export const auditBench: Bench = {
  about: 'peak memory, CPU time and sorted bytes of an audit of 1,000,000 rows',
  names: CASES.map(({ name }) => name),
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const { scale, cache, rounds, say } = options;
  const cases = CASES.filter(({ name }) => isWanted(options, name));
  const folder = join(cache, 'audit');
  const samples = await alternate(cases, rounds, async ({ name, rows }) => {
    const plan = { hosts: scaled(rows / ROWS_PER_HOST, scale), rowsPerHost: ROWS_PER_HOST };
    const directory = await makeTable(options, 'audit', plan);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const sample = await runWorker<AuditSample>(new URL('workers/audit-job.js', import.meta.url), {
      directory,
      folder,
    });
    say(`${name}: ${sample.links} links, own ${sample.ownMb.toFixed(0)} MB, CPU ${sample.cpuSeconds.toFixed(1)} s`);
    return sample;
  });
  await rm(folder, { recursive: true, force: true });

  const rows = cases.map((one) => {
    const over = (figure: (sample: AuditSample) => number): Spread => spread((samples.get(one.name) ?? []).map(figure));
    return {
      rows: scaled(one.rows / ROWS_PER_HOST, scale) * ROWS_PER_HOST,
      links: over(({ links }) => links),
      findings: over(({ findings }) => findings),
      cpuSeconds: over(({ cpuSeconds }) => cpuSeconds),
      perLink: over(({ cpuSeconds, links }) => (cpuSeconds * 1e6) / links),
      sortedMb: over(({ sortedMb }) => sortedMb),
      ownMb: over(({ ownMb }) => ownMb),
      residentMb: over(({ residentMb }) => residentMb),
    };
  });
  return {
    title: 'audit: pages with 10 to 47 links',
    columns: [
      { key: 'rows', head: 'rows' },
      { key: 'links', head: 'links' },
      { key: 'findings', head: 'findings' },
      { key: 'cpuSeconds', head: 'CPU s', digits: 1 },
      { key: 'perLink', head: 'µs a link', digits: 1 },
      { key: 'sortedMb', head: 'sorted MB' },
      { key: 'ownMb', head: 'own MB' },
      { key: 'residentMb', head: 'with mapped files' },
    ],
    rows,
    notes: [
      `At most ${ASKED_MB} MB of its own are asked for. Own MB leave out the files of the table that the system maps.`,
      'Sorted MB is the peak of the temporary files.',
    ],
    chart: {
      title: 'Audit',
      panels: [
        {
          title: 'own MB',
          better: 'less',
          bars: rows.map(({ rows: count, ownMb: value }) => ({ label: `${count} rows`, value, ours: true })),
        },
      ],
    },
    samples: Object.fromEntries(samples),
  };
}
