/**
 * The data on hosts: a robots.txt for each origin, and a back-off record for each host key. For the host of an injected page, it also
 * records whether the name first led to a public or a private address. A record that cannot be read counts as missing.
 */
import type { HostKey } from '../keys/host-key.js';
import { isRecord, json, readableValue, text, type Codec } from '../pages/codec.js';
import { scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Column, Store } from '../store.js';
import { changeShared, withoutLock } from '../change-shared.js';

/** A robots.txt answer, as plain data for JSON. */
export interface StoredRobots {
  /** When the robots.txt was fetched, in ms since the epoch. */
  readonly fetchedAt: number;
  /** The HTTP status; 0 if the host could not be reached. */
  readonly status: number;
  /** The content of the file; absent if there is no file. */
  readonly body?: string;
  /** Whether sitemaps that the file names were not added yet. */
  readonly sitemapsPending?: true;
}

/**
 * Why a host gets no requests, and until when. The record stays until the host answers again, so that failures are counted over several
 * runs. Plain data for JSON; times are in ms since the epoch.
 */
export interface BackoffRecord {
  /** Failures in a row. */
  readonly failures: number;
  /** The time of the last failure. */
  readonly since: number;
  /** No request is sent to the host before this time. */
  readonly until: number;
  /** The code of the last failure: `throttled`, `connect_failed`, … */
  readonly code: string;
  /**
   * The HTTP status of the last failure. Absent if the host could not be reached. 0 if one of its robots.txt redirects to another host that
   * failed.
   */
  readonly http?: number;
  /** A message about the last failure: one line, untrusted. */
  readonly message?: string;
}

/**
 * Whether the name of an injected host first led to a public or a private address. This decides for good whether the host may have a
 * private address. Otherwise the owner of the name could later lead the crawl into the private network.
 */
export type SeedReach = 'public' | 'private' | 'undecided';

/** The data on hosts, by column. Each column has `get`, `put`, `remove` and `change`. */
export type Hosts = ReturnType<typeof createHosts>;

const robotsCodec = json<StoredRobots>(
  (value) => isRecord(value) && typeof value.fetchedAt === 'number' && typeof value.status === 'number',
);
const backoffCodec = json<BackoffRecord>(
  (value) =>
    isRecord(value) &&
    typeof value.failures === 'number' &&
    typeof value.since === 'number' &&
    typeof value.until === 'number' &&
    value.until >= value.since &&
    typeof value.code === 'string',
);
const seedCodec: Codec<SeedReach> = {
  encode: (reach) => text.encode(reach),
  decode(bytes) {
    const reach = text.decode(bytes);
    return reach === 'public' || reach === 'private' ? reach : 'undecided';
  },
};

export function createHosts(store: Store) {
  function column<K extends string, V>(name: Column, codec: Codec<V>) {
    return {
      async get(keys: readonly K[]): Promise<(V | undefined)[]> {
        const rows = await store.get('host', keys, [name]);
        return rows.map((row) => readableValue(row, name, codec));
      },
      async put(values: ReadonlyMap<K, V>): Promise<void> {
        const changes = Array.from(values, ([key, value]) => ({ key, put: new Map([[name, codec.encode(value)]]) }));
        await store.write('host', changes);
      },
      remove: (key: K): Promise<void> => store.write('host', [{ key, delete: [name] }]),

      /**
       * Changes values. On a store with compare-and-set, if another worker has changed a value meanwhile, `decide` is called again. On other
       * stores, the caller must hold the lock `rows` if other jobs may change these values.
       * @param decide gets the present value, and returns the new one; null removes the value, undefined leaves it unchanged
       * @returns the values after the change
       */
      async change(
        keys: readonly K[],
        decide: (key: K, value: V | undefined) => V | null | undefined | Promise<V | null | undefined>,
      ): Promise<Map<K, V | undefined>> {
        const after = new Map<K, V | undefined>();
        await changeShared(store, withoutLock, { table: 'host', keys, column: name }, async (key, row) => {
          const before = readableValue(row, name, codec);
          const value = await decide(key as K, before);
          after.set(key as K, value === undefined ? before : (value ?? undefined));
          if (value === undefined) return undefined;
          return value === null ? row && { delete: [name] } : { put: new Map([[name, codec.encode(value)]]) };
        });
        return after;
      },
    };
  }

  return {
    /** The robots.txt answers, by origin. */
    robots: column<string, StoredRobots>(INDEX_COLUMNS.hostRobots, robotsCodec),
    backoff: column<HostKey, BackoffRecord>(INDEX_COLUMNS.hostBackoff, backoffCodec),
    /** The hosts with an injected page. A host is added before the row of its seed is written. */
    seeds: {
      ...column<HostKey, SeedReach>(INDEX_COLUMNS.hostSeed, seedCodec),
      /** The hosts of seeds, in steps. */
      async *all(): AsyncGenerator<HostKey[]> {
        for await (const rows of scanSteps(store, 'host', [INDEX_COLUMNS.hostSeed], [{ start: '' }], 1000)) {
          yield rows.map(({ key }) => key as HostKey);
        }
      },
    },
  };
}
