/** Runs tasks of one name one after the other. */
export type Exclusive = <T>(name: string, task: () => Promise<T>) => Promise<T>;

/** Locks by name, all free. A task that throws releases its lock. */
export function createLocks(): Exclusive {
  const locks = new Map<string, Promise<unknown>>();
  return async (name, task) => {
    const before = locks.get(name) ?? Promise.resolve();
    const run = before.then(task, task);
    const settled = run.then(
      () => undefined,
      () => undefined,
    );
    locks.set(name, settled);
    try {
      return await run;
    } finally {
      if (locks.get(name) === settled) locks.delete(name);
    }
  };
}
