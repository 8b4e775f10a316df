/** Something that stands at a row of the order by score and row key. */
export interface Place {
  readonly score: number;
  readonly rowKey: string;
}

/** A place that may move, and knows where in the heap it is; -1 while it is in none. */
export interface HeapItem extends Place {
  at: number;
}

/** The order in which rows are selected: best score first, then by row key. */
export function isBefore(a: Place, b: Place): boolean {
  return a.score !== b.score ? a.score > b.score : a.rowKey < b.rowKey;
}

/** A binary heap of items that move. */
export interface CursorHeap<T extends HeapItem> {
  /** The item that is before all others. */
  readonly first: T | undefined;
  /** Enters an item, or finds its place anew after it has moved. */
  put(item: T): void;
  remove(item: T): void;
}

/** Makes an empty heap. */
export function createCursorHeap<T extends HeapItem>(): CursorHeap<T> {
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
    get first() {
      return items[0];
    },
    put(item) {
      if (item.at < 0) set(item, items.length);
      up(item);
      down(item);
    },
    remove(item) {
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
