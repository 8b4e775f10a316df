/** Values by key; the least recently used go when their weights together exceed the bound. */
export interface BoundedCache<V> {
  get(key: string): V | undefined;
  /** A value heavier than the bound is not kept. */
  set(key: string, value: V, weight: number): void;
}

/** Makes an empty cache that holds values of this weight together, in the unit of the weights given to `set`. */
export function createBoundedCache<V>(maxWeight: number): BoundedCache<V> {
  const entries = new Map<string, { value: V; weight: number }>();
  let total = 0;

  function remove(key: string): void {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      // A Map keeps the order of insertion: what was used moves to the end, so the first is the oldest.
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, weight) {
      remove(key);
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= maxWeight) break;
        remove(oldest);
      }
    },
  };
}
