import { hostKeyOfRow } from '../keys/host-key.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';
import { writeUnchanged } from '../write-unchanged.js';
import { putScore, type FrontierEntry } from './frontier-entries.js';
import type { FrontierHeads, HostScore } from './frontier-heads.js';
import type { FrontierKeys } from './frontier-keys.js';

const COLUMNS = [INDEX_COLUMNS.frontierScore];

/** Replaces entries. The order of the writes makes sure that a row always has an entry, even if a write fails. */
export function createFrontierMoves(store: Store, keys: FrontierKeys, heads: FrontierHeads) {
  /** The hosts and scores of the entries that are in a queue. */
  function dueScores(entries: readonly FrontierEntry[]): HostScore[] {
    const scores: HostScore[] = [];
    for (const { entryKey, rowKey, score } of entries) {
      if (keys.isDue(entryKey)) scores.push({ host: hostKeyOfRow(rowKey), score });
    }
    return scores;
  }

  /**
   * Adds the version to each entry, and drops entries that do not exist. On a store without versions, all entries are returned unchanged.
   */
  async function withVersions(entries: readonly FrontierEntry[]): Promise<readonly FrontierEntry[]> {
    if (!store.writeUnchanged) return entries;
    const unknown = entries.filter(({ version }) => version === undefined);
    if (unknown.length === 0) return entries;
    const entryKeys = unknown.map(({ entryKey }) => entryKey);
    const rows = await store.get('frontier', entryKeys, COLUMNS);
    const versions = new Map(entryKeys.map((key, i) => [key, rows[i]?.version]));
    return entries
      .map((entry) => ({ ...entry, version: entry.version ?? versions.get(entry.entryKey) }))
      .filter(({ version }) => version !== undefined);
  }

  return {
    dueScores,

    /**
     * Writes new entries with their heads, then calls `between`, then removes old entries with their heads. If another writer has written
     * an old entry again meanwhile, the entry stays.
     * @param between writes the data that depends on the new entries; resolves to the keys of the rows whose old entries stay
     */
    async move(
      added: readonly FrontierEntry[],
      removed: readonly FrontierEntry[],
      between?: () => Promise<ReadonlySet<string> | void>,
    ): Promise<void> {
      const dueAdded = dueScores(added);
      const found = await heads.read([...dueAdded, ...dueScores(removed)]);
      const olds = await withVersions(removed);
      if (added.length > 0) {
        await store.write(
          'frontier',
          added.map(({ entryKey, score }) => putScore(entryKey, score)),
        );
      }
      await heads.raise(found, dueAdded);
      const kept = (await between?.()) ?? new Set();
      const gone = kept.size > 0 ? olds.filter(({ rowKey }) => !kept.has(rowKey)) : olds;
      const removals = gone.map(({ entryKey: key, version }) => ({ change: { key, clear: true }, version }));
      await writeUnchanged(store, 'frontier', removals);
      await heads.lower(found, dueScores(gone));
    },
  };
}
