/** Milliseconds between two polls for due rows. */
export const POLL_MS = 1000;

/** Decides when it makes sense to poll for due rows. */
export type DueWatch = ReturnType<typeof createDueWatch>;

/** @param outsideChanges returns how often other processes have changed rows of the table */
export function createDueWatch(outsideChanges: () => number) {
  /** The time of the last poll, by `performance.now`, if that poll found no row. -Infinity if the next poll may find a row. */
  let nothingDueSince = -Infinity;
  /** The number of calls of `lookAgain`. */
  let generation = 0;
  /** The value of `outsideChanges` at the last poll. */
  let outsideSeen = 0;
  let isStuck = false;
  return {
    /** Whether a poll may find due rows now. */
    get mayFind() {
      return !isStuck && performance.now() - nothingDueSince >= POLL_MS;
    },
    /** Whether the last poll found no row, and nothing has changed after that poll. */
    get foundNothing() {
      return nothingDueSince > -Infinity;
    },
    /**
     * Begins a poll.
     * @returns a function to call at the end of the poll, with whether the poll found a row
     */
    begin(): (found: boolean) => void {
      const begun = generation;
      outsideSeen = outsideChanges();
      return (found) => {
        if (found) nothingDueSince = -Infinity;
        else if (begun === generation) nothingDueSince = performance.now();
      };
    },
    /** Records that further rows may be due now. */
    lookAgain(): void {
      generation += 1;
      nothingDueSince = -Infinity;
    },
    /**
     * Records that the due rows cannot be fetched, and would be selected again and again. Polls are stopped until another process changes
     * rows.
     */
    giveUp(): void {
      isStuck = true;
    },
    /** Whether other processes have changed rows after the last poll. If so, the next poll may find a row. */
    sawOutsideChanges(): boolean {
      const seen = outsideSeen;
      outsideSeen = outsideChanges();
      if (outsideSeen === seen) return false;
      nothingDueSince = -Infinity;
      isStuck = false;
      return true;
    },
  };
}
