/**
 * The heads of the frontier. Each host with rows in its queue has one head, at the score of the best of them, and a note
 * that says where that is. After a crash a head may be too high, never too low (law 4).
 *
 * Order of writes: the new head, the note, then the removal of the old head. So a note names a head that is there, and a
 * head that its host's note does not name is of no use.
 */
import { number } from '../pages/codec.js';
import { readRange, scanSteps } from '../pages/scan-steps.js';
import type { HostKey } from '../keys/host-key.js';
import type { Slots } from '../keys/partition.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, Store } from '../store.js';
import type { FrontierKeys } from './frontier-keys.js';

/** That a host has a row of this score in its queue. */
export interface HostScore {
  readonly host: HostKey;
  readonly score: number;
}

/** The scores of the heads of some hosts; a host that has none is not in it. */
export type Heads = Map<HostKey, number>;

const COLUMNS = [INDEX_COLUMNS.frontierScore];
/** Hosts whose queues are looked at together. */
const HOSTS_AT_ONCE = 32;
/** Heads of a slot that are read together at the most. */
const LONGEST_STEP = 256;
const growing = (before: number): number => Math.min(Math.max(4, 4 * before), LONGEST_STEP);

export type FrontierHeads = ReturnType<typeof createFrontierHeads>;

export function createFrontierHeads(store: Store, keys: FrontierKeys, slots: Slots) {
  /** The heads of the hosts of these rows. */
  async function read(rows: readonly HostScore[]): Promise<Heads> {
    const hosts = [...new Set(rows.map(({ host }) => host))];
    const found = hosts.length > 0 ? await store.get('frontier', hosts.map(keys.note), COLUMNS) : [];
    const heads: Heads = new Map();
    for (const [i, host] of hosts.entries()) {
      const score = scoreIn(found[i]?.cells);
      if (score !== undefined) heads.set(host, score);
    }
    return heads;
  }

  /** Sees to it that no row of these is above the head of its host. Call it before they enter the queue. */
  async function raise(heads: Heads, rows: readonly HostScore[]): Promise<void> {
    const best: Heads = new Map();
    for (const { host, score } of rows) {
      const to = best.get(host) ?? heads.get(host);
      if (to === undefined || score > to) best.set(host, score);
    }
    await move(heads, best);
  }

  /** Puts the heads of hosts that have lost their best row at the best that is left. Call it when the rows are out. */
  async function lower(heads: Heads, rows: readonly HostScore[]): Promise<void> {
    const hosts = new Set<HostKey>();
    for (const { host, score } of rows) if (score >= (heads.get(host) ?? Infinity)) hosts.add(host);
    await settle(heads, [...hosts]);
  }

  async function settle(heads: Heads, hosts: readonly HostKey[]): Promise<void> {
    for (let i = 0; i < hosts.length; i += HOSTS_AT_ONCE) {
      const some = hosts.slice(i, i + HOSTS_AT_ONCE);
      const scores = await Promise.all(some.map((host) => bestDue(host, heads.get(host)!)));
      await move(heads, new Map(some.map((host, at) => [host, scores[at]])));
    }
  }

  async function move(heads: Heads, to: ReadonlyMap<HostKey, number | undefined>): Promise<void> {
    const added: RowChange[] = [];
    const notes: RowChange[] = [];
    const removed: RowChange[] = [];
    for (const [host, score] of to) {
      const from = heads.get(host);
      if (score === from) continue;
      if (score !== undefined) added.push(put(keys.head(score, host), score));
      notes.push(score === undefined ? { key: keys.note(host), clear: true } : put(keys.note(host), score));
      if (from !== undefined) removed.push({ key: keys.head(from, host), clear: true });
      if (score === undefined) heads.delete(host);
      else heads.set(host, score);
    }
    for (const changes of [added, notes, removed]) if (changes.length > 0) await store.write('frontier', changes);
  }

  /** The score of the best row in the queue of a host, which is not above its head. */
  async function bestDue(host: HostKey, head: number): Promise<number | undefined> {
    const [row] = await readRange(store, 'frontier', COLUMNS, keys.dueRows(host, head), 1);
    return scoreIn(row?.cells);
  }

  async function* headsOf(slot: string): AsyncGenerator<HostScore> {
    for await (const rows of scanSteps(store, 'frontier', COLUMNS, [keys.heads(slot)], growing)) {
      for (const { key, cells } of rows) {
        const parsed = keys.parse(key);
        if (parsed.kind === 'head') yield { host: parsed.host, score: scoreIn(cells) ?? 0 };
      }
    }
  }

  /** The heads that are there of those that the notes of these hosts name, and the hosts whose head is missing. */
  async function confirmed(rows: readonly HostScore[]): Promise<{ heads: Heads; lost: HostKey[] }> {
    const heads = await read(rows);
    const found = await store.get(
      'frontier',
      Array.from(heads, ([host, score]) => keys.head(score, host)),
      COLUMNS,
    );
    const lost = [...heads.keys()].filter((_, i) => found[i] === undefined);
    for (const host of lost) heads.delete(host);
    return { heads, lost };
  }

  return {
    read,
    raise,
    lower,

    /** All heads, best first, and of one score in the order of their rows. After a crash one host may have several. */
    async *bestFirst(): AsyncGenerator<HostScore> {
      const nexts: { head: HostScore; slot: AsyncGenerator<HostScore> }[] = [];
      for (const slot of slots.all.map(headsOf)) {
        const next = await slot.next();
        if (!next.done) nexts.push({ head: next.value, slot });
      }
      while (nexts.length > 0) {
        // There are few: a plain search for the best is quicker than keeping a heap.
        const best = nexts.reduce((a, b) => (isBefore(b.head, a.head) ? b : a));
        yield best.head;
        const next = await best.slot.next();
        if (next.done) nexts.splice(nexts.indexOf(best), 1);
        else best.head = next.value;
      }
    },

    /** Of each row, whether its host has a head that leads to it. */
    async lead(rows: readonly HostScore[]): Promise<boolean[]> {
      const { heads } = await confirmed(rows);
      return rows.map(({ host, score }) => (heads.get(host) ?? -Infinity) >= score);
    },

    /** Removes the notes of these hosts that name a head which is not there, so that a new one can be made. */
    async removeLooseNotes(rows: readonly HostScore[]): Promise<void> {
      const { lost } = await confirmed(rows);
      const changes = lost.map((host) => ({ key: keys.note(host), clear: true }));
      if (changes.length > 0) await store.write('frontier', changes);
    },

    /**
     * Removes heads that no note names, and lowers those that are too high. Nothing else may write meanwhile.
     * @returns how many were
     */
    async removeStale(): Promise<number> {
      let stale = 0;
      for await (const rows of scanSteps(store, 'frontier', COLUMNS, slots.all.map(keys.heads), LONGEST_STEP)) {
        for (const { key, cells } of rows) {
          const parsed = keys.parse(key);
          if (parsed.kind !== 'head') continue;
          const { host } = parsed;
          const heads = await read([{ host, score: 0 }]);
          const at = heads.get(host);
          if (at === undefined || keys.head(at, host) !== key) {
            await store.write('frontier', [{ key, clear: true }]);
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

function isBefore(a: HostScore, b: HostScore): boolean {
  return a.score !== b.score ? a.score > b.score : `${a.host}:` < `${b.host}:`;
}

function put(key: string, score: number): RowChange {
  return { key, clear: true, put: new Map([[INDEX_COLUMNS.frontierScore, number.encode(score)]]) };
}

export function scoreIn(cells: ReadonlyMap<string, Uint8Array> | undefined): number | undefined {
  const cell = cells?.get(INDEX_COLUMNS.frontierScore);
  return cell?.length === 8 ? number.decode(cell) : undefined;
}
