/**
 * Work that goes on beside what started it.
 * @param onEnd called when a task has ended, well or not
 */
export function createTasks(onEnd: () => void) {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => void (failure ??= { error });
  return {
    /** How many are under way. */
    get size() {
      return running.size;
    },
    /** The first failure of any. */
    get failure() {
      return failure;
    },
    add(task: Promise<void>): void {
      const tracked = task.catch(fail).finally(() => {
        running.delete(tracked);
        onEnd();
      });
      running.add(tracked);
    },
    /** Notes a failure from elsewhere, where it is the first. */
    fail,
    /** Waits until none is under way; it never rejects. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
