/**
 * The notes of the hosts in the frontier. Each note records the score of the head of its host. On a store that several processes use, notes
 * are never removed: a late note of a former owner would be visible again.
 */
import type { HostKey } from '../keys/host-key.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, Store } from '../store.js';
import { putScore, scoreIn } from './frontier-entries.js';
import type { FrontierKeys } from './frontier-keys.js';

/** The heads of some hosts by the notes of the hosts, with the timestamps of the notes. A host without a note is absent: it has no head. */
export type Heads = Map<HostKey, { readonly score?: number | undefined; readonly at?: number | undefined }>;

const COLUMNS = [INDEX_COLUMNS.frontierScore];
/** The score in a note of a host that has no head. */
const NO_HEAD = -Infinity;

export function createHeadNotes(store: Store, keys: FrontierKeys) {
  async function read(hosts: Iterable<HostKey>): Promise<Heads> {
    const asked = [...new Set(hosts)];
    const found = await store.get('frontier', asked.map(keys.note), COLUMNS);
    const heads: Heads = new Map();
    for (const [i, host] of asked.entries()) {
      const score = scoreIn(found[i]?.cells);
      if (score !== undefined) heads.set(host, { score: score === NO_HEAD ? undefined : score, at: found[i]?.at });
    }
    return heads;
  }

  return {
    read,

    /** The change that writes the note of a host. @param score undefined: the host has no head */
    change(host: HostKey, score: number | undefined): RowChange {
      const key = keys.note(host);
      return score === undefined && !store.compareAndSet ? { key, clear: true } : putScore(key, score ?? NO_HEAD);
    },

    /** Reads the notes of these hosts. Returns the named heads in two maps: existing heads, and missing heads. */
    async confirmed(hosts: Iterable<HostKey>): Promise<{ heads: Heads; lost: Heads }> {
      const heads: Heads = new Map();
      const lost: Heads = new Map();
      const noted = [...(await read(hosts))].filter(([, { score }]) => score !== undefined);
      const headKeys = noted.map(([host, { score }]) => keys.head(score!, host));
      const found = await store.get('frontier', headKeys, COLUMNS);
      for (const [i, [host, head]] of noted.entries()) (found[i] ? heads : lost).set(host, head);
      return { heads, lost };
    },
  };
}
