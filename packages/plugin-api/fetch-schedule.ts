/** The times of a page that a schedule reads and returns. Times are in ms since the epoch. The interval is in seconds. */
export interface Schedule {
  /**
   * When the page is due. The latest allowed time is `db.fetchIntervalMax` (or a day if that is longer) after the time that the schedule
   * receives. A later time is replaced by the latest allowed time.
   */
  readonly dueAt: number;
  readonly fetchInterval: number;
  /** Number of failed fetches after the last successful fetch. */
  readonly retries: number;
  /** When the content last changed; 0 if this is unknown. */
  readonly modifiedAt: number;
}

/** Decides when a page is fetched again. All functions must be pure. */
export interface FetchSchedule {
  /** Called for a page that was never fetched. */
  initialize(now: number): Schedule;
  /**
   * Called after a successful fetch. Redirects and "not modified" are also successful.
   * @param fetchedAt when the page was fetched
   * @param change whether the page has changed, by any kind of the change log but `bytes`; by the signatures if the log cannot compare
   */
  afterFetch(schedule: Schedule, fetchedAt: number, change: 'modified' | 'notmodified' | 'unknown'): Schedule;
  /** Called after a failed fetch that may succeed later. */
  afterRetry(schedule: Schedule, fetchedAt: number): Schedule;
  /** Called for a page that is gone. */
  afterGone(schedule: Schedule, fetchedAt: number): Schedule;
}
