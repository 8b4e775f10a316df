import { hostKeyOfRow } from '../keys/host-key.js';
import type { Store } from '../store.js';
import { putScore, type FrontierEntry } from './frontier-entries.js';
import type { FrontierHeads, HostScore } from './frontier-heads.js';
import type { FrontierKeys } from './frontier-keys.js';

/** Replaces entries. The order of the writes makes sure that a row always has an entry, even if a write fails. */
export function createFrontierMoves(store: Store, keys: FrontierKeys, heads: FrontierHeads) {
  function dueScores(entries: readonly FrontierEntry[]): HostScore[] {
    const scores: HostScore[] = [];
    for (const { entryKey, rowKey, score } of entries) {
      if (keys.isDue(entryKey)) scores.push({ host: hostKeyOfRow(rowKey), score });
    }
    return scores;
  }

  return {
    dueScores,

    /**
     * Writes new entries, then their heads, then calls `between`, then removes old entries, then lowers heads.
     * @param between writes the data that depends on the new entries
     */
    async move(
      added: readonly FrontierEntry[],
      removed: readonly FrontierEntry[],
      between?: () => Promise<void>,
    ): Promise<void> {
      const dueAdded = dueScores(added);
      const dueRemoved = dueScores(removed);
      const found = await heads.read([...dueAdded, ...dueRemoved]);
      await store.write(
        'frontier',
        added.map(({ entryKey, score }) => putScore(entryKey, score)),
      );
      await heads.raise(found, dueAdded);
      await between?.();
      await store.write(
        'frontier',
        removed.map(({ entryKey: key, at }) => ({ key, clear: true, at })),
      );
      await heads.lower(found, dueRemoved);
    },
  };
}
