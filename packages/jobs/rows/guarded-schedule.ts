import type { FetchSchedule, Schedule } from '../../plugin-api/index.js';
import type { Count } from '../reporting/counters.js';
import { lastWith, type CrawlContext } from '../context.js';

/**
 * The last fetch schedule in the list of plugins. Where it throws, or answers what is no time, the page is due again
 * after its own interval, which is counted as `plugin_error_<name>`: no plugin can keep a batch from being closed.
 */
export function createSchedule(crawl: Pick<CrawlContext, 'plugins' | 'settings'>, count: Count): FetchSchedule {
  const { name, schedule: plan } = lastWith(crawl, 'schedule');

  function guarded(make: () => Schedule, otherwise: Schedule): Schedule {
    try {
      const made = make();
      const { dueAt, fetchInterval, retries, modifiedTime } = made;
      if ([dueAt, fetchInterval, retries, modifiedTime].every(Number.isFinite)) return made;
    } catch {
      // Counted below.
    }
    count(`plugin_error_${name}`);
    return otherwise;
  }
  const again = (before: Schedule, fetchedAt: number, retries: number): Schedule => ({
    ...before,
    dueAt: fetchedAt + before.fetchInterval * 1000,
    retries,
  });

  return {
    initialize: (now) =>
      guarded(() => plan.initialize(now), {
        dueAt: now,
        fetchInterval: crawl.settings.db.fetchIntervalDefault,
        retries: 0,
        modifiedTime: 0,
      }),
    afterFetch: (before, at, change) => guarded(() => plan.afterFetch(before, at, change), again(before, at, 0)),
    afterRetry: (before, at) => guarded(() => plan.afterRetry(before, at), again(before, at, before.retries + 1)),
    afterGone: (before, at) => guarded(() => plan.afterGone(before, at), again(before, at, before.retries)),
  };
}
