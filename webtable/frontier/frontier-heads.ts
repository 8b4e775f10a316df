/**
 * The heads of the frontier. Each host with rows in its queue has one head, whose score is that of the best row. A note of the host names
 * this head. After a crash a head may be too high, but never too low.
 *
 * Order of writes: the new head, the note, then the removal of the old head. So a note always names an existing head. A head that the note
 * of its host does not name is ignored. If other processes change the store too, a writer may fail to write a note, because another writer
 * was faster. The slower writer then removes the head that it has written, except when the head is right by the new note.
 */
import { readRange, scanSteps } from '../scan-steps.js';
import type { HostKey } from '../keys/host-key.js';
import type { Slots } from '../keys/partition.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, Store } from '../store.js';
import { writeUnchanged, type VersionedChange } from '../write-unchanged.js';
import { putScore, scoreIn } from './frontier-entries.js';
import type { FrontierKeys } from './frontier-keys.js';
import { createHeadNotes, type Heads } from './head-notes.js';

/** A host that has a row of this score in its queue. */
export interface HostScore {
  readonly host: HostKey;
  readonly score: number;
}

/** The heads of the hosts of a table. */
export type FrontierHeads = ReturnType<typeof createFrontierHeads>;

const COLUMNS = [INDEX_COLUMNS.frontierScore];
/** Number of hosts whose queues are read together. */
const HOSTS_AT_ONCE = 32;
/** Number of heads that are checked together. */
const STEP = 256;

const hostOf = ({ host }: HostScore): HostKey => host;

export function createFrontierHeads(store: Store, keys: FrontierKeys, slots: Slots) {
  const isShared = store.writeUnchanged !== undefined;
  const notes = createHeadNotes(store, keys);
  const read = (rows: readonly HostScore[]): Promise<Heads> => notes.read(rows.map(hostOf));

  /** Raises the head of each host to the best of these rows. A higher head stays. Call it when the rows are in the queue. */
  async function raise(heads: Heads, rows: readonly HostScore[]): Promise<void> {
    const best = new Map<HostKey, number>();
    for (const { host, score } of rows) best.set(host, Math.max(score, best.get(host) ?? -Infinity));
    // An unchanged note is written too, so that the note gets a new version. Another writer may want to lower the note because of an older
    // state of the queue. With the new version, that writer must read the queue again.
    await move(heads, [...best.keys()], async (host, at = -Infinity) => Math.max(at, best.get(host)!), isShared);
  }

  /** Lowers the heads of hosts that have lost their best row, to the best remaining row. Call it when the rows are out of the queue. */
  async function lower(heads: Heads, rows: readonly HostScore[]): Promise<void> {
    const found = isShared ? await read(rows) : heads;
    const hosts = new Set<HostKey>();
    for (const { host, score } of rows) if (score >= (found.get(host)?.score ?? Infinity)) hosts.add(host);
    await settle(found, [...hosts]);
  }

  async function settle(heads: Heads, hosts: readonly HostKey[]): Promise<void> {
    for (let i = 0; i < hosts.length; i += HOSTS_AT_ONCE) {
      await move(heads, hosts.slice(i, i + HOSTS_AT_ONCE), async (host, at) =>
        at === undefined ? undefined : bestDue(host, at),
      );
    }
  }

  /**
   * Moves the heads of hosts to the scores that `to` returns. If another writer has changed the note of a host, `to` is called again for
   * that host.
   * @param always writes unchanged notes too
   * @param unnamed scores of heads that may have no note; such a head is removed if the final note does not name it
   */
  async function move(
    heads: Heads,
    hosts: readonly HostKey[],
    to: (host: HostKey, at: number | undefined) => Promise<number | undefined>,
    always = false,
    unnamed: ReadonlyMap<HostKey, readonly number[]> = new Map(),
  ): Promise<void> {
    const targets = await Promise.all(hosts.map((host) => to(host, heads.get(host)?.score)));
    const moves = hosts
      .map((host, i) => {
        const [from, score] = [heads.get(host), targets[i]];
        const others = new Set([...(from?.score === undefined ? [] : [from.score]), ...(unnamed.get(host) ?? [])]);
        return { host, from, score, goes: [...others].filter((at) => at !== score) };
      })
      .filter(({ from, score, goes }) => always || goes.length > 0 || from?.score !== score);
    const added: RowChange[] = [];
    const noted: VersionedChange[] = [];
    for (const { host, from, score } of moves) {
      if (score !== undefined && score !== from?.score) added.push(putScore(keys.head(score, host), score));
      noted.push({ change: notes.change(host, score), version: from?.version });
    }
    const old = moves.flatMap(({ host, goes }) => goes.map((at) => ({ host, key: keys.head(at, host) })));
    if (added.length > 0) await store.write('frontier', added);
    // The versions of old heads are read before the notes are written. If another writer reads the new note and then writes an old head
    // again, the head has a new version, so it is not removed below.
    const oldKeys = old.map(({ key }) => key);
    const found = isShared && old.length > 0 ? await store.get('frontier', oldKeys, COLUMNS) : [];
    const lost = await writeUnchanged(store, 'frontier', noted);
    const isLost = (host: HostKey): boolean => lost.has(keys.note(host));
    const removed = old.map(({ host, key }, i) => ({ host, change: { key, clear: true }, version: found[i]?.version }));
    await writeUnchanged(
      store,
      'frontier',
      removed.filter(({ host, version }) => !isLost(host) && (!isShared || version !== undefined)),
    );
    for (const { host, score } of moves) {
      heads.set(host, { score });
    }
    const again = moves.filter(({ host }) => isLost(host));
    if (again.length === 0) return;
    // A write that was reported as failed may still have changed the note. Another writer may have changed the note after that.
    const left = again.map(({ host, score, goes }) => [host, score === undefined ? goes : [score, ...goes]] as const);
    const latest = await notes.read(again.map(({ host }) => host));
    await move(latest, [...new Map(left).keys()], to, always, new Map(left));
  }

  /** Returns the best score in the queue of a host. It assumes that this score is not above `head`. */
  async function bestDue(host: HostKey, head: number): Promise<number | undefined> {
    const [row] = await readRange(store, 'frontier', COLUMNS, keys.dueRows(host, head), 1);
    return scoreIn(row?.cells);
  }

  return {
    read,
    raise,
    lower,

    /** For each row, whether its host has a head at or above the row's score. */
    async lead(rows: readonly HostScore[]): Promise<boolean[]> {
      const { heads } = await notes.confirmed(rows.map(hostOf));
      return rows.map(({ host, score }) => (heads.get(host)?.score ?? -Infinity) >= score);
    },

    /** Removes the notes of these hosts that name a missing head, so that a new head can be created. */
    async removeLooseNotes(rows: readonly HostScore[]): Promise<void> {
      const { lost } = await notes.confirmed(rows.map(hostOf));
      const removed = [...lost].map(([host, { version }]) => ({ change: notes.change(host, undefined), version }));
      await writeUnchanged(store, 'frontier', removed);
    },

    async removeStale(): Promise<number> {
      let stale = 0;
      for await (const rows of scanSteps(store, 'frontier', COLUMNS, slots.all.map(keys.heads), STEP)) {
        for (const { key, cells, version } of rows) {
          const parsed = keys.parse(key);
          if (parsed.kind !== 'head') continue;
          const { host } = parsed;
          const heads = await notes.read([host]);
          const at = heads.get(host)?.score;
          if (at === undefined || keys.head(at, host) !== key) {
            // The note gets a new version. Therefore a writer that is about to name this head in the note must write the head again.
            const note = { change: notes.change(host, at), version: heads.get(host)?.version };
            if (isShared && (await writeUnchanged(store, 'frontier', [note])).size > 0) continue;
            await writeUnchanged(store, 'frontier', [{ change: { key, clear: true }, version }]);
            stale += 1;
          } else if ((await bestDue(host, at)) !== scoreIn(cells)) {
            await settle(heads, [host]);
            stale += 1;
          }
        }
      }
      return stale;
    },
  };
}
