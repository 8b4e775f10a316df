/**
 * The counts of each rule: on how many rows and links the rule had decided when the rows were counted. Each rule has a row with a point for
 * each of the last counts. A lost point does no harm, because the next count adds another.
 */
import { json, readableValue } from '../pages/codec.js';
import { scanRows, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, Store, StoredRow } from '../store.js';
import { changeShared, withoutLock } from '../change-shared.js';
import { isTime } from './moments.js';

/** How many rows and links a rule has decided on. */
export interface RuleCounts {
  /** Number of rows that generate refuses because of the rule. */
  readonly refused: number;
  /** Number of rows that are relevant because of the rule. */
  readonly relevant: number;
  /** Number of links on stored pages that the rule rejects. */
  readonly links: number;
}

/** The counts of a rule at one time. */
export interface RulePoint extends RuleCounts {
  /** When the rows were counted, in ms since the epoch. */
  readonly at: number;
}

/** Maximum number of stored points of a rule. */
export const MAX_POINTS = 100;

type Packed = readonly (readonly [at: number, refused: number, relevant: number, links: number])[];

const COLUMN = INDEX_COLUMNS.ruleHistory;
const HISTORY = 'h|';
const ALL = { start: HISTORY, end: 'h}' };
/** Maximum number of rules in one write. */
const STEP = 500;
const codec = json<Packed>(
  (value) =>
    Array.isArray(value) &&
    value.every((each) => Array.isArray(each) && each.length === 4 && each.every(Number.isFinite) && isTime(each[0])),
);

export function createRuleCounts(store: Store) {
  return {
    /** The last counts of each rule, by id; rules that were never counted are absent. */
    async counts(): Promise<Map<string, RulePoint>> {
      const found = new Map<string, RulePoint>();
      for await (const row of scanRows(store, 'rule', [COLUMN], [ALL], STEP)) {
        const last = pointsOf(row).at(-1);
        if (last) found.set(idOf(row.key), last);
      }
      return found;
    },

    /** All stored counts of some rules, by id, oldest first; rules that were never counted are absent. */
    async histories(ids: readonly string[]): Promise<Map<string, readonly RulePoint[]>> {
      const rows = await store.get('rule', ids.map(keyOf), [COLUMN]);
      return new Map(ids.map((id, i) => [id, pointsOf(rows[i])] as const).filter(([, points]) => points.length > 0));
    },

    /**
     * Adds a point to the history of each counted rule, and removes the histories of all other rules.
     * @param countedAt when the rows were counted, in ms since the epoch
     */
    async noteCounts(counts: ReadonlyMap<string, RuleCounts>, countedAt: number): Promise<void> {
      const note = (keys: readonly string[]): Promise<void> =>
        changeShared(store, withoutLock, { table: 'rule', keys, column: COLUMN }, (key, row) => {
          const found = counts.get(idOf(key));
          if (!found) return row && { clear: true };
          // If the clock was set back, the row may have points of the future.
          const past = pointsOf(row).filter((point) => point.at < countedAt);
          const points = [...past.slice(1 - MAX_POINTS), { at: countedAt, ...found }];
          return { put: new Map([[COLUMN, codec.encode(points.map(pack))]]) };
        });
      const left = new Set([...counts.keys()].map(keyOf));
      for await (const rows of scanSteps(store, 'rule', [COLUMN], [ALL], STEP)) {
        const keys = rows.map(({ key }) => key);
        for (const key of keys) left.delete(key);
        await note(keys);
      }
      const fresh = [...left];
      for (let i = 0; i < fresh.length; i += STEP) await note(fresh.slice(i, i + STEP));
    },
  };
}

/** The change that removes the history of a rule. */
export const clearCounts = (id: string): RowChange => ({ key: keyOf(id), clear: true });

const keyOf = (id: string): string => `${HISTORY}${id}`;
const idOf = (key: string): string => key.slice(HISTORY.length);
const pack = ({ at, refused, relevant, links }: RulePoint): Packed[number] => [at, refused, relevant, links];

function pointsOf(row: StoredRow | undefined): readonly RulePoint[] {
  // If they cannot be read, the next count begins a new history.
  const points = readableValue(row, COLUMN, codec) ?? [];
  return points.map(([at, refused, relevant, links]) => ({ at, refused, relevant, links }));
}
