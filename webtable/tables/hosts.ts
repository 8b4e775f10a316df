/**
 * What is known of hosts: robots.txt by origin; by host key the back-off record, where its pages led, and that a page of the host was injected,
 * with what its name led to. A record that cannot be read counts as none.
 */
import type { HostKey } from '../keys/host-key.js';
import { json, text, type Codec } from '../pages/codec.js';
import { scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Column, KeyRange, Store } from '../store.js';
import { writeUnchanged, type VersionedChange } from '../write-unchanged.js';

/** A robots.txt as it was answered. Plain data, fit for JSON. */
export interface StoredRobots {
  /** When it was fetched, in ms since the epoch. */
  readonly fetchedAt: number;
  /** The HTTP status, 0 where the host could not be reached. */
  readonly status: number;
  /** The file, absent where there is none. */
  readonly body?: string;
  /** Its sitemaps have not been added yet. */
  readonly sitemapsPending?: true;
}

/**
 * Why and until when a host is left alone. It stays until the host answers again, so that failures in a row are counted over
 * runs. Plain data, fit for JSON; times are ms since the epoch.
 */
export interface BackoffRecord {
  /** Failures in a row. */
  readonly failures: number;
  /** When the last one happened. */
  readonly since: number;
  /** Nothing is asked of the host before this. */
  readonly until: number;
  /** The code of the last failure: `throttled`, `connect`, … */
  readonly code: string;
  /** Its HTTP status; absent where the host could not be reached. */
  readonly http?: number;
  /** One line; untrusted. */
  readonly message?: string;
}

/**
 * What the name of a host that was injected first led to, which decides for good whether it may be at a private address:
 * otherwise who owns a name could lead the crawl into our network later.
 */
export type SeedReach = 'public' | 'private' | 'undecided';

/** Pages that were fetched, and useful pages to which one of them was the first to lead; of old ones a part. */
export type Led = readonly [pages: number, found: number];

/** Where pages of a host have led: what a crawl has learned, which no other table says. Plain data, fit for JSON. */
export interface HostLeads {
  /** Of its useful pages together. */
  readonly useful: Led;
  /** Of all its pages by the form of their URLs. */
  readonly forms: Readonly<Record<string, Led>>;
  /** The place of the last page of a batch that is in it, by `<batch>/<slot>`, as long as more of it may come. */
  readonly upTo: Readonly<Record<string, string>>;
}

/** What is known of hosts, by column: each with `get`, `put`, `remove` and `change`. */
export type Hosts = ReturnType<typeof createHosts>;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const robotsCodec = json<StoredRobots>(
  (value) => isObject(value) && typeof value.fetchedAt === 'number' && typeof value.status === 'number',
);
const backoffCodec = json<BackoffRecord>(
  (value) =>
    isObject(value) &&
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

const isLed = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((n) => typeof n === 'number' && n >= 0);
const leadsCodec = json<HostLeads>(
  (value) =>
    isObject(value) &&
    isLed(value.useful) &&
    isObject(value.forms) &&
    Object.values(value.forms).every(isLed) &&
    isObject(value.upTo) &&
    Object.values(value.upTo).every((place) => typeof place === 'string'),
);

const FAMILY = ['h'];

export function createHosts(store: Store) {
  /** One column of the table. */
  function column<K extends string, V>(name: Column, codec: Codec<V>) {
    const decode = (cell: Uint8Array | undefined): V | undefined => {
      try {
        return cell && codec.decode(cell);
      } catch {
        return undefined;
      }
    };
    return {
      async get(keys: readonly K[]): Promise<(V | undefined)[]> {
        const rows = await store.get('host', keys, [name]);
        return rows.map((row) => decode(row?.cells.get(name)));
      },
      async put(values: ReadonlyMap<K, V>): Promise<void> {
        const changes = Array.from(values, ([key, value]) => ({ key, put: new Map([[name, codec.encode(value)]]) }));
        if (changes.length > 0) await store.write('host', changes);
      },
      remove: (key: K): Promise<void> => store.write('host', [{ key, delete: [name] }]),

      /**
       * Changes values by what they are. What somebody else has changed meanwhile is decided on again where the store knows versions;
       * where it does not, the caller holds the lock `rows` if anybody else may change the same.
       * @param decide by the value as it is; null removes it, undefined leaves it
       * @returns the values that are there then
       */
      async change(
        keys: readonly K[],
        decide: (key: K, value: V | undefined) => V | null | undefined | Promise<V | null | undefined>,
      ): Promise<Map<K, V | undefined>> {
        const after = new Map<K, V | undefined>();
        for (let left = keys; left.length > 0;) {
          // Of the whole row, since its version is wanted where it has another column alone.
          const rows = await store.get('host', left, FAMILY);
          const changes: VersionedChange[] = [];
          for (const [i, key] of left.entries()) {
            const row = rows[i];
            const before = decode(row?.cells.get(name));
            const value = await decide(key, before);
            after.set(key, value === undefined ? before : (value ?? undefined));
            if (value === undefined) continue;
            const change =
              value === null ? { key, delete: [name] } : { key, put: new Map([[name, codec.encode(value)]]) };
            changes.push({ change, version: row?.version });
          }
          const lost = await writeUnchanged(store, 'host', changes);
          left = left.filter((key) => lost.has(key));
        }
        return after;
      },
    };
  }

  return {
    /** By origin. */
    robots: column<string, StoredRobots>(INDEX_COLUMNS.hostRobots, robotsCodec),
    backoff: column<HostKey, BackoffRecord>(INDEX_COLUMNS.hostBackoff, backoffCodec),
    leads: column<HostKey, HostLeads>(INDEX_COLUMNS.hostLeads, leadsCodec),
    /** Only hosts of which a page was injected are in it. A host is entered before the row that it speaks for. */
    seeds: {
      ...column<HostKey, SeedReach>(INDEX_COLUMNS.hostSeed, seedCodec),
      /** The hosts of seeds, in steps. @param ranges of their keys; absent: all */
      async *all(ranges: readonly KeyRange[] = [{ start: '' }]): AsyncGenerator<HostKey[]> {
        for await (const rows of scanSteps(store, 'host', [INDEX_COLUMNS.hostSeed], ranges, 1000)) {
          yield rows.map(({ key }) => key as HostKey);
        }
      },
    },
  };
}
