/**
 * The heads of the frontier. Each host with rows in its queue has one head, whose score is that of the best row. A note of the host names
 * this head. After a crash a head may be too high, but never too low.
 *
 * Order of writes: the new head, the note, then the removal of the old head. So a note always names an existing head. A head that the note
 * of its host does not name is ignored.
 */
import { readRange, scanRows } from '../scan-steps.js';
import type { HostKey } from '../keys/host-key.js';
import type { Slots } from '../keys/partition.js';
import type { Leases } from '../leases/leases.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, Store } from '../store.js';
import { putScore, scoreIn } from './frontier-entries.js';
import type { FrontierKeys } from './frontier-keys.js';
import { createHeadNotes, type Heads } from './head-notes.js';

/** A host that has a row of this score in its queue. */
export interface HostScore {
  readonly host: HostKey;
  readonly score: number;
}

export type FrontierHeads = ReturnType<typeof createFrontierHeads>;

const COLUMNS = [INDEX_COLUMNS.frontierScore];
/** Number of hosts whose queues are read together. */
const HOSTS_AT_ONCE = 32;
/** Number of heads that are checked together. */
const STEP = 256;

const hostOf = ({ host }: HostScore): HostKey => host;

export function createFrontierHeads(
  store: Store,
  keys: FrontierKeys,
  slots: Slots,
  leases: Pick<Leases, 'firstStamp' | 'confirm'>,
) {
  const notes = createHeadNotes(store, keys);

  /**
   * Raises the head of each host to the best of these rows. A higher head stays. Call it when the rows are in the queue.
   * @throws CrawlError LEASE_LOST if another owner may not see the heads
   */
  async function raise(heads: Heads, rows: readonly HostScore[]): Promise<void> {
    if (rows.length === 0) return;
    const best = new Map<HostKey, number>();
    for (const { host, score } of rows) best.set(host, Math.max(score, best.get(host) ?? -Infinity));
    await move(heads, [...best.keys()], async (host, at = -Infinity) => Math.max(at, best.get(host)!));
    await leases.confirm(new Set(Array.from(best.keys(), slots.of)));
  }

  /** Whether a note with this timestamp was written by a former owner. */
  const isOfFormerOwner = (host: HostKey, at: number | undefined): boolean =>
    at !== undefined && at < leases.firstStamp(slots.of(host));

  /** Lowers the heads of hosts that have lost their best row, to the best remaining row. Call it when the rows are out of the queue. */
  async function lower(heads: Heads, rows: readonly HostScore[]): Promise<void> {
    const hosts = new Set<HostKey>();
    for (const { host, score } of rows) if (score >= (heads.get(host)?.score ?? Infinity)) hosts.add(host);
    await settle(heads, [...hosts]);
  }

  async function settle(heads: Heads, hosts: readonly HostKey[]): Promise<void> {
    for (let i = 0; i < hosts.length; i += HOSTS_AT_ONCE) {
      await move(heads, hosts.slice(i, i + HOSTS_AT_ONCE), async (host, at) =>
        at === undefined ? undefined : bestDue(host, at),
      );
    }
  }

  /**
   * Moves the heads of hosts to the scores that `to` returns. A head and a note of a former owner are written again, so that no late change
   * of that owner replaces them.
   */
  async function move(
    heads: Heads,
    hosts: readonly HostKey[],
    to: (host: HostKey, at: number | undefined) => Promise<number | undefined>,
  ): Promise<void> {
    const scores = await Promise.all(hosts.map((host) => to(host, heads.get(host)?.score)));
    const added: RowChange[] = [];
    const noted: RowChange[] = [];
    const removed: RowChange[] = [];
    for (const [i, host] of hosts.entries()) {
      const score = scores[i];
      const { score: from, at } = heads.get(host) ?? {};
      const isMoved = score !== from;
      if (!isMoved && !isOfFormerOwner(host, at)) continue;
      if (score !== undefined) added.push(putScore(keys.head(score, host), score));
      noted.push(notes.change(host, score));
      if (isMoved && from !== undefined) removed.push({ key: keys.head(from, host), clear: true });
      heads.set(host, { score });
    }
    for (const changes of [added, noted, removed]) await store.write('frontier', changes);
  }

  /** Returns the best score in the queue of a host. It assumes that this score is not above `head`. */
  async function bestDue(host: HostKey, head: number): Promise<number | undefined> {
    const [row] = await readRange(store, 'frontier', COLUMNS, keys.dueRows(host, head), 1);
    return scoreIn(row?.cells);
  }

  return {
    read: (rows: readonly HostScore[]): Promise<Heads> => notes.read(rows.map(hostOf)),
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
      await store.write(
        'frontier',
        Array.from(lost.keys(), (host) => notes.change(host, undefined)),
      );
    },

    async removeStale(): Promise<number> {
      let stale = 0;
      for await (const { key, cells, at } of scanRows(store, 'frontier', COLUMNS, slots.all.map(keys.heads), STEP)) {
        const parsed = keys.parse(key);
        if (parsed.kind !== 'head') continue;
        const { host } = parsed;
        const heads = await notes.read([host]);
        const score = heads.get(host)?.score;
        if (score === undefined || keys.head(score, host) !== key) {
          await store.write('frontier', [{ key, clear: true, at }]);
          stale += 1;
        } else if ((await bestDue(host, score)) !== scoreIn(cells)) {
          await settle(heads, [host]);
          stale += 1;
        }
      }
      return stale;
    },
  };
}
