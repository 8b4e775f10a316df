import type { ChangeDiff, LoggedRecord } from '../../changes/index.js';
import { createBoundedCache } from '../../util/index.js';
import type { ChangesSource } from '../source.js';

/** The next request continues. */
const MAX_DIFF_MS = 500;
const MAX_CACHED_CHARACTERS = 4 * 2 ** 20;

export type ShownDiffs = ReadonlyMap<string, ChangeDiff>;

/** Creates a reader of the diffs of changes. A diff is computed once, because the versions before and after a change stay the same. */
export function createShownDiffs(changes: ChangesSource) {
  const kept = createBoundedCache<ChangeDiff | 'none'>(MAX_CACHED_CHARACTERS);

  return async function shownDiffs(records: readonly LoggedRecord[], signal: AbortSignal): Promise<ShownDiffs> {
    const until = performance.now() + MAX_DIFF_MS;
    const found = new Map<string, ChangeDiff>();
    for (const record of records) {
      signal.throwIfAborted();
      if (record.type === 'host') continue;
      let diff = kept.get(record.cursor);
      if (diff === undefined && performance.now() < until) {
        diff = (await changes.diff(record)) ?? 'none';
        kept.set(record.cursor, diff, JSON.stringify(diff).length);
      }
      if (diff !== undefined && diff !== 'none') found.set(record.cursor, diff);
    }
    return found;
  };
}
