import type { FetchSchedule, Plugin } from '../plugin-api/index.js';
import {
  defaultSchedule,
  dueAfter,
  knownInterval,
  modifiedTimeAfter,
  type ScheduleSettings,
} from './schedule-default.js';

/** Named as in the settings section `db`; intervals in seconds, rates as parts of 1. */
export interface AdaptiveScheduleSettings extends ScheduleSettings {
  readonly fetchScheduleAdaptiveIncRate: number;
  readonly fetchScheduleAdaptiveDecRate: number;
  readonly fetchScheduleAdaptiveMinInterval: number;
  readonly fetchScheduleAdaptiveMaxInterval: number;
  readonly fetchScheduleAdaptiveSyncDelta: boolean;
  readonly fetchScheduleAdaptiveSyncDeltaRate: number;
}

/**
 * Finds out how often a page changes: the interval shrinks when it had changed and grows when it had not, between the
 * adaptive minimum and the smaller of both maxima. With sync delta, a page that has not changed for longer than its
 * interval gets that time as interval, and the next fetch is counted from a part of the way back to the last change;
 * never from further back than that part of the interval, so it is never due at once. Failed fetches and pages that
 * are gone are treated as by {@link defaultSchedule}.
 */
export function adaptiveSchedule(settings: AdaptiveScheduleSettings): Plugin & { readonly schedule: FetchSchedule } {
  return {
    name: 'schedule-adaptive',
    schedule: {
      ...defaultSchedule(settings).schedule,
      afterFetch(schedule, fetchedAt, change) {
        const modifiedTime = modifiedTimeAfter(schedule, fetchedAt, change);
        const sinceModified = settings.fetchScheduleAdaptiveSyncDelta ? (fetchedAt - modifiedTime) / 1000 : 0;
        let interval = knownInterval(schedule.fetchInterval, settings);
        if (change === 'modified') interval *= 1 - settings.fetchScheduleAdaptiveDecRate;
        if (change === 'notmodified') interval *= 1 + settings.fetchScheduleAdaptiveIncRate;
        interval = Math.min(
          Math.max(interval, sinceModified, settings.fetchScheduleAdaptiveMinInterval),
          settings.fetchScheduleAdaptiveMaxInterval,
          settings.fetchIntervalMax,
        );
        const back = settings.fetchScheduleAdaptiveSyncDeltaRate * Math.min(sinceModified, interval);
        return dueAfter(schedule, fetchedAt - Math.round(back * 1000), interval, { retries: 0, modifiedTime });
      },
    },
  };
}
