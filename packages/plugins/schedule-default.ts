import type { FetchSchedule, Plugin, Schedule } from '../plugin-api/index.js';

/** Named as in the settings section `db`, in seconds. */
export interface ScheduleSettings {
  readonly fetchIntervalDefault: number;
  readonly fetchIntervalMax: number;
}

const DAY = 86_400_000;

/**
 * Fetches a page again at its own interval, which stays as it is; an interval of 0, or one that is no number, becomes
 * the default, and none is longer than the maximum. A failed fetch is tried again after a day, with the interval kept.
 * A page that is gone is looked at ever less often: its interval grows by half, and falls back to 0.9 of the maximum
 * where it would reach it.
 */
export function defaultSchedule(settings: ScheduleSettings): Plugin & { readonly schedule: FetchSchedule } {
  return {
    name: 'schedule-default',
    schedule: {
      initialize: (now) => ({
        dueAt: now,
        fetchInterval: knownInterval(0, settings),
        retries: 0,
        modifiedTime: 0,
      }),
      afterFetch(schedule, fetchedAt, change) {
        return dueAfter(schedule, fetchedAt, knownInterval(schedule.fetchInterval, settings), {
          retries: 0,
          modifiedTime: modifiedTimeAfter(schedule, fetchedAt, change),
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

/** An interval that can be counted from: the default in place of none, and at most the maximum. */
export function knownInterval(interval: number, settings: ScheduleSettings): number {
  return Math.min(interval > 0 ? interval : settings.fetchIntervalDefault, settings.fetchIntervalMax);
}

/** When the content last changed: now if it did or nothing is known, and never in the future. */
export function modifiedTimeAfter(schedule: Schedule, fetchedAt: number, change: string): number {
  const { modifiedTime } = schedule;
  return change === 'modified' || !(modifiedTime > 0) ? fetchedAt : Math.min(modifiedTime, fetchedAt);
}

/** Due an interval, in whole seconds, after `from`. */
export function dueAfter(
  schedule: Schedule,
  from: number,
  interval: number,
  changes: Partial<Pick<Schedule, 'retries' | 'modifiedTime'>> = {},
): Schedule {
  const fetchInterval = Math.round(interval);
  return { ...schedule, ...changes, fetchInterval, dueAt: from + fetchInterval * 1000 };
}
