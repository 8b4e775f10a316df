/**
 * Whether the cost of a cycle grows with the table. There is no network. Each job runs in its own process. A table is filled once, and each
 * round uses the next batch of it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import {
  panelsOfSteps,
  ratioToBase,
  runSteps,
  stepsOnTables,
  type CycleSample,
  type Step,
  type StepFigures,
} from './lib/cycle-steps.js';
import { loadHBaseTable, type TablePlan } from './lib/cycle-table.js';
import { BENCH, ROOT } from './lib/folders.js';
import { startHBase } from './lib/hbase-cluster.js';
import { hasMaven } from './lib/maven.js';
import { alternate, over, samplesByName, type Sampled } from './lib/rounds.js';
import { formatNumber, tabulate } from './lib/table.js';
import { runJob } from './lib/worker.js';

const STEPS: readonly Step[] = (['generate', 'fetch', 'parse', 'updatedb'] as const).map((job) => ({ name: job, job }));
const TABLES = [
  { name: '100k', rows: 100_000 },
  { name: '2m', rows: 2_000_000 },
] as const;
const HOSTS = 20_000;
const TOP_N = 2000;
const AT_MOST = 1.3;
const ROUNDS = 3;

export const hbaseCycleBench: Bench = {
  about: `a batch of ${formatNumber(TOP_N)} rows on tables on HBase of 100,000 and 2,000,000 rows`,
  names: TABLES.map(({ name }) => name),
  rounds: ROUNDS,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const tables = TABLES.filter(({ name }) => isWanted(options, name));
  const target = await openHBaseTarget(options);
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-bench-'));
  const filled: string[] = [];
  try {
    const urls = new Map<string, string>();
    for (const { name, rows } of tables) {
      const url = target.urlOf(name);
      urls.set(name, url);
      const plan = planOf(rows, options.scale);
      const count = formatNumber(plan.hosts * plan.rowsPerHost);
      options.say(`filling a table of ${count} rows …`);
      const start = performance.now();
      await runJob(new URL('lib/cycle-table.js', import.meta.url).href, loadHBaseTable, { url, plan });
      filled.push(`${name}: ${count} rows were put in ${((performance.now() - start) / 1000).toFixed(0)} s.`);
      options.say(filled.at(-1)!);
    }
    await target.untilQuiet();
    const measured = await alternate(tables, options.rounds, async ({ name }, round) => {
      options.say(`round ${round + 1} of ${options.rounds}: ${name}`);
      return runSteps({
        table: urls.get(name)!,
        topN: scaled(TOP_N, options.scale, 100),
        settings: {},
        steps: STEPS,
        folder,
        serverSeconds: target.cpuSeconds,
      });
    });
    return present(measured, [...filled, target.about]);
  } finally {
    await target.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function planOf(rows: number, scale: number): TablePlan {
  const hosts = scaled(HOSTS, scale, 50);
  const rowsPerHost = Math.ceil(scaled(rows, scale, 200) / hosts);
  return { hosts, rowsPerHost, pool: scaled(50_000, scale, 100), bigHostRows: 0, notDue: 0, refused: 0 };
}

/** Memory of each region server, so that a table of two million rows does not wait for the disk. */
const HEAP_MB = 1536;
/** No server is killed here, and other work on the machine must not make one count as dead. */
const SESSION = 120_000;
const POLL_MS = 5000;
const MAX_POLLS = 60;
/** Below this number of CPU seconds in a second, it counts as idle. */
const QUIET = 0.2;

/** The HBase that `--hbase` names, or else a new one with two region servers and two gateways. */
async function openHBaseTarget({ hbase, say }: BenchOptions) {
  const run = Date.now().toString(36);
  if (hbase !== undefined) {
    return {
      urlOf: (name: string) => `${hbase}_${run}_${name}`,
      cpuSeconds: () => undefined,
      untilQuiet: async () => {},
      about: 'An HBase that runs elsewhere, whose CPU time is not known; the tables stay there.',
      stop: async () => {},
    };
  }
  if (!hasMaven())
    throw new Error('expected --hbase <url>, or Maven and a JDK of version 17 to start one, found neither');
  say('starting an HBase …');
  const cluster = await startHBase(join(BENCH, 'hbase'), join(ROOT, '.cache'), { heapMb: HEAP_MB, session: SESSION });
  const cpuSeconds = (): number => Object.values(cluster.cpuSeconds()).reduce((sum, seconds) => sum + seconds, 0);
  return {
    urlOf: (name: string) => `hbase://${cluster.gateways.join(',')}/bench_${run}_${name}`,
    cpuSeconds,
    /** Waits until it is idle, for example after writes to disk and merges; a few minutes at most. */
    async untilQuiet() {
      for (let looks = 0, before = cpuSeconds(); looks < MAX_POLLS; looks++) {
        await wait(POLL_MS);
        const now = cpuSeconds();
        if (now - before < QUIET * (POLL_MS / 1000)) return;
        before = now;
      }
    },
    about: `HBase 2.6 on this machine: master, two region servers of ${HEAP_MB} MB, two gateways of Thrift2; data on the local disk.`,
    stop: () => cluster.stop(),
  };
}

function present(tables: readonly Sampled<{ readonly name: string }, CycleSample>[], notes: string[]): BenchResult {
  const all = stepsOnTables(tables, STEPS);
  const toBase = (figure: (found: StepFigures) => number) => (one: (typeof all)[number]) =>
    one.table === tables[0] ? undefined : ratioToBase(one, figure);
  const { columns, rows } = tabulate(
    all,
    {
      step: { head: 'job', of: ({ step }) => step.name },
      table: { head: 'table', of: ({ table }) => table.name },
      did: { head: 'rows done', of: ({ samples }) => samples[0]?.did },
      seconds: { head: 'seconds', digits: 2, of: over(({ seconds }) => seconds) },
      ratio: { head: 'ratio', digits: 2, of: toBase(({ seconds }) => seconds) },
      node: { head: 'CPU s of Node', digits: 2, of: over(({ cpuSeconds }) => cpuSeconds) },
      servers: { head: 'of the servers', digits: 2, of: over(({ serverSeconds = NaN }) => serverSeconds) },
      cpuRatio: {
        head: 'ratio of both',
        digits: 2,
        of: toBase(({ cpuSeconds, serverSeconds = 0 }) => cpuSeconds + serverSeconds),
      },
      asked: { head: 'asked', of: ({ table }) => (table === tables[0] ? undefined : `≤ ${AT_MOST}`) },
      rowsRead: { head: 'rows read', of: over(({ rowsRead }) => rowsRead) },
    },
    ({ table }) => ({ label: table.name }),
  );
  return {
    title: 'hbase-cycle: what a batch costs on HBase as the table grows',
    columns,
    rows,
    notes: [
      ...notes,
      'Ratios are of medians. Time and CPU time of Node are those of the job, without opening the table.',
    ],
    chart: { title: 'A cycle on HBase costs what its batch costs', panels: panelsOfSteps(all, 2) },
    samples: samplesByName(tables),
  };
}
