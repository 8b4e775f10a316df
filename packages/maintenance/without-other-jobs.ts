import type { CrawlContext } from '../core/index.js';

const TURNS = ['rows', 'generate', 'updatedb', 'fetch'];

/**
 * Runs a task while no other job of this process runs. The task waits until running jobs have ended, and later jobs wait until the task has
 * ended.
 */
export function withoutOtherJobs({ tables }: Pick<CrawlContext, 'tables'>, task: () => Promise<void>): Promise<void> {
  return TURNS.reduce<() => Promise<void>>((inner, name) => () => tables.exclusive(name, inner), task)();
}
