import { createBoundedCache } from '../../../packages/util/index.js';

/** The value of each key, in their order; undefined where there is none. */
export type ReadValues = (keys: string[]) => Promise<(Uint8Array | undefined)[]>;

/** Packed values of rows that were read or written last, which are as they are in the database. */
export type RowCache = ReturnType<typeof createRowCache>;

/** Bytes that are held, with what an entry takes beside them. */
const MOST_BYTES = 16 * 1024 * 1024;
const ENTRY = 300;

/** Stands for a value that is being written. Taking the key out and putting it back would make the cache copy its keys over and over. */
const UNSURE = Symbol('unsure');

/**
 * A write-through cache of some keys of a database that nobody else writes to. A row is read and changed several times within minutes:
 * as a link, selected, fetched, released. That a key is not there is held, too.
 * @param isHeld whether a key is one of them
 */
export function createRowCache(isHeld: (key: string) => boolean) {
  const cache = createBoundedCache<Uint8Array | null | typeof UNSURE>(MOST_BYTES);
  /** Writes that are under way, and those that have begun so far. */
  let underWay = 0;
  let begun = 0;

  function keep(key: string, value: Uint8Array | undefined): void {
    // A small Buffer is a view of memory that it shares with others, all of which it would hold.
    const own = value && value.buffer.byteLength > value.length ? new Uint8Array(value) : value;
    cache.set(key, own ?? null, weightOf(key, own?.length ?? 0));
  }

  return {
    /**
     * Reads values, of the database only those that are not held. Each is of a moment between the call and its end. The bytes are those
     * that are held: nobody may change them.
     */
    async read(keys: readonly string[], read: ReadValues): Promise<(Uint8Array | undefined)[]> {
      const values: (Uint8Array | undefined)[] = [];
      const missed: string[] = [];
      /** Their places in `keys`. */
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
      // What is written meanwhile may be newer than what was read.
      const isCurrent = isQuiet && before === begun;
      for (const [i, key] of missed.entries()) {
        values[places[i]!] = found[i];
        if (isCurrent && isHeld(key)) keep(key, found[i]);
      }
      return values;
    },

    /**
     * Makes operations by `write`, which may make others too; undefined deletes. Until they are made, and where they fail, the database is
     * asked for these keys.
     * @param operations of keys that are held
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
