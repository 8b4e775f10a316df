/** An item with its position in a heap; -1 while the item is in no heap. */
export interface HeapItem {
  at: number;
}

/** Creates an empty heap. @param isBefore the order of its items */
export function createHeap<T extends HeapItem>(isBefore: (a: T, b: T) => boolean) {
  const items: T[] = [];

  function set(item: T, at: number): void {
    items[at] = item;
    item.at = at;
  }

  function up(item: T): void {
    while (item.at > 0) {
      const parent = items[(item.at - 1) >> 1]!;
      if (!isBefore(item, parent)) return;
      const at = item.at;
      set(item, parent.at);
      set(parent, at);
    }
  }

  function down(item: T): void {
    for (;;) {
      const left = items[2 * item.at + 1];
      const right = items[2 * item.at + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (!child || !isBefore(child, item)) return;
      const at = item.at;
      set(item, child.at);
      set(child, at);
    }
  }

  return {
    get first(): T | undefined {
      return items[0];
    },
    /** Adds an item. Call it again when the order of the item has changed. */
    put(item: T): void {
      if (item.at < 0) set(item, items.length);
      up(item);
      down(item);
    },
    /** Removes an item; does nothing if it is not in the heap. */
    remove(item: T): void {
      if (item.at < 0) return;
      const last = items.pop()!;
      if (last !== item) {
        set(last, item.at);
        up(last);
        down(last);
      }
      item.at = -1;
    },
  };
}
