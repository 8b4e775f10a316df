import { json } from '../pages/codec.js';
import { scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, Store, StoredRow } from '../store.js';
import { writeUnchanged, type VersionedChange } from '../write-unchanged.js';
import type { RuleCounts } from './rules.js';

/** What a rule had decided at a moment. */
export interface RulePoint extends RuleCounts {
  /** In ms since the epoch. */
  readonly at: number;
}

/** Of a rule its moments, oldest first; small enough for any number of rules. */
type Series = readonly RulePoint[];
type Packed = readonly (readonly [at: number, refused: number, fit: number, links: number])[];

const HISTORY = 'h|';
const COLUMN = INDEX_COLUMNS.ruleHistory;
const codec = json<Packed>(
  (value) => Array.isArray(value) && value.every((each) => Array.isArray(each) && each.every(Number.isFinite)),
);

/** Milliseconds that are between two points at the least, but for the last one. */
const LEAST = 60_000;
/** The part of their age by which points are apart at the least: the older, the fewer. */
const PART = 16;
/** Points of a rule at the most, whatever the clock does; in ten years there are 220. */
export const MAX_POINTS = 256;

/**
 * A series with one more point. Of the last hour it has a point a minute, of the last day some seventy, and so on: ever fewer with their
 * age, of which the first always stays. Points of the future, as a clock made them that was set back since, are dropped.
 */
export function addPoint(series: Series, point: RulePoint): RulePoint[] {
  const past = series.filter(({ at }) => at < point.at);
  // The last one moves on until it is far enough from the one before it.
  if (past.length > 1 && past.at(-1)!.at - past.at(-2)!.at < LEAST) past.pop();
  const kept: RulePoint[] = [];
  for (const each of past) {
    const last = kept.at(-1);
    if (!last || each.at - last.at >= Math.max(LEAST, (point.at - each.at) / PART)) kept.push(each);
  }
  if (kept.length >= MAX_POINTS) kept.splice(1, kept.length - MAX_POINTS + 1);
  return [...kept, point];
}

/** The rows of the table `rule` with what rules had decided over time. Each is a row of its own, which may be lost without harm. */
export function createRuleHistory(store: Store) {
  return {
    /** What each of some rules had decided over time; none of those of which nothing was noted. */
    async histories(ids: readonly string[]): Promise<Map<string, readonly RulePoint[]>> {
      const rows = await store.get('rule', ids.map(keyOf), [COLUMN]);
      return new Map(ids.map((id, i) => [id, seriesOf(rows[i])] as const).filter(([, series]) => series.length > 0));
    },

    /** Notes what rules have decided by now. Where somebody else does so at the same time, one of the two is enough. */
    async noteCounts(counts: ReadonlyMap<string, RuleCounts>, at: number): Promise<void> {
      const ids = [...counts.keys()];
      const rows = await store.get('rule', ids.map(keyOf), [COLUMN]);
      const changes = ids.flatMap((id, i): VersionedChange[] => {
        const before = seriesOf(rows[i]);
        const { refused, fit, links } = counts.get(id)!;
        const last = before.at(-1);
        if (last && last.refused === refused && last.fit === fit && last.links === links) return [];
        const packed = addPoint(before, { at, refused, fit, links }).map(pack);
        return [
          { change: { key: keyOf(id), put: new Map([[COLUMN, codec.encode(packed)]]) }, version: rows[i]?.version },
        ];
      });
      await writeUnchanged(store, 'rule', changes);
    },

    /** Removes what was noted of rules that are not there any more, as a kill may leave it. */
    async sweepHistories(isThere: (id: string) => boolean): Promise<void> {
      const range = { start: HISTORY, end: 'h}' };
      for await (const rows of scanSteps(store, 'rule', [COLUMN], [range], 1000)) {
        const gone = rows.filter(({ key }) => !isThere(key.slice(HISTORY.length)));
        if (gone.length > 0)
          await store.write(
            'rule',
            gone.map(({ key }) => clearOf(key)),
          );
      }
    },
  };
}

/** The change that removes what was noted of a rule. */
export const clearHistory = (id: string): RowChange => clearOf(keyOf(id));

const keyOf = (id: string): string => `${HISTORY}${id}`;
const clearOf = (key: string): RowChange => ({ key, clear: true });
const pack = ({ at, refused, fit, links }: RulePoint): Packed[number] => [at, refused, fit, links];

function seriesOf(row: StoredRow | undefined): Series {
  const cell = row?.cells.get(COLUMN);
  if (!cell) return [];
  try {
    return codec.decode(cell).map(([at, refused, fit, links]) => ({ at, refused, fit, links }));
  } catch {
    // It begins anew.
    return [];
  }
}
