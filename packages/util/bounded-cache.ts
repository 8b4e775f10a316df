/** A value in the ring of all values, in order of their use. The ring begins and ends at a node without a value. */
interface Node<V> {
  readonly key: string;
  value: V;
  weight: number;
  before: Node<V>;
  after: Node<V>;
}

/**
 * Creates an empty cache of values by key. When the total weight exceeds the limit, the least recently used values are removed.
 * @param maxWeight maximum total weight, in the unit of the weights that `set` gets
 */
export function createBoundedCache<V>(maxWeight: number) {
  // Moving keys to the end of a Map would keep the order too. But each move leaves a hole, so the Map would be copied again and again.
  const held = new Map<string, Node<V>>();
  const ring = { key: '', weight: 0 } as Node<V>;
  ring.before = ring.after = ring;
  let total = 0;

  function unlink({ before, after }: Node<V>): void {
    before.after = after;
    after.before = before;
  }

  function link(node: Node<V>): void {
    node.before = ring.before;
    node.after = ring;
    ring.before.after = node;
    ring.before = node;
  }

  function remove(key: string): void {
    const node = held.get(key);
    if (!node) return;
    held.delete(key);
    unlink(node);
    total -= node.weight;
  }

  return {
    get(key: string): V | undefined {
      const node = held.get(key);
      if (!node) return undefined;
      unlink(node);
      link(node);
      return node.value;
    },
    /** Stores a value, unless it is heavier than the limit. */
    set(key: string, value: V, weight = 1): void {
      const node = held.get(key);
      if (node) {
        total += weight - node.weight;
        node.value = value;
        node.weight = weight;
        unlink(node);
        link(node);
      } else {
        const added: Node<V> = { key, value, weight, before: ring, after: ring };
        held.set(key, added);
        link(added);
        total += weight;
      }
      while (total > maxWeight && held.size > 0) remove(ring.after.key);
    },
    delete: remove,
    /** The stored entries, the least recently used first. */
    entries(): [key: string, value: V][] {
      const all: [string, V][] = [];
      for (let node = ring.after; node !== ring; node = node.after) all.push([node.key, node.value]);
      return all;
    },
  };
}
