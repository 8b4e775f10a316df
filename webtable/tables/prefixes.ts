/**
 * Statistics of the rows by prefix. They come from passes over the table. Each scope has one row, which a pass replaces atomically. So a
 * reader gets the statistics of one pass, and a killed pass leaves the earlier statistics unchanged.
 */
import { isRecord, json, readableValue } from '../pages/codec.js';
import { removals, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS, type Status } from '../schema.js';
import type { Store, StoredRow } from '../store.js';
import { unpackPrefixes } from './packed-prefixes.js';

/** Sums over rows. */
export interface PrefixFigures {
  readonly rows: number;
  /** Number of rows by status; a status without rows is left out. The numbers add up to `rows`, minus the rows whose status cannot be read. */
  readonly statuses: Readonly<Partial<Record<Status, number>>>;
  /** Number of rows that are marked as relevant. */
  readonly relevant: number;
  /** Number of rows with the same text as another page that `dedup` keeps. */
  readonly duplicates: number;
  /** Number of rows that are gone, or whose last fetch failed. */
  readonly errors: number;
  /** Bytes of the last received bodies, content codings undone. */
  readonly bytes: number;
  /** The sum of the times of the last requests, in milliseconds, without the waits in their queues. */
  readonly fetchMs: number;
}

export interface StoredPrefix {
  /** The prefix as a unique key. In the order of the keys, a prefix comes before the prefixes below it. */
  readonly key: string;
  readonly figures: PrefixFigures;
}

/** The data on a pass over the table. */
export interface PrefixPass {
  /** When the pass began, in ms since the epoch. */
  readonly madeAt: number;
  /** The version of the rules when the pass began; empty if there were no rules. */
  readonly rulesVersion: string;
  /** Minimum number of rows of a prefix; smaller prefixes are left out. */
  readonly min: number;
  /** Maximum number of path segments of a prefix. */
  readonly depth: number;
  /** The figures of all rows that were read. */
  readonly total: PrefixFigures;
  /** Number of different origins (scheme, host and port) of all rows that were read. */
  readonly origins: number;
  /** How often a query parameter of a row was not counted, because the pass had found too many different parameters. */
  readonly parametersOverLimit: number;
}

export interface StoredStatistics {
  readonly pass: PrefixPass;
  /** Yields the prefixes in key order. Only a part of the prefixes is in memory at a time. */
  prefixes(): AsyncGenerator<StoredPrefix>;
}

export type Prefixes = ReturnType<typeof createPrefixes>;

const PASS = INDEX_COLUMNS.prefixPass;
const FIGURES = INDEX_COLUMNS.prefixFigures;
const ALL = { start: 's|', end: 's}' };
const keyOf = (scope: string): string => `s|${scope}`;
const passCodec = json<PrefixPass>((value) => isRecord(value) && typeof value.madeAt === 'number');

/** The statistics can be rebuilt from the rows. */
const passIn = (row: StoredRow | undefined): PrefixPass | undefined => readableValue(row, PASS, passCodec);

/** @param scope a parameter of every method: a domain, or `*` for the whole table; each scope has its own statistics */
export function createPrefixes(store: Store) {
  return {
    /** The last pass; undefined if there was no pass. */
    async latest(scope: string): Promise<PrefixPass | undefined> {
      const [row] = await store.get('rule', [keyOf(scope)], [PASS]);
      return passIn(row);
    },

    /**
     * Returns the statistics of the last pass; undefined if there was no pass. The statistics stay packed, so they use only some MB of
     * memory.
     */
    async read(scope: string): Promise<StoredStatistics | undefined> {
      const [row] = await store.get('rule', [keyOf(scope)], [PASS, FIGURES]);
      const pass = passIn(row);
      const packed = row?.cells.get(FIGURES);
      return pass && packed && { pass, prefixes: () => unpackPrefixes(packed) };
    },

    /**
     * Replaces the statistics of a scope by the statistics of a pass. Statistics of the whole table also replace the earlier statistics of
     * domains.
     * @param packed statistics from `createPrefixPacker`
     */
    async put(scope: string, pass: PrefixPass, packed: Uint8Array): Promise<void> {
      const put = new Map([
        [PASS, passCodec.encode(pass)],
        [FIGURES, packed],
      ]);
      await store.write('rule', [{ key: keyOf(scope), put }]);
      if (scope !== '*') return;
      for await (const rows of scanSteps(store, 'rule', [PASS], [ALL], 1000)) {
        const old = rows.filter((row) => (passIn(row)?.madeAt ?? -Infinity) < pass.madeAt);
        await store.write('rule', removals(old.map(({ key }) => key)));
      }
    },
  };
}
