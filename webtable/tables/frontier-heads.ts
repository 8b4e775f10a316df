/**
 * The heads of the frontier. Each host with rows in its queue has one head, which stands at the score of the best of
 * them, and a note that says where that is. After a crash a head may stand too high, never too low (law 4).
 *
 * Order of writes: the new head, the note, then the removal of the old head. So a note names a head that is there, and a
 * head that its host's note does not name is of no use.
 */
import { number } from '../pages/codec.js';
import { dueRange, headKey, headRange, noteKey, parseKey } from './frontier-keys.js';
import { ALL_SLOTS } from '../keys/partition.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, Store } from '../store.js';

/** That a host, reversed, has a row of this score in its queue. */
export interface DueScore {
  readonly host: string;
  readonly score: number;
}

/** Where the heads of some hosts stand; a host that has none is not in it. */
export type Heads = Map<string, number>;

const COLUMNS = [INDEX_COLUMNS.frontierScore];
/** Hosts whose queues are looked at together. */
const TOGETHER = 32;

/** Where the heads of the hosts of these rows stand. */
export async function readHeads(store: Store, rows: readonly DueScore[]): Promise<Heads> {
  const hosts = [...new Set(rows.map(({ host }) => host))];
  const found = hosts.length > 0 ? await store.get('frontier', hosts.map(noteKey), COLUMNS) : [];
  const heads: Heads = new Map();
  for (const [i, host] of hosts.entries()) {
    const score = scoreIn(found[i]?.cells);
    if (score !== undefined) heads.set(host, score);
  }
  return heads;
}

/** Sees to it that no row of these stands above the head of its host. Call it before they enter the queue. */
export async function raiseHeads(store: Store, heads: Heads, rows: readonly DueScore[]): Promise<void> {
  const best: Heads = new Map();
  for (const { host, score } of rows) {
    const to = best.get(host) ?? heads.get(host);
    if (to === undefined || score > to) best.set(host, score);
  }
  await moveHeads(store, heads, best);
}

/** Puts the heads of hosts that have lost their best row at the best that is left. Call it when the rows are out. */
export async function lowerHeads(store: Store, heads: Heads, rows: readonly DueScore[]): Promise<void> {
  const hosts = new Set<string>();
  for (const { host, score } of rows) if (score >= (heads.get(host) ?? Infinity)) hosts.add(host);
  await settleHeads(store, heads, [...hosts]);
}

async function settleHeads(store: Store, heads: Heads, hosts: readonly string[]): Promise<void> {
  for (let i = 0; i < hosts.length; i += TOGETHER) {
    const some = hosts.slice(i, i + TOGETHER);
    const scores = await Promise.all(some.map((host) => bestDue(store, host, heads.get(host)!)));
    await moveHeads(store, heads, new Map(some.map((host, at) => [host, scores[at]])));
  }
}

async function moveHeads(store: Store, heads: Heads, to: ReadonlyMap<string, number | undefined>): Promise<void> {
  const news: RowChange[] = [];
  const notes: RowChange[] = [];
  const olds: RowChange[] = [];
  for (const [host, score] of to) {
    const from = heads.get(host);
    if (score === from) continue;
    if (score !== undefined) news.push(put(headKey(score, host), score));
    notes.push(score === undefined ? { key: noteKey(host), clear: true } : put(noteKey(host), score));
    if (from !== undefined) olds.push({ key: headKey(from, host), clear: true });
    if (score === undefined) heads.delete(host);
    else heads.set(host, score);
  }
  for (const changes of [news, notes, olds]) if (changes.length > 0) await store.write('frontier', changes);
}

/** The score of the best row in the queue of a host, which is not above its head. */
async function bestDue(store: Store, host: string, head: number): Promise<number | undefined> {
  const ranges = [dueRange(host, head)];
  for await (const { cells } of store.scan('frontier', { ranges, columns: COLUMNS, limit: 1 })) {
    return scoreIn(cells);
  }
  return undefined;
}

/**
 * The heads of all slots, best first, and of one score in the order of their rows. After a crash one host may have
 * several.
 */
export async function* dueHeads(store: Store): AsyncGenerator<DueScore> {
  const slots = ALL_SLOTS.map((slot) => slotHeads(store, slot));
  try {
    const nexts: { head: DueScore; slot: AsyncGenerator<DueScore> }[] = [];
    for (const slot of slots) {
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
  } finally {
    await Promise.all(slots.map((slot) => slot.return(undefined)));
  }
}

function isBefore(a: DueScore, b: DueScore): boolean {
  return a.score !== b.score ? a.score > b.score : `${a.host}:` < `${b.host}:`;
}

async function* slotHeads(store: Store, slot: string): AsyncGenerator<DueScore> {
  for await (const { key, cells } of store.scan('frontier', { ranges: [headRange(slot)], columns: COLUMNS })) {
    const parsed = parseKey(key);
    if (parsed.kind === 'head') yield { host: parsed.host, score: scoreIn(cells) ?? 0 };
  }
}

/** Of each row, whether its host has a head that leads to it. */
export async function hasHeads(store: Store, rows: readonly DueScore[]): Promise<boolean[]> {
  const { heads } = await standingHeads(store, rows);
  return rows.map(({ host, score }) => (heads.get(host) ?? -Infinity) >= score);
}

/** Removes the notes of these hosts that name a head which is not there, so that a new one can be made. */
export async function removeLooseNotes(store: Store, rows: readonly DueScore[]): Promise<void> {
  const { lost } = await standingHeads(store, rows);
  const changes = lost.map((host) => ({ key: noteKey(host), clear: true }));
  if (changes.length > 0) await store.write('frontier', changes);
}

async function standingHeads(store: Store, rows: readonly DueScore[]): Promise<{ heads: Heads; lost: string[] }> {
  const heads = await readHeads(store, rows);
  const keys = [...heads].map(([host, score]) => headKey(score, host));
  const found = await store.get('frontier', keys, COLUMNS);
  const lost = [...heads.keys()].filter((_, i) => found[i] === undefined);
  for (const host of lost) heads.delete(host);
  return { heads, lost };
}

/**
 * Removes heads that no note names, and lowers those that stand too high. Nothing else may write meanwhile.
 * @returns how many were
 */
export async function removeStaleHeads(store: Store): Promise<number> {
  let stale = 0;
  for (const slot of ALL_SLOTS) {
    const ranges = [headRange(slot)];
    for await (const { key, cells } of store.scan('frontier', { ranges, columns: COLUMNS })) {
      const parsed = parseKey(key);
      if (parsed.kind !== 'head') continue;
      const { host } = parsed;
      const heads = await readHeads(store, [{ host, score: 0 }]);
      const at = heads.get(host);
      if (at === undefined || headKey(at, host) !== key) {
        await store.write('frontier', [{ key, clear: true }]);
        stale += 1;
      } else if ((await bestDue(store, host, at)) !== scoreIn(cells)) {
        await settleHeads(store, heads, [host]);
        stale += 1;
      }
    }
  }
  return stale;
}

function put(key: string, score: number): RowChange {
  return { key, clear: true, put: new Map([[INDEX_COLUMNS.frontierScore, number.encode(score)]]) };
}

function scoreIn(cells: ReadonlyMap<string, Uint8Array> | undefined): number | undefined {
  const cell = cells?.get(INDEX_COLUMNS.frontierScore);
  return cell?.length === 8 ? number.decode(cell) : undefined;
}
