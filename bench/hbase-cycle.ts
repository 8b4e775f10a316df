/**
 * A cycle of a batch on HBase tables of different size: what generate, fetch, parse and updatedb take, and whether that grows with the
 * table. There is no network. Each job runs in its own process. A table is filled once, and each round uses the next batch of it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { LOADER } from './lib/cached-table.js';
import type { Step } from './lib/cycle-cases.js';
import { FOUR_JOBS as STEPS, runSteps, type StepFigures } from './lib/cycle-steps.js';
import type { TablePlan } from './lib/cycle-table.js';
import { openHBaseTarget } from './lib/hbase-target.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import type { Row } from './lib/table.js';
import { runWorker } from './lib/worker.js';
import type { LoadJob } from './workers/load-table.js';

const TABLES = [
  { name: '100k', rows: 100_000 },
  { name: '2m', rows: 2_000_000 },
] as const;
const HOSTS = 20_000;
/** Rows in a batch. */
const TOP_N = 2000;
const AT_MOST = 1.3;
const ROUNDS = 3;
type Sample = Readonly<Record<string, StepFigures>>;

/** `hbase-cycle`: the cost of a batch on HBase as the table grows. */
export const hbaseCycleBench: Bench = {
  about: `a batch of ${TOP_N.toLocaleString('en-US')} rows on tables on HBase of 100,000 and 2,000,000 rows`,
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
      const count = plan.hosts * plan.rowsPerHost;
      options.say(`filling a table of ${count.toLocaleString('en-US')} rows …`);
      const job: LoadJob = { kind: 'hbase', plan, table: url };
      const { seconds } = await runWorker<{ seconds: number }>(LOADER, job);
      filled.push(`${name}: ${count.toLocaleString('en-US')} rows were put in ${seconds.toFixed(0)} s.`);
      options.say(filled.at(-1)!);
    }
    await target.untilQuiet();
    const samples = await alternate(tables, options.rounds, async ({ name }, round) => {
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
    return present(tables, samples, [...filled, target.about]);
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

function present(
  tables: readonly { readonly name: string }[],
  samples: ReadonlyMap<string, readonly Sample[]>,
  notes: readonly string[],
): BenchResult {
  const base = tables[0]!.name;
  const figureOf = (name: string, step: Step, figure: (found: StepFigures) => number): Spread =>
    spread((samples.get(name) ?? []).map((sample) => figure(sample[step.name]!)));
  const of = (name: string, step: Step, figure: 'seconds' | 'cpuSeconds' | 'serverSeconds' | 'rowsRead'): Spread =>
    figureOf(name, step, (found) => found[figure] ?? NaN);
  const cpu = (name: string, step: Step): number =>
    figureOf(name, step, ({ cpuSeconds, serverSeconds = 0 }) => cpuSeconds + serverSeconds).median;
  const rows = STEPS.flatMap((step) =>
    tables.map(({ name }): Row => ({
      step: step.name,
      table: name,
      did: samples.get(name)?.[0]?.[step.name]?.did,
      seconds: of(name, step, 'seconds'),
      ...(name !== base && {
        ratio: of(name, step, 'seconds').median / of(base, step, 'seconds').median,
        cpuRatio: cpu(name, step) / cpu(base, step),
        asked: `≤ ${AT_MOST}`,
      }),
      node: of(name, step, 'cpuSeconds'),
      servers: of(name, step, 'serverSeconds'),
      rowsRead: of(name, step, 'rowsRead'),
    })),
  );
  return {
    title: 'hbase-cycle: what a batch costs on HBase as the table grows',
    columns: [
      { key: 'step', head: 'job' },
      { key: 'table', head: 'table' },
      { key: 'did', head: 'rows done' },
      { key: 'seconds', head: 'seconds', digits: 2 },
      { key: 'ratio', head: 'ratio', digits: 2 },
      { key: 'node', head: 'CPU s of Node', digits: 2 },
      { key: 'servers', head: 'of the servers', digits: 2 },
      { key: 'cpuRatio', head: 'ratio of both', digits: 2 },
      { key: 'asked', head: 'asked' },
      { key: 'rowsRead', head: 'rows read' },
    ],
    rows,
    notes: [
      ...notes,
      'Ratios are of medians. Time and CPU time of Node are those of the job, without opening the table.',
    ],
    chart: {
      title: 'A cycle on HBase costs what its batch costs',
      panels: STEPS.map((step) => ({
        title: `${step.name}, seconds`,
        digits: 2,
        better: 'less' as const,
        bars: tables.map(({ name }) => ({ label: name, value: of(name, step, 'seconds'), ours: name !== base })),
      })),
    },
    samples: Object.fromEntries(samples),
  };
}
