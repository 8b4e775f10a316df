export { rounds, type RoundsEvent, type RoundsOptions } from './rounds.js';
export {
  MAY_PASS,
  ROUND_STEPS,
  type Pass,
  type RoundStep,
  type Runner,
  type RunnerOptions,
  type WorkerExit,
} from './runner.js';
export { isStepDone } from './round-steps.js';
export type { BackOff } from './back-off.js';
export { localRunner, type LocalRunnerOptions } from './runners/local.js';
export { slurmRunner, type SlurmRunnerOptions } from './runners/slurm.js';
export { kubernetesRunner, type KubernetesRunnerOptions } from './runners/kubernetes.js';
