import type { Settings } from '../../../config/index.js';
import type { PageRow } from '../../../webtable/index.js';

export const WRONG_TIME_FIELDS = ['dueAt', 'fetchedAt', 'fetchInterval', 'retries'] as const;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A clock with an earlier time was not set after the start of the machine. Such a clock cannot show that the time of a row is wrong. */
const NO_CLOCK_BEFORE = Date.UTC(2023, 0, 1);

/**
 * Returns the longest time from the fetch or the creation of a page until the page is due, in ms. It is the longest interval, or the day
 * after which a failed fetch is retried.
 */
export function longestWait({ db }: Pick<Settings, 'db'>): number {
  return Math.max(db.fetchIntervalMax * 1000, DAY);
}

/**
 * Returns the latest time at which a page can be due, plus an hour for clock skew, in ms since the epoch. If a row has a later due time, the
 * clock that wrote it was ahead. Returns Infinity if the present clock is wrong.
 * @param row absent: any row, so the longest interval counts
 */
export function latestDue(
  { settings }: { readonly settings: Pick<Settings, 'db'> },
  now: number,
  row?: PageRow<'fetchInterval' | 'retries'>,
): number {
  if (now < NO_CLOCK_BEFORE) return Infinity;
  const longest = longestWait(settings);
  if (!row) return now + longest + HOUR;
  const { fetchInterval = 0, retries = 0 } = row;
  const interval = (fetchInterval > 0 ? fetchInterval : settings.db.fetchIntervalDefault) * 1000;
  return now + Math.min(longest, retries > 0 ? Math.max(interval, DAY) : interval) + HOUR;
}

/** Whether a page was fetched more than an hour after now. If so, the clock at the fetch was ahead. */
export function isFetchedInFuture({ fetchedAt = 0 }: PageRow<'fetchedAt'>, now: number): boolean {
  return now >= NO_CLOCK_BEFORE && fetchedAt > now + HOUR;
}

/** Whether a row has a wrong time, which was written by a clock that was ahead. */
export function hasWrongTime(
  crawl: { readonly settings: Pick<Settings, 'db'> },
  row: PageRow<(typeof WRONG_TIME_FIELDS)[number]>,
  now: number,
): boolean {
  return isFetchedInFuture(row, now) || (row.dueAt ?? 0) > latestDue(crawl, now, row);
}

/** Watches whether a clock is set back by more than an hour, by comparison with a clock that is never set. */
export function createClockWatch(clock: () => number) {
  const lead = (): number => clock() - performance.now();
  let greatest = lead();
  let isSetBack = false;
  const look = (): void => {
    const now = lead();
    isSetBack ||= now < greatest - HOUR;
    greatest = isSetBack ? now : Math.max(greatest, now);
  };
  return {
    /** Compares the clocks. A clock that is set ahead, and back before the next call, is not noticed. */
    look,
    /** Whether the clock was set back since the last call of this function. */
    wasSetBack(): boolean {
      look();
      const was = isSetBack;
      isSetBack = false;
      return was;
    },
  };
}
