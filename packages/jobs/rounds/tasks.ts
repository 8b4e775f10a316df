/** Work that goes on beside what started it. */
export interface Tasks {
  /** How many are under way. */
  readonly size: number;
  /** The first failure of any. */
  readonly failure: { readonly error: unknown } | undefined;
  add(task: Promise<void>): void;
  /** Notes a failure from elsewhere, where it is the first. */
  fail(error: unknown): void;
  /** Waits until none is under way; it never rejects. */
  settled(): Promise<void>;
}

/** @param onEnd called when one has ended, well or not */
export function createTasks(onEnd: () => void): Tasks {
  const running = new Set<Promise<void>>();
  let failure: Tasks['failure'];
  const fail = (error: unknown): void => void (failure ??= { error });
  return {
    get size() {
      return running.size;
    },
    get failure() {
      return failure;
    },
    add(task) {
      const tracked = task.catch(fail).finally(() => {
        running.delete(tracked);
        onEnd();
      });
      running.add(tracked);
    },
    fail,
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
