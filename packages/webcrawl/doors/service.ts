import type { KubernetesRunnerOptions, LocalRunnerOptions, Runner, SlurmRunnerOptions } from '../../rounds/index.js';
import { late } from '../late.js';

export { DEFAULT_PORT } from '../names.js';
export type { CrawlRest, ContinuousCrawlOptions } from '../continuous/continuous-crawl.js';
export type * from '../../rounds/public.js';
export type * from '../../serve/public.js';

export const crawlContinuously = late(
  async () => (await import('../continuous/continuous-crawl.js')).crawlContinuously,
);
export const serve = late(async () => (await import('../serve.js')).serve);
export const rounds = late(async () => (await import('../../rounds/index.js')).rounds);
export const isStepDone = late(async () => (await import('../../rounds/index.js')).isStepDone);

/** Makes a runner whose workers are processes on this machine, see packages/rounds. */
export function localRunner(options: LocalRunnerOptions): Runner {
  return async (pass, how) => (await import('../../rounds/index.js')).localRunner(options)(pass, how);
}

/** Makes a runner whose workers are an array of jobs of Slurm, see packages/rounds. */
export function slurmRunner(options: SlurmRunnerOptions): Runner {
  return async (pass, how) => (await import('../../rounds/index.js')).slurmRunner(options)(pass, how);
}

/** Makes a runner whose workers are the pods of a Job of Kubernetes, see packages/rounds. */
export function kubernetesRunner(options: KubernetesRunnerOptions): Runner {
  return async (pass, how) => (await import('../../rounds/index.js')).kubernetesRunner(options)(pass, how);
}
