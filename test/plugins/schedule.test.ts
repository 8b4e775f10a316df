import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adaptiveSchedule, defaultSchedule } from '../../packages/plugins/index.js';

const DAY = 86_400;
const SETTINGS = {
  fetchIntervalDefault: 30 * DAY,
  fetchIntervalMax: 90 * DAY,
  fetchScheduleAdaptiveIncRate: 0.4,
  fetchScheduleAdaptiveDecRate: 0.2,
  fetchScheduleAdaptiveMinInterval: 60,
  fetchScheduleAdaptiveMaxInterval: 365 * DAY,
  fetchScheduleAdaptiveSyncDelta: true,
  fetchScheduleAdaptiveSyncDeltaRate: 0.3,
};
const NOW = 1_700_000_000_000;
const plain = defaultSchedule(SETTINGS).schedule;
const adaptive = adaptiveSchedule(SETTINGS).schedule;
const page = { dueAt: 0, fetchInterval: DAY, retries: 2, modifiedAt: NOW - DAY * 1000 };

describe.each([
  ['default', plain],
  ['adaptive', adaptive],
])('the %s schedule', (_, schedule) => {
  it('makes a new page due at once', () => {
    expect(schedule.initialize(NOW)).toEqual({ dueAt: NOW, fetchInterval: 30 * DAY, retries: 0, modifiedAt: 0 });
  });

  it('retries a failed page after a day', () => {
    expect(schedule.afterRetry(page, NOW)).toEqual({ ...page, dueAt: NOW + DAY * 1000, retries: 3 });
  });

  it('checks a page that is gone less and less often', () => {
    let { fetchInterval } = page;
    const days: number[] = [];
    for (let i = 0; i < 14; i++) {
      const next = schedule.afterGone({ ...page, fetchInterval }, NOW);
      expect(next.dueAt).toBe(NOW + next.fetchInterval * 1000);
      expect(next).toMatchObject({ retries: page.retries, modifiedAt: page.modifiedAt });
      ({ fetchInterval } = next);
      days.push(Math.round((fetchInterval / DAY) * 10) / 10);
    }
    expect(days).toEqual([1.5, 2.3, 3.4, 5.1, 7.6, 11.4, 17.1, 25.6, 38.4, 57.7, 86.5, 81, 81, 81]);
  });

  it.each([0, -1, NaN])('uses the default for an interval of %s', (fetchInterval) => {
    expect(schedule.afterFetch({ ...page, fetchInterval }, NOW, 'unknown').fetchInterval).toBe(30 * DAY);
    expect(schedule.afterGone({ ...page, fetchInterval }, NOW).fetchInterval).toBe(45 * DAY);
  });

  it('resets failures, and remembers when the page changed', () => {
    expect(schedule.afterFetch(page, NOW, 'notmodified')).toMatchObject({
      retries: 0,
      modifiedAt: page.modifiedAt,
    });
    expect(schedule.afterFetch(page, NOW, 'unknown')).toMatchObject({ retries: 0, modifiedAt: page.modifiedAt });
    expect(schedule.afterFetch(page, NOW, 'modified').modifiedAt).toBe(NOW);
    expect(schedule.afterFetch({ ...page, modifiedAt: 0 }, NOW, 'notmodified').modifiedAt).toBe(NOW);
    expect(schedule.afterFetch({ ...page, modifiedAt: NOW + 1 }, NOW, 'notmodified').modifiedAt).toBe(NOW);
  });

  it('never makes a fetched page due before its fetch, or later than the longest interval', () => {
    const times = fc.integer({ min: 0, max: 4_000_000_000_000 });
    fc.assert(
      fc.property(
        fc.record({ dueAt: times, fetchInterval: fc.nat(1e9), retries: fc.nat(9), modifiedAt: times }),
        times,
        fc.constantFrom('modified', 'notmodified', 'unknown'),
        (before, fetchedAt, change) => {
          for (const after of [schedule.afterFetch(before, fetchedAt, change), schedule.afterGone(before, fetchedAt)]) {
            expect(after.dueAt).toBeGreaterThan(fetchedAt);
            expect(after.dueAt).toBeLessThanOrEqual(fetchedAt + SETTINGS.fetchIntervalMax * 1000);
            expect(Number.isInteger(after.fetchInterval) && Number.isInteger(after.dueAt)).toBe(true);
          }
        },
      ),
      { seed: 11 },
    );
  });
});

describe('the default schedule', () => {
  it('keeps the interval of a page, up to the longest', () => {
    for (const change of ['modified', 'notmodified', 'unknown'] as const) {
      expect(plain.afterFetch(page, NOW, change)).toMatchObject({ fetchInterval: DAY, dueAt: NOW + DAY * 1000 });
      expect(plain.afterFetch({ ...page, fetchInterval: 1000 * DAY }, NOW, change).fetchInterval).toBe(90 * DAY);
    }
  });
});

describe('the adaptive schedule', () => {
  const after = (fetchInterval: number, modifiedAt: number, change: 'modified' | 'notmodified' | 'unknown') =>
    adaptive.afterFetch({ ...page, fetchInterval, modifiedAt }, NOW, change);

  it('shrinks with changes and grows without', () => {
    expect(after(DAY, 0, 'modified')).toMatchObject({ fetchInterval: 0.8 * DAY, dueAt: NOW + 0.8 * DAY * 1000 });
    expect(after(DAY, 0, 'notmodified')).toMatchObject({ fetchInterval: 120_960, dueAt: NOW + 120_960_000 });
    expect(after(DAY, 0, 'unknown').fetchInterval).toBe(DAY);
    expect(after(70, 0, 'modified').fetchInterval).toBe(60);
    expect(after(80 * DAY, 0, 'notmodified').fetchInterval).toBe(90 * DAY);
  });

  it('follows the time of the last change', () => {
    const tenDaysAgo = NOW - 10 * DAY * 1000;
    expect(after(DAY, tenDaysAgo, 'notmodified')).toMatchObject({
      fetchInterval: 10 * DAY,
      dueAt: NOW + 7 * DAY * 1000,
    });
    expect(after(30 * DAY, tenDaysAgo, 'unknown').dueAt).toBe(NOW + 27 * DAY * 1000);
    expect(after(DAY, tenDaysAgo, 'modified').fetchInterval).toBe(0.8 * DAY);
    expect(after(DAY, 1, 'notmodified').dueAt).toBe(NOW + 0.7 * 90 * DAY * 1000);
  });

  it('does not follow it unless the setting says so', () => {
    const { schedule } = adaptiveSchedule({ ...SETTINGS, fetchScheduleAdaptiveSyncDelta: false });
    expect(schedule.afterFetch({ ...page, modifiedAt: 1 }, NOW, 'unknown').dueAt).toBe(NOW + DAY * 1000);
  });
});
