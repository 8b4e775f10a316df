/** The last task on each table. */
const last = new WeakMap<object, Promise<unknown>>();

/**
 * Runs a task when every earlier one on these tables has ended, as far as this process runs them. Of two processes that do so at the same
 * time the later list of proposals stays, and rules are added by the version of the rules that was read.
 */
export function inTurn<T>(tables: object, task: () => Promise<T>): Promise<T> {
  const next = (last.get(tables) ?? Promise.resolve()).then(task);
  last.set(
    tables,
    next.catch(() => undefined),
  );
  return next;
}
