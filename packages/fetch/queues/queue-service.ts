import type { FetchQueuesOptions, FetchWorker } from './fetch-queues.js';
import type { QueueOrder } from './queue-order.js';
import { nextOf, readyAt, type Queue, type Work } from './queue-state.js';
import { ReadAhead } from './read-ahead.js';
import { createWakeTimer } from './wake-timer.js';

/** Starts work within the limits of threads and delays, and detects the end of a run. */
export function createQueueService<T>(queues: QueueOrder<T>, options: FetchQueuesOptions, clock: () => number) {
  const { threads, threadsPerQueue } = options;
  const timer = createWakeTimer(serve, clock, options.timers);
  const reading = new ReadAhead<T>(threadsPerQueue + 1, entered, touch, fail);
  /** Numbers of items and tasks: waiting, in work, and suspended. */
  const counts = { waiting: 0, working: 0, suspended: 0 };
  let worker: FetchWorker<T> | undefined;
  let finish: (() => void) | undefined;
  let failure: { readonly error: unknown } | undefined;
  let halted = false;
  let feeding = false;
  let serving = false;
  const isHalted = (): boolean => halted;

  function touch(queue: Queue<T>): void {
    queues.schedule(queue);
    serve();
  }

  function entered(queue: Queue<T>): void {
    counts.waiting++;
    touch(queue);
  }

  function fail(error: unknown): void {
    failure ??= { error };
    halt();
  }

  function halt(): void {
    halted = true;
    for (const queue of queues.all) {
      for (const task of queue.tasks.splice(0)) {
        counts.waiting--;
        task.settle(false);
      }
    }
  }

  /** Starts all work that may start now, and sets the timer for the next turn. It is called again at that time, and when some work ends. */
  function serve(): void {
    if (!worker || serving) return;
    serving = true;
    queues.forget();
    let wakeAt: number | undefined;
    while (!halted && counts.working < threads && wakeAt === undefined) {
      const turn = queues.first;
      if (!turn) break;
      const { queue } = turn;
      if (turn.time > clock()) {
        wakeAt = turn.time;
        continue;
      }
      const next = nextOf(queue, threadsPerQueue);
      if (next === 'load' && reading.loading >= threads) break;
      queues.take(turn);
      if (readyAt(queue) > clock()) queues.schedule(queue);
      else if (next === 'task') void startTask(queue);
      else if (next === 'item') void startItem(queue, worker);
      else if (next === 'load') {
        queue.order = turn.order;
        void reading.load(queue, isHalted);
      } else queues.schedule(queue);
    }
    serving = false;
    const done = halted || (counts.waiting === 0 && !reading.isOpen && !feeding && counts.suspended === 0);
    timer.wakeAt(done ? undefined : wakeAt);
    if (done && counts.working === 0 && reading.loading === 0 && counts.suspended === 0) finish?.();
    else if (!done && counts.working < threads) options.onIdle?.();
  }

  function startItem(queue: Queue<T>, work: FetchWorker<T>): Promise<void> {
    const item = queue.items.shift() as T;
    queue.tookTask = false;
    return start(queue, () => work(item, queue.id));
  }

  async function startTask(queue: Queue<T>): Promise<void> {
    const { work, settle, fail: failTask } = queue.tasks.shift()!;
    queue.tookTask = true;
    let end = (): void => settle(true);
    await start(queue, () => work().catch((error: unknown) => void (end = () => failTask(error))));
    end();
  }

  async function start(queue: Queue<T>, work: Work): Promise<void> {
    counts.waiting--;
    counts.working++;
    queue.working++;
    const before = queue.last;
    const started = clock();
    queue.last = started;
    queue.order = undefined;
    queues.schedule(queue);
    if (reading.wants(queue)) void reading.load(queue, isHalted);
    let result: 'no_request' | void = undefined;
    try {
      result = await work();
    } catch (error) {
      fail(error);
    }
    counts.working--;
    queue.working--;
    if (result === 'no_request') queue.last = queue.last === started ? before : queue.last;
    else if (threadsPerQueue === 1) queue.last = clock();
    touch(queue);
  }

  return {
    counts,
    isHalted,
    /** Schedules a queue again. Call it after a queue has changed. */
    touch,
    /** Counts an item or a task. Call it after an item or a task was added to a queue. */
    entered,
    addSource(queue: Queue<T>, source: AsyncIterator<T>): void {
      reading.add(queue, source);
      touch(queue);
    },

    async run(work: FetchWorker<T>, signal?: AbortSignal, feeder?: Promise<unknown>): Promise<void> {
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
      if (halted) {
        counts.waiting = 0;
        await Promise.all(queues.all.map((queue) => reading.empty(queue)));
      }
      if (failure) throw (failure as { error: unknown }).error;
    },
  };
}
