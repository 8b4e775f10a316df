import { createOneByOne, type OneByOne } from '../../util/index.js';

const queues = new WeakMap<object, OneByOne>();

/**
 * Runs a task after all earlier tasks on these tables in this process. Tasks of other processes may run at the same time. If two
 * processes make a list of proposals, the later list replaces the other. Rules are added only if the rules of the table still have the
 * version that was read.
 */
export function serialised<T>(tables: object, task: () => Promise<T>): Promise<T> {
  const queue = queues.get(tables) ?? createOneByOne();
  queues.set(tables, queue);
  return queue(task);
}
