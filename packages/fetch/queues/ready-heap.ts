/** Something that is due at a time. */
export interface Due {
  readonly time: number;
  /** Decides between those due at the same time: the lowest first. */
  readonly order: number;
}

/** A queue by time and order. */
export interface ReadyHeap<E extends Due> {
  peek(): E | undefined;
  pop(): E | undefined;
  push(entry: E): void;
}

/** Makes an empty binary heap. */
export function createReadyHeap<E extends Due>(): ReadyHeap<E> {
  const heap: E[] = [];

  function before(a: number, b: number): boolean {
    const x = heap[a];
    const y = heap[b];
    if (!x || !y) return false;
    return x.time < y.time || (x.time === y.time && x.order < y.order);
  }

  function swap(a: number, b: number): void {
    const x = heap[a];
    const y = heap[b];
    if (!x || !y) return;
    heap[a] = y;
    heap[b] = x;
  }

  return {
    peek: () => heap[0],
    push(entry) {
      heap.push(entry);
      for (let at = heap.length - 1; at > 0 && before(at, (at - 1) >> 1); at = (at - 1) >> 1) swap(at, (at - 1) >> 1);
    },
    pop() {
      const first = heap[0];
      swap(0, heap.length - 1);
      heap.pop();
      for (let at = 0; ;) {
        const left = 2 * at + 1;
        const child = before(left + 1, left) ? left + 1 : left;
        if (!before(child, at)) return first;
        swap(at, child);
        at = child;
      }
    },
  };
}
