import { recordFilter, type LoggedRecord } from '../../changes/index.js';
import { CHANGE_KINDS, cursorOfTime, timeOfCursor } from '../../core/index.js';
import type { ChangesSource } from '../source.js';
import type { AskedChanges } from './asked-changes.js';

export interface NewestChanges {
  readonly records: readonly LoggedRecord[];
  /** Number of changes between these that were passed over, because only the bytes of their pages have changed. */
  readonly bytesOnly: number;
  /** A cursor. Older changes are before this cursor. Absent: the log has no older changes. */
  readonly older?: string;
  /** Whether the read ended at its limit, so that there may be fewer changes than requested before `older`. */
  readonly isCut: boolean;
}

const HOUR = 3_600_000;
/** Maximum number of doublings of the period that is read: 20,000 years. */
const MAX_DOUBLINGS = 27;
const CHANGES_PER_PLACE = 500;
const MAX_STORED_PLACES = 4_000;
/** Number of changes after which a read ends, even if its filter has found too few. */
export const MAX_READ = 5_000;

/**
 * Creates a reader of the newest changes. The log can only be read forward. So the reader first reads the last hour before the end, and
 * then periods that are twice as long each, until there are enough changes, or {@link MAX_READ} were read. A batch may have written
 * thousands of changes at the same time. So the reader stores places between changes. Later it begins at the last place before the changes
 * to show, and not at the start of the period. Only the first read of a period may read more than {@link MAX_READ} changes.
 */
export function createNewestChanges(changes: ChangesSource) {
  /** The stored places: cursors in ascending order. They stay valid, because the log only grows. */
  let places: readonly string[] = [];

  return async function newestChanges(
    { filter, limit, before }: Pick<AskedChanges, 'filter' | 'limit' | 'before'>,
    signal: AbortSignal,
  ): Promise<NewestChanges> {
    const isWanted = recordFilter(filter);
    const { oldest, next } = await changes.places();
    const end = before !== undefined && before < next ? before : next;
    const known = places;
    const passed: string[] = [];
    let bytesOnly = 0;
    let read = 0;
    let lastRead: string | undefined;

    /**
     * Returns the last changes after the cursor `from`, up to the cursor `to`. The change at `to` is included, except if `to` is the end.
     */
    async function lastOf(from: string, to: string): Promise<LoggedRecord[]> {
      const part: LoggedRecord[] = [];
      let first: string | undefined;
      let count = 0;
      const options = { kinds: CHANGE_KINDS, cursor: from, until: timeOfCursor(to) + 1 };
      for await (const record of changes.read(options, signal)) {
        if (record.cursor > to || record.cursor === end) break;
        first ??= record.cursor;
        if (++count % CHANGES_PER_PLACE === 0) passed.push(record.cursor);
        const verdict = isWanted(record);
        if (verdict === 'bytes') bytesOnly++;
        if (verdict !== true) continue;
        part.push(record);
        // One more change than is shown stays in the list, to know whether there are older changes.
        if (part.length > 2 * limit + 2) part.splice(0, part.length - limit - 1);
      }
      read += count;
      lastRead = first ?? lastRead;
      return part;
    }

    let found: LoggedRecord[] = [];
    let to = end;
    const isEnough = (): boolean => found.length > limit || read >= MAX_READ;
    for (let i = 0; i <= MAX_DOUBLINGS && !isEnough(); i++) {
      const since = cursorOfTime(Math.max(timeOfCursor(oldest), timeOfCursor(end) - HOUR * 2 ** i));
      while (to > since && !isEnough()) {
        const place = known.findLast((each) => each < to) ?? since;
        const from = place > since ? place : since;
        found = [...(await lastOf(from, to)), ...found];
        to = from;
      }
    }
    places = [...new Set([...places, ...passed])]
      .filter((each) => each > oldest)
      .sort()
      .slice(-MAX_STORED_PLACES);
    const isCut = found.length <= limit && to > oldest;
    const shown = found.slice(-limit);
    const older = isCut ? lastRead : found.length > limit ? shown[0]?.cursor : undefined;
    return { records: shown.toReversed(), bytesOnly, isCut, ...(older !== undefined && { older }) };
  };
}
