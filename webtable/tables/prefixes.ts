/**
 * Statistics of the rows by prefix, as passes over the table have left them. A pass writes under a generation of its own, which nobody
 * reads before the header names it: one row change is the swap. What is there of other generations is removed then.
 */
import { json } from '../pages/codec.js';
import { after, readRange, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS, type Status } from '../schema.js';
import type { KeyRange, RowChange, Store, StoredRow } from '../store.js';
import type { Exclusive } from '../stores/locks.js';
import { untilUnchanged, writeUnchanged } from '../write-unchanged.js';

/** Sums over rows. */
export interface PrefixFigures {
  readonly rows: number;
  /** Rows by status; without those of which there is none. Their sum is `rows`, but for rows whose status cannot be read. */
  readonly statuses: Readonly<Partial<Record<Status, number>>>;
  /** Rows that are worth having, as the row says. */
  readonly fit: number;
  /** Rows with the text of another page, which is kept (`dedup`). */
  readonly duplicates: number;
  /** Rows that are gone, or whose last fetch failed. */
  readonly errors: number;
  /** Bytes of the last bodies that were received, content codings undone. */
  readonly bytes: number;
  /** How long the last requests took together, in milliseconds, without the waits for their turns. */
  readonly fetchMs: number;
}

/** A prefix with its figures. */
export interface StoredPrefix {
  /** Unlike that of any other; in order of the keys a prefix comes before those below it. */
  readonly key: string;
  readonly figures: PrefixFigures;
}

/** What is known of a pass. */
export interface PrefixPass {
  /** Grows with every pass over the same rows: when it began, in ms since the epoch, or later. */
  readonly generation: number;
  /** When it began, in ms since the epoch. */
  readonly madeAt: number;
  /** That of the rules, as it began; empty where there were none. */
  readonly rulesVersion: string;
  /** A prefix with fewer rows has no node. */
  readonly min: number;
  /** Names in a path, at most, that make a node. */
  readonly depth: number;
  /** All rows that were read. */
  readonly total: PrefixFigures;
  /** Hosts, by scheme and port, that these rows are of. */
  readonly origins: number;
  /** So often a row was not counted for one of its query parameters, as there were too many of them. */
  readonly parametersOverLimit: number;
}

interface Header {
  /** The last generation that was begun. */
  readonly last: number;
  /** The pass that is read, where one has come to its end. */
  readonly pass?: PrefixPass;
}

/** The statistics by prefix of a table. */
export type Prefixes = ReturnType<typeof createPrefixes>;

const STEP = 1000;
/** Nobody is still at work on a pass that began so long ago. */
const LONGEST_PASS_MS = 86_400_000;
const HEADER = INDEX_COLUMNS.prefixPass;
const FIGURES = INDEX_COLUMNS.prefixFigures;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const headerCodec = json<Header>((value) => isObject(value) && typeof value.last === 'number');
const figuresCodec = json<Partial<PrefixFigures>>((value) => isObject(value) && typeof value.rows === 'number');

const headerKey = (scope: string): string => `s|h|${scope}`;
/** All generations of a scope. */
const nodesOf = (scope: string): string => `s|n|${scope}|`;
const generationOf = (scope: string, generation: number): string =>
  `${nodesOf(scope)}${String(generation).padStart(15, '0')}|`;
/** All keys that begin so; `}` comes after `|`, which ends each part. */
const beginningWith = (start: string): Required<KeyRange> => ({ start, end: `${start.slice(0, -1)}}` });

/** @param scope of every method: a domain, or `*` for the whole table; each has its own statistics */
export function createPrefixes(store: Store, exclusive: Exclusive) {
  async function headerRow(scope: string): Promise<{ row: StoredRow | undefined; header: Header }> {
    const [row] = await store.get('rule', [headerKey(scope)], [HEADER]);
    return { row, header: toHeader(row) };
  }

  /** Changes a header while nobody else does: it is put, goes where `put` is null, or stays as it is. */
  function change<T>(scope: string, decide: (header: Header) => { readonly put?: Header | null; readonly result: T }) {
    return untilUnchanged(store, exclusive, async () => {
      const { row, header } = await headerRow(scope);
      const { put, result } = decide(header);
      if (put === undefined) return { done: result };
      const key = headerKey(scope);
      const change: RowChange = put ? { key, put: new Map([[HEADER, headerCodec.encode(put)]]) } : { key, clear: true };
      const lost = await writeUnchanged(store, 'rule', [{ change, version: row?.version }]);
      return lost.size > 0 ? 'lost' : { done: result };
    });
  }

  async function remove(range: KeyRange): Promise<void> {
    for await (const rows of scanSteps(store, 'rule', [FIGURES], [range], STEP)) {
      await store.write(
        'rule',
        rows.map(({ key }) => ({ key, clear: true })),
      );
    }
  }

  async function latest(scope: string): Promise<PrefixPass | undefined> {
    return (await headerRow(scope)).header.pass;
  }

  return {
    /** The last pass that came to its end; undefined where there was none. */
    latest,

    /**
     * Begins a pass, whose generation it gives. Nothing of it is seen before it has ended.
     * @param at now, in ms since the epoch
     */
    async begin(scope: string, at: number): Promise<number> {
      const generation = await change(scope, (header) => {
        const result = Math.max(header.last + 1, at);
        return { put: { ...header, last: result }, result };
      });
      // Where a header was lost a generation may come again, and what it had left may still be there.
      await remove(beginningWith(generationOf(scope, generation)));
      return generation;
    },

    /** Adds prefixes to a pass. */
    async put(scope: string, generation: number, prefixes: readonly StoredPrefix[]): Promise<void> {
      const start = generationOf(scope, generation);
      await store.write(
        'rule',
        prefixes.map(({ key, figures }) => ({
          key: start + key,
          put: new Map([[FIGURES, figuresCodec.encode(withoutZeros(figures))]]),
        })),
      );
    },

    /**
     * Ends a pass: it is what is read from now on, and what earlier ones have left is removed, also of those that were killed. One of the
     * whole table takes the place of those of domains that began before it. What was left in the first pass of others is removed too, of
     * the whole table or of a domain, where that began more than a day before.
     * @returns false: one that began later has ended before, and stays, or one of the whole table has taken its place; then this one is
     *   removed
     */
    async end(scope: string, pass: PrefixPass): Promise<boolean> {
      const { generation } = pass;
      const isLatest = await change<boolean>(scope, (header) => {
        if (header.last < generation || (header.pass && header.pass.generation > generation)) return { result: false };
        return { put: { ...header, pass }, result: true };
      });
      if (!isLatest) {
        await remove(beginningWith(generationOf(scope, generation)));
        return false;
      }
      await remove({ start: nodesOf(scope), end: generationOf(scope, generation) });
      await removeOthers(scope, pass.madeAt);
      return true;
    },

    /** Removes a pass that will not be ended. */
    discard: (scope: string, generation: number): Promise<void> =>
      remove(beginningWith(generationOf(scope, generation))),

    /**
     * The prefixes of the last pass, in key order. Where another pass ends meanwhile, the rest is of that one.
     * @param ranges of keys, as `latest` pass has them. Absent: all
     */
    async *read(scope: string, ranges: readonly KeyRange[] = [{ start: '' }]): AsyncGenerator<StoredPrefix> {
      let generation = (await headerRow(scope)).header.pass?.generation;
      for (const { start: first, end } of ranges) {
        for (let start: string | undefined = first; start !== undefined && generation !== undefined;) {
          const begin = generationOf(scope, generation);
          const range = {
            start: begin + start,
            end: end === undefined ? beginningWith(begin).end : begin + end,
          };
          const rows = await readRange(store, 'rule', [FIGURES], range, STEP);
          const now: number | undefined = (await headerRow(scope)).header.pass?.generation;
          // Some of these may have been removed before they were read.
          if (now !== generation) {
            generation = now;
            continue;
          }
          for (const { key, cells } of rows) yield { key: key.slice(begin.length), figures: toFigures(cells) };
          start = rows.length < STEP ? undefined : after(rows.at(-1)!.key.slice(begin.length));
        }
      }
    },
  };

  /** What a pass takes the place of, or what was left. Nodes go first: without their header nobody would find them. */
  async function removeOthers(own: string, madeAt: number): Promise<void> {
    const isOver = ({ last, pass }: Header): boolean =>
      own === '*' ? last < madeAt : !pass && last < madeAt - LONGEST_PASS_MS;
    for await (const rows of scanSteps(store, 'rule', [HEADER], [beginningWith('s|h|')], STEP)) {
      for (const row of rows) {
        const scope = row.key.slice(headerKey('').length);
        const header = toHeader(row);
        if (scope === own || !isOver(header)) continue;
        await remove({ start: nodesOf(scope), end: generationOf(scope, header.last + 1) });
        // Another pass may have begun meanwhile.
        await change(scope, (now) => ({ ...(now.last === header.last && { put: null }), result: undefined }));
      }
    }
  }
}

function toHeader(row: StoredRow | undefined): Header {
  const cell = row?.cells.get(HEADER);
  try {
    if (cell) return headerCodec.decode(cell);
  } catch {
    // They can be made anew from the rows.
  }
  return { last: 0 };
}

function toFigures(cells: StoredRow['cells']): PrefixFigures {
  const cell = cells.get(FIGURES);
  let found: Partial<PrefixFigures> = {};
  try {
    if (cell) found = figuresCodec.decode(cell);
  } catch {
    // They can be made anew from the rows.
  }
  const { rows = 0, statuses = {}, fit = 0, duplicates = 0, errors = 0, bytes = 0, fetchMs = 0 } = found;
  return { rows, statuses, fit, duplicates, errors, bytes, fetchMs };
}

function withoutZeros(figures: PrefixFigures): Partial<PrefixFigures> {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== 0));
}
