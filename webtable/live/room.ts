/** Maximum bytes of all unanswered requests of all clients together. */
const MAX_REQUEST_BYTES = 256 * 2 ** 20;

/** The share of one client in the memory of the serving process. */
export interface Place {
  /**
   * Sets how many bytes the client uses now. If all clients together use too many bytes, the largest clients are disconnected, possibly
   * this one.
   */
  hold(bytes: number): void;
  /** Frees the memory of the client for good. */
  leave(): void;
}

/** The memory that clients share. */
export type Room = ReturnType<typeof createRoom>;

/** @param most maximum bytes. Default: 256 MiB */
export function createRoom(most = MAX_REQUEST_BYTES) {
  const held = new Map<() => void, number>();
  let sum = 0;

  function dropLargest(): void {
    let largest: (() => void) | undefined;
    for (const [drop, bytes] of held) if (!largest || bytes > held.get(largest)!) largest = drop;
    if (!largest) return;
    sum -= held.get(largest)!;
    held.delete(largest);
    largest();
  }

  return {
    /** @param drop disconnects the client, which may still use memory for an answer */
    enter(drop: () => void): Place {
      const own = (): void => drop();
      held.set(own, 0);
      return {
        hold(bytes) {
          const before = held.get(own);
          if (before === undefined) return;
          held.set(own, bytes);
          sum += bytes - before;
          while (sum > most) dropLargest();
        },
        leave() {
          sum -= held.get(own) ?? 0;
          held.delete(own);
        },
      };
    },
  };
}
