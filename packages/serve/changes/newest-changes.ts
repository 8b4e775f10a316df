import type { LoggedRecord } from '../../changes/index.js';
import { cursorOfTime, timeOfCursor } from '../../core/index.js';
import type { ChangesSource } from '../source.js';
import type { AskedChanges } from './asked-changes.js';

/** The newest changes of a selection. */
export interface NewestChanges {
  /** The changes, the newest first. */
  readonly records: readonly LoggedRecord[];
  /** A cursor. Older changes are before this cursor. Absent: the log has no older changes. */
  readonly older?: string;
}

const HOUR = 3_600_000;
/** The periods to read before the end, in milliseconds. If a period has too few changes, the next one is read. */
const STEPS = [HOUR, 6 * HOUR, 24 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR, Infinity];
/** Number of changes between two stored places. */
const SPACING = 500;
/** Maximum number of stored places. */
const MOST_PLACES = 4_000;

/**
 * Makes a reader of the newest changes. The log can only be read forward. So the reader first reads a short period before the end, and then
 * longer periods, until there are enough changes. A batch may have written thousands of changes at the same time. So the reader stores
 * places between changes. Later it begins at the last place before the changes to show, and not at the start of the period.
 */
export function createNewestChanges(changes: ChangesSource) {
  /** The stored places: cursors in ascending order. They stay valid, because the log only grows. */
  let places: readonly string[] = [];

  return async function newestChanges(
    { filter, limit, before }: Pick<AskedChanges, 'filter' | 'limit' | 'before'>,
    signal: AbortSignal,
  ): Promise<NewestChanges> {
    const { oldest, next } = await changes.places();
    const end = before !== undefined && before < next ? before : next;
    const known = places;
    const passed: string[] = [];

    /** Returns the last changes after the cursor `from`, up to the cursor `to`. The change at `to` is included, except if `to` is the end. */
    async function lastOf(from: string, to: string): Promise<LoggedRecord[]> {
      const part: LoggedRecord[] = [];
      let count = 0;
      const asked = { ...filter, cursor: from, until: timeOfCursor(to) + 1 };
      for await (const record of changes.read(asked, signal)) {
        if (record.cursor > to || record.cursor === end) break;
        part.push(record);
        if (++count % SPACING === 0) passed.push(record.cursor);
        // One more change than is shown stays in the list, to know whether there are older changes.
        if (part.length > 2 * limit + 2) part.splice(0, part.length - limit - 1);
      }
      return part;
    }

    let found: LoggedRecord[] = [];
    let to = end;
    for (const step of STEPS) {
      const since = cursorOfTime(Math.max(timeOfCursor(oldest), timeOfCursor(end) - step));
      while (to > since && found.length <= limit) {
        const place = known.findLast((each) => each < to) ?? since;
        const from = place > since ? place : since;
        found = [...(await lastOf(from, to)), ...found];
        to = from;
      }
    }
    places = [...new Set([...places, ...passed])]
      .filter((each) => each > oldest)
      .sort()
      .slice(-MOST_PLACES);
    const shown = found.slice(-limit);
    const older = shown[0]?.cursor;
    return { records: shown.toReversed(), ...(found.length > limit && older !== undefined && { older }) };
  };
}
