import type { PageChange } from '../pages/page.js';
import type { FrontierRow } from './frontier-rows.js';

/** What has changed of rows since it was last taken, for those who keep counts of it. */
export interface RowTally {
  /** Takes it, and begins anew. */
  take(): {
    /** Rows more, or less, that are refused, by cause. */
    readonly refused: ReadonlyMap<string, number>;
    /** Keys of new rows that are fit. */
    readonly fit: readonly string[];
  };
}

/** Keys that are kept at the most, for where nobody takes them; the counts can be made anew from the rows. */
const MOST_KEYS = 100_000;

export function createRowTally() {
  let refused = new Map<string, number>();
  let fit: string[] = [];
  const add = (cause: string | undefined, n: number): void => {
    if (cause !== undefined) refused.set(cause, (refused.get(cause) ?? 0) + n);
  };
  return {
    /** A row was changed. */
    changed(before: FrontierRow | undefined, { key, set, unset }: PageChange): void {
      const was = before?.refusedBy;
      const is = set?.refusedBy ?? (unset?.includes('refusedBy') ? undefined : was);
      if (was !== is) {
        add(was, -1);
        add(is, 1);
      }
      if (!before && set?.fit === true && fit.length < MOST_KEYS) fit.push(key);
    },
    /** A row was removed. */
    removed: (before: FrontierRow): void => add(before.refusedBy, -1),
    take() {
      const taken = { refused, fit };
      refused = new Map();
      fit = [];
      return taken;
    },
  };
}
