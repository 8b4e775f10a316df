const TIMES_ITS_COST = 100;

interface SeldomOptions {
  /** Milliseconds for which a figure counts as recent. Default: long enough that measuring takes at most one percent of the time. */
  readonly goodFor?: number;
  /** A monotonic clock, in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

/**
 * Makes a figure that is costly, and is therefore measured on demand and only rarely. If a measurement fails, `read` rejects, and the next
 * call measures again.
 */
export function createSeldom<T>(
  measure: () => Promise<T>,
  { goodFor, now = () => performance.now() }: SeldomOptions = {},
) {
  let last: { readonly value: T } | undefined;
  let measuring: Promise<T> | undefined;
  let notBefore = -Infinity;

  async function measureNow(): Promise<T> {
    const began = now();
    const value = await measure();
    const ended = now();
    notBefore = ended + (goodFor ?? TIMES_ITS_COST * (ended - began));
    last = { value };
    return value;
  }

  return {
    /** The last measured figure; undefined before the first measurement. */
    get last(): T | undefined {
      return last?.value;
    },
    /**
     * Returns the last figure if it is recent enough, and otherwise a new figure. Calls during a measurement get the result of that
     * measurement.
     */
    read(): Promise<T> {
      if (last && now() < notBefore) return Promise.resolve(last.value);
      return (measuring ??= measureNow().finally(() => (measuring = undefined)));
    },
  };
}
