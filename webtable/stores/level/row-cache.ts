import { createBoundedCache } from '../../../packages/util/index.js';

/** Reads the value of each key, in order; undefined if the key does not exist. */
type ReadValues = (keys: string[]) => Promise<(Uint8Array | undefined)[]>;

/** The packed values of the rows that were last read or written, always the same as in the database. */
export type RowCache = ReturnType<typeof createRowCache>;

/** Maximum bytes of the cache, including the overhead of each entry. */
const MAX_BYTES = 16 * 1024 * 1024;
const ENTRY = 300;

/** Marks a value that is being written. Removing the key and adding it again would cost more. */
const UNSURE = Symbol('unsure');

/**
 * Makes a write-through cache of some keys of a database that has no other writer. A row is read and changed several times within minutes:
 * when it is linked, selected, fetched and released. The cache also stores that a key does not exist.
 * @param isHeld whether the cache handles a key
 */
export function createRowCache(isHeld: (key: string) => boolean) {
  const cache = createBoundedCache<Uint8Array | null | typeof UNSURE>(MAX_BYTES);
  /** Number of running writes. `begun` is the number of all writes that have begun. */
  let underWay = 0;
  let begun = 0;

  function keep(key: string, value: Uint8Array | undefined): void {
    // A small Buffer may be a view of a large shared block. A reference to the view would keep the block in memory.
    const own = value && value.buffer.byteLength > value.length ? new Uint8Array(value) : value;
    cache.set(key, own ?? null, weightOf(key, own?.length ?? 0));
  }

  return {
    /**
     * Returns the values of keys. Only values that are not cached are read from the database. Each value is from a moment during the call.
     * The bytes belong to the cache, so callers must not change them.
     */
    async read(keys: readonly string[], read: ReadValues): Promise<(Uint8Array | undefined)[]> {
      const values: (Uint8Array | undefined)[] = [];
      const missed: string[] = [];
      /** The indexes in `keys` of the keys that are not cached. */
      const places: number[] = [];
      for (const [at, key] of keys.entries()) {
        const held = cache.get(key);
        if (held !== undefined && held !== UNSURE) {
          values.push(held ?? undefined);
          continue;
        }
        values.push(undefined);
        missed.push(key);
        places.push(at);
      }
      if (missed.length === 0) return values;
      const [before, isQuiet] = [begun, underWay === 0];
      const found = await read(missed);
      // If a write ran meanwhile, its values may be newer than the values that were read.
      const isCurrent = isQuiet && before === begun;
      for (const [i, key] of missed.entries()) {
        values[places[i]!] = found[i];
        if (isCurrent && isHeld(key)) keep(key, found[i]);
      }
      return values;
    },

    /**
     * Runs `write`, which must make these operations and may make others too. A value of undefined deletes the key. Until `write`
     * completes, reads of these keys go to the database. If `write` fails, the next read caches what the database has.
     * @param operations on keys that the cache handles
     */
    async write(
      operations: readonly (readonly [key: string, value: Uint8Array | undefined])[],
      write: () => Promise<void>,
    ): Promise<void> {
      for (const [key] of operations) if (cache.get(key) !== undefined) cache.set(key, UNSURE, weightOf(key, 0));
      begun += 1;
      underWay += 1;
      try {
        await write();
        for (const [key, value] of operations) keep(key, value);
      } finally {
        underWay -= 1;
      }
    },
  };
}

const weightOf = (key: string, bytes: number): number => 2 * key.length + bytes + ENTRY;
