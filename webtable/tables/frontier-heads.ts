/**
 * The heads of the frontier. Each host with rows in its queue has one head, at the score of the best of them, and a note
 * that says where that is. After a crash a head may be too high, never too low (law 4).
 *
 * Order of writes: the new head, the note, then the removal of the old head. So a note names a head that is there, and a
 * head that its host's note does not name is of no use. On a store that others change too, notes are written by their version; who
 * loses one to somebody else removes the head that it has put for it, unless that is the right one after all. There notes are
 * never removed: who has put a head where no note was could not see that another one was made and removed meanwhile, with that head.
 */
import { number } from '../pages/codec.js';
import { readRange, scanSteps } from '../scan-steps.js';
import type { HostKey } from '../keys/host-key.js';
import type { Slots } from '../keys/partition.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, Store } from '../store.js';
import { writeUnchanged, type VersionedChange } from '../write-unchanged.js';
import type { FrontierKeys } from './frontier-keys.js';

/** That a host has a row of this score in its queue. */
export interface HostScore {
  readonly host: HostKey;
  readonly score: number;
}

/** The heads of some hosts, as their notes say, with the versions of the notes. A host that has no note is not in it, and has no head. */
export type Heads = Map<HostKey, { readonly score?: number | undefined; readonly version?: string | undefined }>;

const COLUMNS = [INDEX_COLUMNS.frontierScore];
/** The score in a note that says that its host has no head. */
const NO_HEAD = -Infinity;
/** Hosts whose queues are looked at together. */
const HOSTS_AT_ONCE = 32;
/** Heads of a slot that are read together at the most. */
const LONGEST_STEP = 256;
const growing = (before: number): number => Math.min(Math.max(4, 4 * before), LONGEST_STEP);

const hostOf = ({ host }: HostScore): HostKey => host;

export function createFrontierHeads(store: Store, keys: FrontierKeys, slots: Slots) {
  const isShared = store.writeUnchanged !== undefined;

  /** The heads of the hosts of these rows. */
  async function read(rows: readonly HostScore[]): Promise<Heads> {
    const hosts = [...new Set(rows.map(hostOf))];
    const found = hosts.length > 0 ? await store.get('frontier', hosts.map(keys.note), COLUMNS) : [];
    const heads: Heads = new Map();
    for (const [i, host] of hosts.entries()) {
      const score = scoreIn(found[i]?.cells);
      if (score !== undefined)
        heads.set(host, { score: score === NO_HEAD ? undefined : score, version: found[i]?.version });
    }
    return heads;
  }

  /** Sees to it that no row of these is above the head of its host. Call it when they are in the queue. */
  async function raise(heads: Heads, rows: readonly HostScore[]): Promise<void> {
    const best = new Map<HostKey, number>();
    for (const { host, score } of rows) best.set(host, Math.max(score, best.get(host) ?? -Infinity));
    // A note that stays is written too: whoever lowers it by what was in the queue before must look again.
    await move(heads, [...best.keys()], async (host, at = -Infinity) => Math.max(at, best.get(host)!), isShared);
  }

  /** Puts the heads of hosts that have lost their best row at the best that is left. Call it when the rows are out. */
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
   * Moves the heads of hosts to where `to` says, by their notes. One whose note somebody else has changed is decided on again.
   * @param always writes notes too that stay
   * @param unnamed scores of heads that no note may name: they go, unless the note names them in the end
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
    const notes: VersionedChange[] = [];
    for (const { host, from, score } of moves) {
      if (score !== undefined && score !== from?.score) added.push(put(keys.head(score, host), score));
      notes.push({ change: noteOf(host, score), version: from?.version });
    }
    const old = moves.flatMap(({ host, goes }) => goes.map((at) => ({ host, key: keys.head(at, host) })));
    if (added.length > 0) await store.write('frontier', added);
    // Before the notes: a head that is put again by who has read the new one has another version.
    const oldKeys = old.map(({ key }) => key);
    const found = isShared && old.length > 0 ? await store.get('frontier', oldKeys, COLUMNS) : [];
    const lost = await writeUnchanged(store, 'frontier', notes);
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
    // The note may have been written all the same, and somebody else have moved it on from there.
    const left = again.map(({ host, score, goes }) => [host, score === undefined ? goes : [score, ...goes]] as const);
    const latest = await read(again.map(({ host }) => ({ host, score: 0 })));
    await move(latest, [...new Map(left).keys()], to, always, new Map(left));
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

  /** The note of a host. */
  function noteOf(host: HostKey, score: number | undefined): RowChange {
    const key = keys.note(host);
    return score === undefined && !isShared ? { key, clear: true } : put(key, score ?? NO_HEAD);
  }

  /** The heads that are there of those that the notes of these hosts name, and the hosts whose head is missing. */
  async function confirmed(rows: readonly HostScore[]): Promise<{ heads: Heads; lost: Heads }> {
    const heads: Heads = new Map();
    const lost: Heads = new Map();
    const noted = [...(await read(rows))].filter(([, { score }]) => score !== undefined);
    const headKeys = noted.map(([host, { score }]) => keys.head(score!, host));
    const found = await store.get('frontier', headKeys, COLUMNS);
    for (const [i, [host, head]] of noted.entries()) (found[i] ? heads : lost).set(host, head);
    return { heads, lost };
  }

  return {
    read,
    raise,
    lower,

    /** All heads of these slots, best first, and of one score in the order of their rows. After a crash one host may have several. */
    async *bestFirst(of: Iterable<string> = slots.all): AsyncGenerator<HostScore> {
      const nexts: { head: HostScore; slot: AsyncGenerator<HostScore> }[] = [];
      for (const slot of Array.from(of, headsOf)) {
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
      return rows.map(({ host, score }) => (heads.get(host)?.score ?? -Infinity) >= score);
    },

    /** Removes the notes of these hosts that name a head which is not there, so that a new one can be made. */
    async removeLooseNotes(rows: readonly HostScore[]): Promise<void> {
      const { lost } = await confirmed(rows);
      const notes = [...lost].map(([host, { version }]) => ({ change: noteOf(host, undefined), version }));
      await writeUnchanged(store, 'frontier', notes);
    },

    /**
     * Removes heads that no note names, and lowers those that are too high. Nothing else may write meanwhile.
     * @param of the slots that are looked at; absent: all
     * @returns how many were
     */
    async removeStale(of: Iterable<string> = slots.all): Promise<number> {
      let stale = 0;
      for await (const rows of scanSteps(store, 'frontier', COLUMNS, Array.from(of, keys.heads), LONGEST_STEP)) {
        for (const { key, cells, version } of rows) {
          const parsed = keys.parse(key);
          if (parsed.kind !== 'head') continue;
          const { host } = parsed;
          const heads = await read([{ host, score: 0 }]);
          const at = heads.get(host)?.score;
          if (at === undefined || keys.head(at, host) !== key) {
            // Whoever is about to name this head in the note must put it again.
            const note = { change: noteOf(host, at), version: heads.get(host)?.version };
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
