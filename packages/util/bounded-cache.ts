/** Values by key; the least recently used go when their weights together exceed the bound. */
export interface BoundedCache<V> {
  get(key: string): V | undefined;
  /** A value heavier than the bound is not kept. @param weight 1 unless given */
  set(key: string, value: V, weight?: number): void;
  delete(key: string): void;
  /** Those that are held, the least recently used first. */
  entries(): [key: string, value: V][];
}

/** Makes an empty cache that holds values of this weight together, in the unit of the weights given to `set`. */
export function createBoundedCache<V>(maxWeight: number): BoundedCache<V> {
  const held = new Map<string, { value: V; weight: number }>();
  let total = 0;

  function remove(key: string): void {
    total -= held.get(key)?.weight ?? 0;
    held.delete(key);
  }

  return {
    get(key) {
      const entry = held.get(key);
      if (!entry) return undefined;
      // A Map keeps the order of insertion: what was used moves to the end, so the first is the oldest.
      held.delete(key);
      held.set(key, entry);
      return entry.value;
    },
    set(key, value, weight = 1) {
      remove(key);
      held.set(key, { value, weight });
      total += weight;
      for (const oldest of held.keys()) {
        if (total <= maxWeight) break;
        remove(oldest);
      }
    },
    delete: remove,
    entries: () => Array.from(held, ([key, { value }]) => [key, value]),
  };
}
