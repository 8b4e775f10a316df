import { batchesLeft, cursorOfTime, horizonOf, isCursor, timeOfCursor, type CrawlContext } from '../core/index.js';

/** Where the change log begins and ends, and whether a reader that continues after a cursor has missed entries. */
export interface LogPlaces {
  /** The cursor before the first entry that is kept. */
  readonly oldest: string;
  /** The cursor after the last entry that can be read now. */
  readonly next: string;
  /** false: entries after the cursor were removed, or the cursor is not from this log. */
  readonly isKnown: boolean;
}

const DAY = 86_400_000;

/**
 * Returns where a reader of the change log can begin. It reads a few small rows.
 * @param cursor the cursor of a record, or from `next()` of `Changes`; absent: only the bounds of the log are returned
 */
export async function logPlaces(
  { tables, settings, clock }: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>,
  cursor?: string,
): Promise<LogPlaces> {
  const { changes } = tables;
  const state = await changes.state();
  const horizon = horizonOf(state, await batchesLeft(tables));
  const { begun = 0, removedBefore = 0 } = state;
  const kept = Math.max(removedBefore, clock() - settings.db.changesKeptDays * DAY);
  const oldest = cursorOfTime(Math.min(Math.max(begun, kept), horizon));
  const next = cursorOfTime(horizon);
  return { oldest, next, isKnown: cursor === undefined || (await isKnown(cursor)) };

  async function isKnown(text: string): Promise<boolean> {
    if (!isCursor(text)) return false;
    const time = timeOfCursor(text);
    if (time > horizon || time < removedBefore) return false;
    // An entry that is older than `db.changesKeptDays` days counts as removed. If there is such an entry after the cursor, the reader has
    // missed it.
    for await (const _ of changes.read({ cursor: text }, Math.min(kept, horizon))) return false;
    return !text.includes('|') || (await changes.find(text)) !== undefined;
  }
}
