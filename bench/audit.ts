/** Each table is audited in a process of its own, which reads all findings. */
import { join } from 'node:path';
import { setV8Flags } from '../packages/util/index.js';
import { audit, openContext } from '../packages/webcrawl/internal.js';
import { AUDIT_TABLE } from './lib/audit-table.js';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { makeTable } from './lib/cached-table.js';
import { inEmptyFolder } from './lib/folders.js';
import { bytesOnDisk } from './lib/measure.js';
import { alternate, over, samplesByName } from './lib/rounds.js';
import { tabulate } from './lib/table.js';
import { measured, runJob } from './lib/worker.js';

const GOAL_MB = 400;
const ROWS_PER_HOST = 1000;
const CASES = [
  { name: '200k', rows: 200_000 },
  { name: '1m', rows: 1_000_000 },
] as const;
const SIZE_CHECK_MS = 1000;

export const auditBench: Bench = {
  about: 'peak memory, CPU time and sorted bytes of an audit of 1,000,000 rows',
  names: CASES.map(({ name }) => name),
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const { scale, cache, rounds, say } = options;
  const cases = CASES.filter(({ name }) => isWanted(options, name));
  const audited = await alternate(cases, rounds, async ({ name, rows }) => {
    const plan = { hosts: scaled(rows / ROWS_PER_HOST, scale), rowsPerHost: ROWS_PER_HOST };
    const directory = await makeTable(options, AUDIT_TABLE, plan);
    const sample = await inEmptyFolder(join(cache, 'audit'), (folder) =>
      runJob(import.meta.url, auditTable, { directory, folder }),
    );
    say(`${name}: ${sample.links} links, own ${sample.ownMb.toFixed(0)} MB, CPU ${sample.cpuSeconds.toFixed(1)} s`);
    return sample;
  });
  const rowsOf = ({ rows }: (typeof CASES)[number]): number => scaled(rows / ROWS_PER_HOST, scale) * ROWS_PER_HOST;
  const { panels, ...table } = tabulate(
    audited,
    {
      rows: { head: 'rows', of: rowsOf },
      links: { head: 'links', of: over(({ links }) => links) },
      findings: { head: 'findings', of: over(({ findings }) => findings) },
      cpuSeconds: { head: 'CPU s', digits: 1, of: over(({ cpuSeconds }) => cpuSeconds) },
      perLink: { head: 'µs a link', digits: 1, of: over(({ cpuSeconds, links }) => (cpuSeconds * 1e6) / links) },
      sortedMb: { head: 'sorted MB', of: over(({ sortedMb }) => sortedMb) },
      ownMb: { head: 'own MB', better: 'less', of: over(({ ownMb }) => ownMb) },
      residentMb: { head: 'with mapped files', of: over(({ residentMb }) => residentMb) },
    },
    (one) => ({ label: `${rowsOf(one)} rows` }),
  );
  return {
    title: 'audit: pages with 10 to 47 links',
    ...table,
    notes: [
      `At most ${GOAL_MB} MB of its own are asked for. Own MB leave out the files of the table that the system maps.`,
      'Sorted MB is the peak of the temporary files.',
    ],
    chart: { title: 'Audit', panels },
    samples: samplesByName(audited),
  };
}

export async function auditTable({ directory, folder }: { directory: string; folder: string }) {
  setV8Flags();
  await using crawl = await openContext({ table: `level:${directory}` });
  let sortedMb = 0;
  const timer = setInterval(() => {
    void bytesOnDisk(folder).then((bytes) => (sortedMb = Math.max(sortedMb, bytes / 1e6)));
  }, SIZE_CHECK_MS);
  const [found, cost] = await measured(async () => {
    await using report = await audit(crawl, { folder });
    let findings = 0;
    for await (const _ of report.findings) findings += 1;
    return { links: report.summary.links, findings };
  });
  clearInterval(timer);
  return { ...found, ...cost, sortedMb };
}
