import type { FetchSchedule, Plugin, Schedule } from '../plugin-api/index.js';

/** The settings of {@link defaultSchedule}, in seconds. They have the names of the section `db`. */
export interface ScheduleSettings {
  readonly fetchIntervalDefault: number;
  readonly fetchIntervalMax: number;
}

const DAY = 86_400_000;

/**
 * Fetches a page again after the interval of the page, which stays the same. An interval that is 0 or invalid becomes the default. An
 * interval above the maximum becomes the maximum. A failed fetch is retried after a day, and the interval stays the same. A gone page is
 * checked less and less often: its interval grows by half each time. If it would reach the maximum, it becomes 0.9 of the maximum.
 */
export function defaultSchedule(settings: ScheduleSettings): Plugin & { readonly schedule: FetchSchedule } {
  return {
    name: 'schedule-default',
    schedule: {
      initialize: (now) => ({
        dueAt: now,
        fetchInterval: knownInterval(0, settings),
        retries: 0,
        modifiedAt: 0,
      }),
      afterFetch(schedule, fetchedAt, change) {
        return dueAfter(schedule, fetchedAt, knownInterval(schedule.fetchInterval, settings), {
          retries: 0,
          modifiedAt: modifiedAtAfter(schedule, fetchedAt, change),
        });
      },
      afterRetry: (schedule, fetchedAt) => ({
        ...schedule,
        dueAt: fetchedAt + DAY,
        retries: schedule.retries + 1,
      }),
      afterGone(schedule, fetchedAt) {
        const { fetchIntervalMax } = settings;
        const longer = knownInterval(schedule.fetchInterval, settings) * 1.5;
        return dueAfter(schedule, fetchedAt, longer < fetchIntervalMax ? longer : fetchIntervalMax * 0.9);
      },
    },
  };
}

/** Returns a valid interval. It is the default if the given interval is 0 or invalid, and it is at most the maximum. */
export function knownInterval(interval: number, settings: ScheduleSettings): number {
  return Math.min(interval > 0 ? interval : settings.fetchIntervalDefault, settings.fetchIntervalMax);
}

/**
 * Returns when the content last changed. This is the time of the fetch if the content has changed, or if nothing is known. It is never
 * after the fetch.
 */
export function modifiedAtAfter(schedule: Schedule, fetchedAt: number, change: string): number {
  const { modifiedAt } = schedule;
  return change === 'modified' || !(modifiedAt > 0) ? fetchedAt : Math.min(modifiedAt, fetchedAt);
}

/** Returns the schedule of a page that is due one interval after `from`. The interval is rounded to whole seconds. */
export function dueAfter(
  schedule: Schedule,
  from: number,
  interval: number,
  changes: Partial<Pick<Schedule, 'retries' | 'modifiedAt'>> = {},
): Schedule {
  const fetchInterval = Math.round(interval);
  return { ...schedule, ...changes, fetchInterval, dueAt: from + fetchInterval * 1000 };
}
