/** Runs tasks one after the other, in the order of the calls. A task that fails does not stop the next. */
export type OneByOne = <T>(task: () => T | Promise<T>) => Promise<T>;

/** Runs tasks of one name one after the other, in the order of the calls. A task that fails does not stop the next. */
export type Exclusive = <T>(name: string, task: () => Promise<T>) => Promise<T>;

export function createOneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task);
    last = run.catch(() => undefined);
    return run;
  };
}

export function createLocks(): Exclusive {
  const lines = new Map<string, { readonly run: OneByOne; waiting: number }>();
  return async (name, task) => {
    const line = lines.get(name) ?? { run: createOneByOne(), waiting: 0 };
    lines.set(name, line);
    line.waiting += 1;
    try {
      return await line.run(task);
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) lines.delete(name);
    }
  };
}
