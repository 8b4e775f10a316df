/**
 * Makes a list of at most `limit` items. When there are more items, the half with the fewest rows is dropped. With a limit of some
 * hundreds, an item with one in a thousand rows is not lost. A dropped item that occurs again starts at zero.
 * @param drop called with each dropped item
 */
export function createMostFrequent<T extends { readonly rows: number }>(limit: number, drop?: (thing: T) => void) {
  const held = new Map<string, T>();
  return {
    /** Returns the item with this name. If there is no such item, it stores a new item. */
    get(name: string, make: () => T): T {
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
    values: (): IterableIterator<T> => held.values(),
  };
}

/** Returns the items with the most rows, at most `limit`. Among equal items, the first comes first. */
export function mostRows<T extends { readonly rows: number }>(all: Iterable<T>, limit: number): T[] {
  return [...all].sort((a, b) => b.rows - a.rows).slice(0, limit);
}
