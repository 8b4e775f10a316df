/** Things by name, of which those that come often are kept. */
export interface MostFrequent<T> {
  /** The thing of this name; where it is not held, one that is made. */
  get(name: string, make: () => T): T;
  values(): IterableIterator<T>;
}

/**
 * Holds things by name, at the most so many: when there are more, the half that has the fewest rows goes. What comes in one row of a
 * thousand is not lost so, for a limit of some hundreds; what was dropped and comes again begins anew.
 * @param drop called with each thing that goes
 */
export function createMostFrequent<T extends { readonly rows: number }>(
  limit: number,
  drop?: (thing: T) => void,
): MostFrequent<T> {
  const held = new Map<string, T>();
  return {
    get(name, make) {
      const known = held.get(name);
      if (known) return known;
      if (held.size >= limit) {
        const stay = new Set(mostRows(held.values(), Math.floor(limit / 2)));
        for (const [each, thing] of held) {
          if (stay.has(thing)) continue;
          held.delete(each);
          drop?.(thing);
        }
      }
      const made = make();
      held.set(name, made);
      return made;
    },
    values: () => held.values(),
  };
}

/** Those with the most rows; of as many those that came first. */
export function mostRows<T extends { readonly rows: number }>(all: Iterable<T>, limit: number): T[] {
  return [...all].sort((a, b) => b.rows - a.rows).slice(0, limit);
}
