import { fileURLToPath } from 'node:url';
import { openHBaseStore } from '../../packages/hbase/index.js';
import { setV8Flags } from '../../packages/util/index.js';
import { LevelStore, jobs, openContext } from '../../packages/webcrawl/internal.js';
import { isOnHBase } from '../../packages/webcrawl/open-store.js';
import type { Panel } from './chart.js';
import { countStore } from './count-store.js';
import { CYCLE_TIME } from './cycle-table.js';
import { newCounts } from './operations.js';
import { over, type Sampled } from './rounds.js';
import { measured, runJob, type TaskCost } from './worker.js';

export interface Step {
  readonly name: string;
  readonly job: 'generate' | 'fetch' | 'parse' | 'updatedb';
  /** Whether a ratio is required. Other steps do work on each page, which is the same on every table. */
  readonly isJudged?: boolean;
}

/** The cost of the job itself, without opening and closing the table. */
export interface StepFigures extends TaskCost {
  readonly batchId: string | undefined;
  readonly did: number;
  /** Number of page keys that the store was asked for, and of rows that its scans returned. */
  readonly rowsRead: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly serverSeconds?: number;
}

interface JobOnTable {
  readonly table: string;
  readonly topN: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly job: Step['job'];
  readonly batch: string | undefined;
}

export interface CycleSetting extends Pick<JobOnTable, 'table' | 'topN' | 'settings'> {
  readonly steps: readonly Step[];
  readonly folder: string;
  readonly serverSeconds?: () => number | undefined;
}

export type CycleSample = Readonly<Record<string, StepFigures>>;

/** Runs jobs one after another, each in its own process, on the batch of the first one. */
export async function runSteps(setting: CycleSetting): Promise<CycleSample> {
  const { steps, folder: cwd, serverSeconds = () => undefined, ...given } = setting;
  const figures: Record<string, StepFigures> = {};
  let batch: string | undefined;
  for (const { name, job } of steps) {
    const before = serverSeconds();
    const found = await runJob(import.meta.url, runCycleJob, { ...given, job, batch }, { cwd });
    const after = serverSeconds();
    figures[name] = { ...found, ...(before !== undefined && after !== undefined && { serverSeconds: after - before }) };
    batch ??= found.batchId;
  }
  return figures;
}

const TAKEN_UP = ['generated', 'fetched', 'already_fetched', 'parsed', 'already_parsed'];

export async function runCycleJob({ table, job, topN, settings, batch = '' }: JobOnTable): Promise<StepFigures> {
  setV8Flags();
  const operations = newCounts();
  const onHBase = isOnHBase(table) ? await openHBaseStore(table) : undefined;
  // The store on HBase has the same methods.
  countStore((onHBase ?? LevelStore.prototype) as LevelStore, operations);
  const crawl = await openContext({
    table: onHBase ?? table,
    create: false,
    settings: {
      ...settings,
      'fetcher.serverDelay': 0,
      'fetcher.threadsPerQueue': 64,
      'fetcher.threadsFetch': 64,
      plugins: [fileURLToPath(new URL('../workers/cycle-web.js', import.meta.url))],
    },
    clock: () => CYCLE_TIME + performance.now(),
  });
  const [{ batchId, counters }, cost] = await measured(() =>
    job === 'generate' ? jobs.generate(crawl, { topN }) : jobs[job](crawl, { batch }),
  );
  const { rowsRead } = operations;
  await crawl.close();
  const did = TAKEN_UP.map((name) => counters[name] ?? 0).find((count) => count > 0) ?? 0;
  return { ...cost, did, rowsRead, counters, batchId };
}

export interface StepOnTable<C> {
  readonly step: Step;
  readonly table: C;
  readonly samples: readonly StepFigures[];
  readonly base: { readonly samples: readonly StepFigures[] };
}

export function stepsOnTables<C>(tables: readonly Sampled<C, CycleSample>[], steps: readonly Step[]): StepOnTable<C>[] {
  return steps.flatMap((step) => {
    const samplesOn = (table: Sampled<C, CycleSample>): StepFigures[] => table.samples.map((one) => one[step.name]!);
    const base = { samples: samplesOn(tables[0]!) };
    return tables.map((table) => ({ step, table, samples: samplesOn(table), base }));
  });
}

export function ratioToBase<C>({ samples, base }: StepOnTable<C>, figure: (found: StepFigures) => number): number {
  return over(figure)({ samples }).median / over(figure)(base).median;
}

export function panelsOfSteps(all: readonly StepOnTable<{ readonly name: string }>[], digits: number): Panel[] {
  return [...new Set(all.map(({ step }) => step))].map((step) => ({
    title: `${step.name}, seconds`,
    digits,
    better: 'less',
    bars: all
      .filter((one) => one.step === step)
      .map((one, i) => ({ label: one.table.name, value: secondsOf(one), ours: i > 0 })),
  }));
}

const secondsOf = over(({ seconds }: StepFigures) => seconds);
