import { jobRun, type JobRun } from '../../packages/jobs/context.js';
import { withoutScope } from '../../packages/jobs/scope/in-scope.js';
import type { OpenContext } from '../../packages/webcrawl/internal.js';

/** The run of a job without a scope, which holds all slots of the table. */
export async function runOf(crawl: OpenContext): Promise<JobRun> {
  const { slots, leases } = crawl.tables;
  const held = await leases.take(slots.all, { job: 'test', wait: 0 });
  return jobRun(withoutScope(crawl), { slots: held.slots, isWhole: true, leases: held });
}
