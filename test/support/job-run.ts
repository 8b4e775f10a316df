import { jobRun, type JobRun } from '../../packages/jobs/context.js';
import { withoutScope } from '../../packages/jobs/scope/in-scope.js';
import type { OpenContext } from '../../packages/webcrawl/internal.js';

/** The run of a job without a scope, which has all slots of the table. It takes no leases, so several runs can work at the same time. */
export function runOf(crawl: OpenContext): JobRun {
  const slots = new Set(crawl.tables.slots.all);
  const leases = {
    slots,
    isHeld: () => true,
    untilHeld: () => Promise.resolve(),
    lost: new AbortController().signal,
    confirm: async () => {},
    holds: () => true,
    askedAt: () => undefined,
    release: () => Promise.resolve(),
  };
  return jobRun(withoutScope(crawl), { slots, isWhole: true, leases });
}
