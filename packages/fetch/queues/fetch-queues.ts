import { QueueOrder } from './queue-order.js';
import { nextOf, readyAt, type Queue, type Work } from './queue-state.js';
import { createWakeTimer, type Timers } from './wake-timer.js';

export interface FetchQueuesOptions {
  /** Items in work at the most, over all queues. */
  readonly threads: number;
  /** Items in work at the most in one queue. */
  readonly threadsPerQueue: number;
  /**
   * Seconds that a queue waits: with one thread per queue from the end of an item to the start of the next, with more
   * from start to start. Asked once, when the queue is made.
   */
  readonly delay: (queueId: string) => number;
  /** Milliseconds from any origin, never set back. Default: `performance.now`. */
  readonly clock?: () => number;
  readonly timers?: Timers;
  /** Called, at times often, during a run while fewer items are in work than may be. */
  readonly onIdle?: () => void;
}

/** Does one item, as {@link Work}. What it throws ends the run. */
export type FetchWorker<T> = (item: T, queueId: string) => ReturnType<Work>;

/** Queues of items, each served no faster than its delay, and all of them fairly: the one that waits longest is next. */
export interface FetchQueues<T> {
  /**
   * Adds items to a queue, before or during the run. Nothing is read before the queue's first turn, and then only a
   * few items ahead. A source that throws ends the run; a source that is not read to its end has `return` called.
   */
  addQueue(id: string, source: AsyncIterator<T>): void;
  /** Adds one item to a queue, which need not exist. */
  push(id: string, item: T): void;
  /** Gives back an item that could not be done yet: it is the next of its queue. */
  putBack(id: string, item: T): void;
  /** Changes the delay of a queue that has items or a delay running; it holds for the wait under way too. In seconds. */
  setDelay(id: string, seconds: number): void;
  /** Starts nothing in a queue, which need not exist, for so many seconds from now. It never shortens a wait. */
  pause(id: string, seconds: number): void;
  /**
   * Does something else in a turn of a queue, which need not exist: it waits its delay and counts as one of its items,
   * but does not wait for those that are suspended. Where many ask for a turn, items get every other one.
   * @returns whether it was done; false when the run ended before
   * @throws what `work` throws
   */
  runTask(id: string, work: Work): Promise<boolean>;
  /**
   * Waits for something on behalf of an item in work, which releases its threads meanwhile. The queue's other items
   * wait with it; turns of the queue go on, so that queues may wait for turns of one another. The run does not end before.
   */
  suspend<R>(id: string, wait: Promise<R>): Promise<R>;
  /**
   * Works until all sources are read and all items done. After an abort it starts nothing more, and resolves when the
   * items in work are done; items that were read but not started are forgotten. One run at a time.
   * @param feeding the run does not end before this settles, for callers that add queues while it goes on
   * @throws what a worker, a source or `feeding` threw, when the items in work are done
   */
  run(worker: FetchWorker<T>, signal?: AbortSignal, feeding?: Promise<unknown>): Promise<void>;
  /** Items in work. */
  readonly working: number;
}

const toMillis = (seconds: number): number => Math.max(0, seconds * 1000) || 0;

/**
 * Makes the scheduler, empty. One timer serves all queues. A queue that ran empty is remembered until its delay is over,
 * so that an item pushed later does not come too soon.
 */
export function createFetchQueues<T>(options: FetchQueuesOptions): FetchQueues<T> {
  const { threads, threadsPerQueue, clock = () => performance.now() } = options;
  const readAhead = threadsPerQueue + 1;
  const queues = new QueueOrder<T>(threadsPerQueue, (id) => toMillis(options.delay(id)), clock);
  const timer = createWakeTimer(serve, clock, options.timers);
  let worker: FetchWorker<T> | undefined;
  let finish: (() => void) | undefined;
  let failure: { readonly error: unknown } | undefined;
  let halted = false;
  let feeding = false;
  let serving = false;
  let working = 0;
  let suspended = 0;
  let loading = 0;
  /** Items and tasks. */
  let waiting = 0;
  let openSources = 0;

  function touch(queue: Queue<T>): void {
    queues.schedule(queue);
    serve();
  }

  function fail(error: unknown): void {
    failure ??= { error };
    halt();
  }

  function halt(): void {
    halted = true;
    for (const queue of queues.all) {
      for (const task of queue.tasks.splice(0)) {
        waiting--;
        task.settle(false);
      }
    }
  }

  /** Starts all that may start now, then waits: for the next turn, or for something in work to end. */
  function serve(): void {
    if (!worker || serving) return;
    serving = true;
    queues.forget();
    let wakeAt: number | undefined;
    while (!halted && working < threads && wakeAt === undefined) {
      const turn = queues.first;
      if (!turn) break;
      const { queue } = turn;
      if (turn.time > clock()) {
        wakeAt = turn.time;
        continue;
      }
      const next = nextOf(queue, threadsPerQueue);
      if (next === 'load' && loading >= threads) break;
      queues.take(turn);
      if (readyAt(queue) > clock()) queues.schedule(queue);
      else if (next === 'task') void startTask(queue);
      else if (next === 'item') void startItem(queue, worker);
      else if (next === 'load') {
        queue.order = turn.order;
        void load(queue);
      } else queues.schedule(queue);
    }
    serving = false;
    const done = halted || (waiting === 0 && openSources === 0 && !feeding && suspended === 0);
    timer.wakeAt(done ? undefined : wakeAt);
    if (done && working === 0 && loading === 0 && suspended === 0) finish?.();
    else if (!done && working < threads) options.onIdle?.();
  }

  function startItem(queue: Queue<T>, work: FetchWorker<T>): Promise<void> {
    const item = queue.items.shift() as T;
    queue.tookTask = false;
    return start(queue, () => work(item, queue.id));
  }

  async function startTask(queue: Queue<T>): Promise<void> {
    const task = queue.tasks.shift()!;
    queue.tookTask = true;
    let settle = (): void => task.settle(true);
    await start(queue, async () => {
      try {
        return await task.work();
      } catch (error) {
        settle = () => task.fail(error);
        return undefined;
      }
    });
    settle();
  }

  async function start(queue: Queue<T>, work: Work): Promise<void> {
    waiting--;
    working++;
    queue.working++;
    const before = queue.last;
    const started = clock();
    queue.last = started;
    queue.order = undefined;
    queues.schedule(queue);
    if (queue.items.length < readAhead && queue.sources.length > 0) void load(queue);
    let result: 'no_request' | void = undefined;
    try {
      result = await work();
    } catch (error) {
      fail(error);
    }
    working--;
    queue.working--;
    if (result === 'no_request') queue.last = queue.last === started ? before : queue.last;
    else if (threadsPerQueue === 1) queue.last = clock();
    touch(queue);
  }

  async function load(queue: Queue<T>): Promise<void> {
    if (queue.loading) return;
    queue.loading = true;
    loading++;
    try {
      while (!halted && queue.items.length < readAhead) {
        const source = queue.sources[0];
        if (!source) break;
        const next = await source.next();
        if (next.done) {
          queue.sources.shift();
          openSources--;
        } else {
          queue.items.push(next.value);
          waiting++;
          touch(queue);
        }
      }
    } catch (error) {
      fail(error);
    }
    queue.loading = false;
    loading--;
    touch(queue);
  }

  function enter(id: string, add: (items: T[]) => void): void {
    const queue = queues.of(id);
    add(queue.items);
    waiting++;
    touch(queue);
  }

  /** Empties a queue; what its sources say to that matters to nobody. */
  function empty(queue: Queue<T>): Promise<unknown> {
    waiting -= queue.items.length;
    queue.items.length = 0;
    const sources = queue.sources.splice(0);
    openSources -= sources.length;
    return Promise.allSettled(sources.map(async (source) => source.return?.()));
  }

  return {
    get working() {
      return working;
    },
    addQueue(id, source) {
      const queue = queues.of(id);
      queue.sources.push(source);
      openSources++;
      touch(queue);
    },
    push: (id, item) => enter(id, (items) => items.push(item)),
    putBack: (id, item) => enter(id, (items) => items.unshift(item)),
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
      if (halted) return Promise.resolve(false);
      const queue = queues.of(id);
      return new Promise((settle, fail) => {
        queue.tasks.push({ work, settle, fail });
        waiting++;
        touch(queue);
      });
    },
    async suspend(id, wait) {
      const queue = queues.of(id);
      const leave = (n: 1 | -1): void => {
        suspended += n;
        queue.suspended += n;
        working -= n;
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
    async run(work, signal, feeder) {
      const onAbort = (): void => {
        halt();
        serve();
      };
      halted = false;
      if (signal?.aborted) halt();
      failure = undefined;
      feeding = feeder !== undefined;
      void feeder?.catch(fail).finally(() => {
        feeding = false;
        serve();
      });
      signal?.addEventListener('abort', onAbort);
      worker = work;
      await new Promise<void>((resolve) => {
        finish = resolve;
        serve();
      });
      signal?.removeEventListener('abort', onAbort);
      worker = finish = undefined;
      if (halted) await Promise.all(queues.all.map(empty));
      if (failure) throw (failure as { error: unknown }).error;
    },
  };
}
