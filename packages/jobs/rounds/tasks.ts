/**
 * Runs background tasks.
 * @param onEnd called when a task has ended, with or without a failure
 */
export function createTasks(onEnd: () => void) {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => void (failure ??= { error });
  return {
    get size() {
      return running.size;
    },
    /** The first failure of any task. */
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
    /** Records an error from outside the tasks, if there is no earlier failure. */
    fail,
    /** Waits until no task is running. It never rejects. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
