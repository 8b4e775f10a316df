/** What a schedule reads and decides. Times are ms since the epoch, the interval is in seconds. */
export interface Schedule {
  /** When the page is due. */
  readonly dueAt: number;
  readonly fetchInterval: number;
  /** Failed fetches since the last that worked. */
  readonly retries: number;
  /** When the content last changed, 0 when not known. */
  readonly modifiedTime: number;
}

/** Decides when a page is fetched again. All members are pure. */
export interface FetchSchedule {
  /** A page that was never fetched. */
  initialize(now: number): Schedule;
  /**
   * A fetch that worked, redirects and "not modified" included.
   * @param fetchedAt when it was fetched
   * @param change what a comparison of digests said
   */
  afterFetch(schedule: Schedule, fetchedAt: number, change: 'modified' | 'notmodified' | 'unknown'): Schedule;
  /** A fetch that failed and may work later. */
  afterRetry(schedule: Schedule, fetchedAt: number): Schedule;
  /** A page that is gone. */
  afterGone(schedule: Schedule, fetchedAt: number): Schedule;
}
