import type { HeapItem } from '../../util/index.js';

/** Does one item or task. `no_request`: no request was sent, so the queue does not wait for the delay again. */
export type Work = () => Promise<'no_request' | void>;

/** A task of a queue. It is done before the waiting items. */
interface Task {
  readonly work: Work;
  /** Called with true when the task is done, or with false if the run ended before its turn. */
  readonly settle: (isDone: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/** The work of one queue, and its times. */
export interface Queue<T> {
  readonly id: string;
  readonly items: T[];
  readonly tasks: Task[];
  readonly sources: AsyncIterator<T>[];
  loading: boolean;
  working: number;
  /** Number of items in work that wait for something outside this queue. Each of them takes the place of an item, but not of a task. */
  suspended: number;
  /** Whether the last work that was started is a task. */
  tookTask: boolean;
  /** The delay in ms. */
  delay: number;
  /** The time when the last item or task ended. With several threads for each queue, the time when it started. */
  last: number;
  notBefore: number;
  /** The entry of this queue in the heap of turns. */
  readonly turn: HeapEntry<T>;
  /** The entry of this queue in the heap of empty queues, which are removed later. */
  readonly rest: HeapEntry<T>;
  /**
   * The order of the turn in which this queue began to load items. The queue uses the same order after loading, so that it does not wait
   * for another turn.
   */
  order: number | undefined;
}

export interface HeapEntry<T> extends HeapItem {
  readonly queue: Queue<T>;
  /** The time of the turn or of the removal, in ms. */
  time: number;
  /** Decides between entries with the same time. The lowest number is first. */
  order: number;
}

/** Whether an entry comes before another entry. */
export function isSooner(a: HeapEntry<unknown>, b: HeapEntry<unknown>): boolean {
  return a.time !== b.time ? a.time < b.time : a.order < b.order;
}

/**
 * Makes an empty queue that may start work at once.
 * @param delay in ms
 */
export function newQueue<T>(id: string, delay: number): Queue<T> {
  const queue: Omit<Queue<T>, 'turn' | 'rest'> = {
    id,
    items: [],
    tasks: [],
    sources: [],
    loading: false,
    working: 0,
    suspended: 0,
    tookTask: false,
    delay,
    last: -Infinity,
    notBefore: -Infinity,
    order: undefined,
  };
  const place = (): HeapEntry<T> => ({ queue: queue as Queue<T>, time: 0, order: 0, at: -1 });
  return Object.assign(queue, { turn: place(), rest: place() });
}

/** Returns the time in ms from which the queue may start work. */
export function readyAt({ last, delay, notBefore }: Queue<unknown>): number {
  return Math.max(last + delay, notBefore);
}

/** Returns what the queue starts next. Returns undefined if the queue has nothing to start, or must wait until some of its work ends. */
export function nextOf(queue: Queue<unknown>, threadsPerQueue: number): 'task' | 'item' | 'load' | undefined {
  const { items, tasks, sources, working, suspended } = queue;
  if (working >= threadsPerQueue) return undefined;
  const mayStart = working + suspended < threadsPerQueue;
  const hasItem = mayStart && items.length > 0;
  // Tasks are first. But if there are many tasks, items get every second turn.
  if (tasks.length > 0 && !(hasItem && queue.tookTask)) return 'task';
  if (hasItem) return 'item';
  return mayStart && sources.length > 0 && !queue.loading ? 'load' : undefined;
}

/** Whether a queue is empty and has no work in progress. */
export function isIdle({ items, tasks, sources, loading, working, suspended }: Queue<unknown>): boolean {
  return items.length + tasks.length + sources.length + working + suspended === 0 && !loading;
}
