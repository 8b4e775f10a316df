export type { RoundsEvent, RoundsOptions } from './rounds.js';
export type { Pass, RoundStep, Runner, RunnerOptions, WorkerExit } from './runner.js';
export type { BackOff } from './back-off.js';
export type { LocalRunnerOptions } from './runners/local.js';
export type { SlurmRunnerOptions } from './runners/slurm.js';
export type { KubernetesRunnerOptions } from './runners/kubernetes.js';
