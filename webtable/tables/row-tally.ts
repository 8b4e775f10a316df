import type { PageChange, PageRow } from '../pages/page.js';
import type { FrontierRow } from './frontier-rows.js';

/** What it counts of a row beside its refusal. Who removes a row, or changes one of these of a row that is there, has read it. */
export const TALLY_FIELDS = ['fit', 'cutLinks'] as const;
type TalliedRow = FrontierRow & Partial<Pick<PageRow<(typeof TALLY_FIELDS)[number]>, (typeof TALLY_FIELDS)[number]>>;

/** What has changed of rows since it was last taken, for those who keep counts of it. */
export interface RowTally {
  /** Takes it, and begins anew. */
  take(): {
    /** Rows more, or less, that are refused, by cause. */
    readonly refused: ReadonlyMap<string, number>;
    /** Keys of rows that became fit (1), or are so no more (-1). */
    readonly fit: ReadonlyMap<string, number>;
    /** Links less that rules have cut, of rows that were removed, by the id of the rule. */
    readonly links: ReadonlyMap<string, number>;
  };
}

/** Keys that are kept at the most, for where nobody takes them; the counts can be made anew from the rows. */
const MOST_KEYS = 100_000;

export function createRowTally() {
  let refused = new Map<string, number>();
  let fit = new Map<string, number>();
  let links = new Map<string, number>();
  const add = (to: Map<string, number>, name: string | undefined, n: number): void => {
    if (name !== undefined && n !== 0) to.set(name, (to.get(name) ?? 0) + n);
  };
  const addFit = (key: string, n: number): void => {
    if (fit.size < MOST_KEYS) add(fit, key, n);
  };
  return {
    /** A row was changed. */
    changed(before: TalliedRow | undefined, { key, set, unset }: PageChange): void {
      const was = before?.refusedBy;
      const is = set?.refusedBy ?? (unset?.includes('refusedBy') ? undefined : was);
      if (was !== is) {
        add(refused, was, -1);
        add(refused, is, 1);
      }
      if (set?.fit === undefined && !unset?.includes('fit')) return;
      addFit(key, Number(set?.fit === true) - Number(before?.fit === true));
    },
    /** A row was removed. */
    removed(key: string, before: TalliedRow): void {
      add(refused, before.refusedBy, -1);
      if (before.fit === true) addFit(key, -1);
      for (const [id, n] of Object.entries(before.cutLinks ?? {})) add(links, id, -n);
    },
    take() {
      const taken = { refused, fit, links };
      refused = new Map();
      fit = new Map();
      links = new Map();
      return taken;
    },
  };
}
