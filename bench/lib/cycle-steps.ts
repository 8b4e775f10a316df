import type { Step } from './cycle-cases.js';
import { runWorker } from './worker.js';
import type { CycleJob, JobFigures } from '../workers/cycle-job.js';

const WORKER = new URL('../workers/cycle-job.js', import.meta.url);

/** The steps of one cycle. */
export const FOUR_JOBS: readonly Step[] = (['generate', 'fetch', 'parse', 'updatedb'] as const).map((job) => ({
  name: job,
  job,
  isJudged: true,
}));

/** How to run steps. */
export interface CycleSetting extends Pick<CycleJob, 'table' | 'topN' | 'settings'> {
  readonly steps: readonly Step[];
  /** The working directory of the jobs. */
  readonly folder?: string;
  /** CPU seconds of the servers of the table so far. */
  readonly serverSeconds?: () => number | undefined;
}

/** A step, with the CPU seconds of the servers if they are known. */
export interface StepFigures extends JobFigures {
  readonly serverSeconds?: number;
}

/** Runs jobs one after another, each in its own process, on the batch of the first one. Returns the figures by step. */
export async function runSteps(setting: CycleSetting): Promise<Readonly<Record<string, StepFigures>>> {
  const { steps, folder, serverSeconds = () => undefined, ...given } = setting;
  const figures: Record<string, StepFigures> = {};
  let batch: string | undefined;
  for (const { name, job } of steps) {
    const before = serverSeconds();
    const argument: CycleJob = { ...given, job, ...(batch !== undefined && { batch }) };
    const found = await runWorker<JobFigures>(WORKER, argument, undefined, folder);
    const after = serverSeconds();
    figures[name] = { ...found, ...(before !== undefined && after !== undefined && { serverSeconds: after - before }) };
    batch ??= found.batchId;
  }
  return figures;
}
