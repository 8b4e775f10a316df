export type * from './public.js';
export { rounds } from './rounds.js';
export { MAY_PASS } from './runner.js';
export { isStepDone } from './round-steps.js';
export { localRunner } from './runners/local.js';
export { slurmRunner } from './runners/slurm.js';
export { kubernetesRunner } from './runners/kubernetes.js';
