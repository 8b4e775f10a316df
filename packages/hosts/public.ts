export type { DelayInForce } from './delay.js';
export type { HostFigures, HostRobots } from './figures.js';
export type { HostSort, HostsOptions } from './hosts.js';
export type { HostExplanation } from './explain-host.js';
export type { PlanOptions } from './plan/plan.js';
export type { CrawlPlan, PlannedQueue, PlannedRound } from './plan/planned.js';
export type { BackoffRecord } from '../core/index.js';
