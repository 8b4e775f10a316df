import type { FetchSchedule, Schedule } from '../../plugin-api/index.js';
import type { Count } from '../reporting/counters.js';
import { lastWith, type CrawlContext } from '../context.js';
import { longestWait } from './wrong-times.js';

/**
 * Wraps the last fetch schedule in the list of plugins. If the schedule throws or returns an invalid time, the page is due again after its
 * own interval, and `plugin_error_<name>` is counted. Therefore no plugin can prevent updatedb from closing a batch. The time until a page
 * is due is never longer than the longest interval.
 */
export function createSchedule(crawl: Pick<CrawlContext, 'plugins' | 'settings'>, count: Count): FetchSchedule {
  const { name, schedule: plan } = lastWith(crawl, 'schedule');

  const longest = longestWait(crawl.settings);

  /** @param start the time from which the interval is counted, in ms since the epoch */
  function guarded(start: number, make: () => Schedule, otherwise: Schedule): Schedule {
    const made = answerOf(make) ?? otherwise;
    return made.dueAt > start + longest ? { ...made, dueAt: start + longest } : made;
  }

  function answerOf(make: () => Schedule): Schedule | undefined {
    try {
      const made = make();
      const { dueAt, fetchInterval, retries, modifiedAt } = made;
      if ([dueAt, fetchInterval, retries, modifiedAt].every(Number.isFinite)) return made;
    } catch {
      // The error is counted below.
    }
    count(`plugin_error_${name}`);
    return undefined;
  }
  const again = (before: Schedule, fetchedAt: number, retries: number): Schedule => ({
    ...before,
    dueAt: fetchedAt + before.fetchInterval * 1000,
    retries,
  });

  return {
    initialize: (now) =>
      guarded(now, () => plan.initialize(now), {
        dueAt: now,
        fetchInterval: crawl.settings.db.fetchIntervalDefault,
        retries: 0,
        modifiedAt: 0,
      }),
    afterFetch: (before, at, change) => guarded(at, () => plan.afterFetch(before, at, change), again(before, at, 0)),
    afterRetry: (before, at) => guarded(at, () => plan.afterRetry(before, at), again(before, at, before.retries + 1)),
    afterGone: (before, at) => guarded(at, () => plan.afterGone(before, at), again(before, at, before.retries)),
  };
}
