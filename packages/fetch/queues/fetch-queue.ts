import type { Due } from './ready-heap.js';

/**
 * Does one item or task. `no_request` says that nobody was asked, so the queue waits no longer than it would have without
 * it.
 */
export type Work = () => Promise<'no_request' | void>;

/** Work that is done once, before items that came earlier. */
export interface Task {
  readonly work: Work;
  /** Told whether the task was done; false when the run ended before its turn. */
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
  away: number;
  /** A task was started last. */
  tookTask: boolean;
  /** In ms. */
  delay: number;
  /** When the last item or task ended (with more threads: started). */
  last: number;
  notBefore: number;
  /** It has nothing to do, and waits to be forgotten. */
  resting: boolean;
  /** Its place in the heap. Entries of a queue that are not this one are void. */
  turn: Turn<T> | undefined;
  /** The order of the turn in which it began to load, so that it does not wait for another. */
  order: number | undefined;
}

/** A place in the heap of queues. */
export interface Turn<T> extends Due {
  readonly queue: Queue<T>;
}

/** An empty queue that has never waited; the delay in ms. */
export function newQueue<T>(id: string, delay: number): Queue<T> {
  return {
    id,
    items: [],
    tasks: [],
    sources: [],
    loading: false,
    working: 0,
    away: 0,
    tookTask: false,
    delay,
    last: -Infinity,
    notBefore: -Infinity,
    resting: false,
    turn: undefined,
    order: undefined,
  };
}

/** When the queue may start something. */
export function readyAt({ last, delay, notBefore }: Queue<unknown>): number {
  return Math.max(last + delay, notBefore);
}

/** What the queue would start if its time had come; undefined: nothing, until something of it ends. */
export function nextOf(queue: Queue<unknown>, threadsPerQueue: number): 'task' | 'item' | 'load' | undefined {
  const { items, tasks, sources, working, away } = queue;
  if (working >= threadsPerQueue) return undefined;
  const mayStart = working + away < threadsPerQueue;
  const hasItem = mayStart && items.length > 0;
  // Tasks come first, but where there are many, items get every other turn.
  if (tasks.length > 0 && !(hasItem && queue.tookTask)) return 'task';
  if (hasItem) return 'item';
  return mayStart && sources.length > 0 && !queue.loading ? 'load' : undefined;
}

/** Whether the queue has nothing to do and nothing under way. */
export function isIdle({ items, tasks, sources, loading, working, away }: Queue<unknown>): boolean {
  return items.length + tasks.length + sources.length + working + away === 0 && !loading;
}
