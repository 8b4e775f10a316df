import { QueueOrder } from './queue-order.js';
import { createQueueService } from './queue-service.js';
import type { Work } from './queue-state.js';
import type { Timers } from './wake-timer.js';

export interface FetchQueuesOptions {
  /** Maximum number of items in work in all queues together. */
  readonly threads: number;
  /** Maximum number of items in work in one queue. */
  readonly threadsPerQueue: number;
  /**
   * Returns the delay of a queue in seconds. With one thread for each queue, the delay is the time from the end of an item to the start of
   * the next item. With several threads, it is the time between the starts of two items. Called once, when the queue is created.
   */
  readonly delay: (queueId: string) => number;
  /** Returns the milliseconds of a clock that is never set back. Default: `performance.now`. */
  readonly clock?: () => number;
  readonly timers?: Timers;
  /** Called often during a run, while fewer items are in work than are allowed. */
  readonly onIdle?: () => void;
}

/** Does the work on one item, see {@link Work}. If it throws, the run ends. */
export type FetchWorker<T> = (item: T, queueId: string) => ReturnType<Work>;

/** Queues of items. Each queue starts its items no faster than its delay allows. The queue that has waited longest is next. */
export interface FetchQueues<T> {
  /**
   * Adds items to a queue, before or during the run. The source is not read before the first turn of the queue. After that it is read a few
   * items ahead. If a source throws, the run ends. If a source is not read to its end, its `return` is called.
   */
  addQueue(id: string, source: AsyncIterator<T>): void;
  /** Adds one item to a queue. If the queue does not exist, it is created. */
  push(id: string, item: T): void;
  /** Puts back an item that could not be done yet. It becomes the next item of its queue. */
  requeue(id: string, item: T): void;
  /**
   * Changes the delay of a queue, in seconds. The queue must have items, or must be waiting for its delay. The new delay applies to the
   * current wait too.
   */
  setDelay(id: string, seconds: number): void;
  /**
   * Starts no item of a queue during this number of seconds from now. If the queue does not exist, it is created. A longer wait of the
   * queue stays.
   */
  pause(id: string, seconds: number): void;
  /**
   * Runs another task in a turn of a queue. If the queue does not exist, it is created. The task waits for the delay of the queue and
   * counts as one of its items, but it does not wait for suspended items. If there are many tasks, items get every second turn.
   * @returns true when the task is done; false if the run ended before its turn
   * @throws what `work` throws
   */
  runTask(id: string, work: Work): Promise<boolean>;
  /**
   * Suspends an item in work until a wait has ended. During the wait, the thread of the item may serve another queue. Other items of the
   * item's own queue wait too, but tasks of this queue still run. Therefore queues can wait for each other. The run does not end during the
   * wait.
   */
  suspend<R>(id: string, wait: Promise<R>): Promise<R>;
  /**
   * Works until all sources are read and all items are done. After an abort it starts nothing more, drops the items that were not started,
   * and resolves when the items in work are done. Only one run is allowed at a time.
   * @param feeding the run does not end before this promise settles. It is for callers that add queues during the run.
   * @throws what a worker, a source or `feeding` threw, after the items in work are done
   */
  run(worker: FetchWorker<T>, signal?: AbortSignal, feeding?: Promise<unknown>): Promise<void>;
  /** Number of items in work. */
  readonly working: number;
}

const toMillis = (seconds: number): number => Math.max(0, seconds * 1000) || 0;

/**
 * Creates queues without items. One timer serves all queues. An empty queue is remembered until its delay is over, so that an item that is
 * pushed later does not start too soon.
 */
export function createFetchQueues<T>(options: FetchQueuesOptions): FetchQueues<T> {
  const { threadsPerQueue, clock = () => performance.now() } = options;
  const queues = new QueueOrder<T>(threadsPerQueue, (id) => toMillis(options.delay(id)), clock);
  const { counts, isHalted, touch, entered, addSource, run } = createQueueService(queues, options, clock);

  return {
    get working() {
      return counts.working;
    },
    addQueue: (id, source) => addSource(queues.of(id), source),
    push(id, item) {
      const queue = queues.of(id);
      queue.items.push(item);
      entered(queue);
    },
    requeue(id, item) {
      const queue = queues.of(id);
      queue.items.unshift(item);
      entered(queue);
    },
    setDelay(id, seconds) {
      const queue = queues.get(id);
      const delay = toMillis(seconds);
      if (!queue || queue.delay === delay) return;
      queue.delay = delay;
      touch(queue);
    },
    pause(id, seconds) {
      const queue = queues.of(id);
      queue.notBefore = Math.max(queue.notBefore, clock() + toMillis(seconds));
      touch(queue);
    },
    runTask(id, work) {
      if (isHalted()) return Promise.resolve(false);
      const queue = queues.of(id);
      return new Promise((settle, fail) => {
        queue.tasks.push({ work, settle, fail });
        entered(queue);
      });
    },
    async suspend(id, wait) {
      const queue = queues.of(id);
      const leave = (n: 1 | -1): void => {
        counts.suspended += n;
        queue.suspended += n;
        counts.working -= n;
        queue.working -= n;
      };
      leave(1);
      if (threadsPerQueue === 1) queue.last = clock();
      touch(queue);
      try {
        return await wait;
      } finally {
        leave(-1);
      }
    },
    run,
  };
}
