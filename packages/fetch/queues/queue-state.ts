import type { HeapItem } from '../../util/index.js';

/**
 * Does one item or task. `no_request` says that nobody was asked, so the queue waits no longer than it would have without
 * it.
 */
export type Work = () => Promise<'no_request' | void>;

/** Work that is done once, before items that came earlier. */
export interface Task {
  readonly work: Work;
  /** Called with whether the task was done; false when the run ended before its turn. */
  readonly settle: (isDone: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/** What one queue has to do, and when. */
export interface Queue<T> {
  readonly id: string;
  readonly items: T[];
  readonly tasks: Task[];
  readonly sources: AsyncIterator<T>[];
  loading: boolean;
  working: number;
  /** Items in work that wait for something outside this queue. Other items wait with them, tasks do not. */
  suspended: number;
  /** A task was started last. */
  tookTask: boolean;
  /** In ms. */
  delay: number;
  /** When the last item or task ended (with more threads: started). */
  last: number;
  notBefore: number;
  /** Its place among the queues that have something to do. */
  readonly turn: HeapEntry<T>;
  /** Its place among those that have nothing to do, and wait to be forgotten. */
  readonly rest: HeapEntry<T>;
  /** The order of the turn in which it began to load, so that it does not wait for another. */
  order: number | undefined;
}

/** A place in a heap of queues. */
export interface HeapEntry<T> extends HeapItem {
  readonly queue: Queue<T>;
  /** When it is due, in ms. */
  time: number;
  /** Decides between those due at the same time: the lowest first. */
  order: number;
}

/** Whether one is due before the other. */
export function isSooner(a: HeapEntry<unknown>, b: HeapEntry<unknown>): boolean {
  return a.time !== b.time ? a.time < b.time : a.order < b.order;
}

/** An empty queue that has never waited; the delay in ms. */
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

/** When the queue may start something. */
export function readyAt({ last, delay, notBefore }: Queue<unknown>): number {
  return Math.max(last + delay, notBefore);
}

/** What the queue would start if its time had come; undefined: nothing, until something of it ends. */
export function nextOf(queue: Queue<unknown>, threadsPerQueue: number): 'task' | 'item' | 'load' | undefined {
  const { items, tasks, sources, working, suspended } = queue;
  if (working >= threadsPerQueue) return undefined;
  const mayStart = working + suspended < threadsPerQueue;
  const hasItem = mayStart && items.length > 0;
  // Tasks come first, but where there are many, items get every other turn.
  if (tasks.length > 0 && !(hasItem && queue.tookTask)) return 'task';
  if (hasItem) return 'item';
  return mayStart && sources.length > 0 && !queue.loading ? 'load' : undefined;
}

/** Whether the queue has nothing to do and nothing under way. */
export function isIdle({ items, tasks, sources, loading, working, suspended }: Queue<unknown>): boolean {
  return items.length + tasks.length + sources.length + working + suspended === 0 && !loading;
}
