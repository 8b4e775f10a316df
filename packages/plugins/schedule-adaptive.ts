import type { FetchSchedule, Plugin } from '../plugin-api/index.js';
import {
  defaultSchedule,
  dueAfter,
  knownInterval,
  modifiedAtAfter,
  type ScheduleSettings,
} from './schedule-default.js';

/** The settings of {@link adaptiveSchedule}. They have the names of the section `db`. Intervals are in seconds, and rates are fractions. */
export interface AdaptiveScheduleSettings extends ScheduleSettings {
  readonly fetchScheduleAdaptiveIncRate: number;
  readonly fetchScheduleAdaptiveDecRate: number;
  readonly fetchScheduleAdaptiveMinInterval: number;
  readonly fetchScheduleAdaptiveMaxInterval: number;
  readonly fetchScheduleAdaptiveSyncDelta: boolean;
  readonly fetchScheduleAdaptiveSyncDeltaRate: number;
}

/**
 * Adapts the interval of a page to how often the page changes. The interval becomes shorter if the page has changed, and longer if it has
 * not changed. It stays between the adaptive minimum and the smaller of the two maxima.
 *
 * With sync delta, the interval is at least the time for which the page has not changed. The page is then due earlier than one interval
 * after the fetch. The difference is a fraction (the sync delta rate) of the time for which the page has not changed, but at most the same
 * fraction of the interval. Therefore the page is never due at once.
 *
 * Failed fetches and gone pages are handled as by {@link defaultSchedule}.
 */
export function adaptiveSchedule(settings: AdaptiveScheduleSettings): Plugin & { readonly schedule: FetchSchedule } {
  return {
    name: 'schedule-adaptive',
    schedule: {
      ...defaultSchedule(settings).schedule,
      afterFetch(schedule, fetchedAt, change) {
        const modifiedAt = modifiedAtAfter(schedule, fetchedAt, change);
        const sinceModified = settings.fetchScheduleAdaptiveSyncDelta ? (fetchedAt - modifiedAt) / 1000 : 0;
        let interval = knownInterval(schedule.fetchInterval, settings);
        if (change === 'modified') interval *= 1 - settings.fetchScheduleAdaptiveDecRate;
        if (change === 'notmodified') interval *= 1 + settings.fetchScheduleAdaptiveIncRate;
        interval = Math.min(
          Math.max(interval, sinceModified, settings.fetchScheduleAdaptiveMinInterval),
          settings.fetchScheduleAdaptiveMaxInterval,
          settings.fetchIntervalMax,
        );
        const back = settings.fetchScheduleAdaptiveSyncDeltaRate * Math.min(sinceModified, interval);
        return dueAfter(schedule, fetchedAt - Math.round(back * 1000), interval, { retries: 0, modifiedAt });
      },
    },
  };
}
