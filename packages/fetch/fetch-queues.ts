import { createReadyHeap, type Due } from './ready-heap.js';
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

/**
 * Does one item. What it throws ends the run. `no_request` says that nobody was asked, so the queue waits no longer than
 * it would have without the item.
 */
export type FetchWorker<T> = (item: T, queueId: string) => Promise<'no_request' | void>;

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
   * Works until all sources are read and all items done. After an abort it starts nothing more, and resolves when the
   * items in work are done; items that were read but not started are forgotten. One run at a time.
   * @param feeding the run does not end before this settles, for callers that add queues while it goes on
   * @throws what a worker, a source or `feeding` threw, when the items in work are done
   */
  run(worker: FetchWorker<T>, signal?: AbortSignal, feeding?: Promise<unknown>): Promise<void>;
  /** Items in work. */
  readonly working: number;
}

interface Queue<T> {
  readonly id: string;
  readonly items: T[];
  readonly sources: AsyncIterator<T>[];
  loading: boolean;
  working: number;
  /** In ms. */
  delay: number;
  /** When the last item ended (with more threads: started). */
  last: number;
  notBefore: number;
  /** Its place in the heap. Entries of a queue that are not this one are void. */
  turn: Turn<T> | undefined;
  /** The order of the turn in which it began to load, so that it does not wait for another. */
  order: number | undefined;
}

interface Turn<T> extends Due {
  readonly queue: Queue<T>;
}

const toMillis = (seconds: number): number => Math.max(0, seconds * 1000) || 0;

/**
 * Makes the scheduler, empty. A queue that waits costs one place in a heap; one timer serves all. A queue that ran
 * empty is remembered until its delay is over, so that an item pushed later does not come too soon.
 */
export function createFetchQueues<T>(options: FetchQueuesOptions): FetchQueues<T> {
  const { threads, threadsPerQueue, clock = () => performance.now() } = options;
  const readAhead = threadsPerQueue + 1;
  const queues = new Map<string, Queue<T>>();
  const heap = createReadyHeap<Turn<T>>();
  const timer = createWakeTimer(serve, clock, options.timers);
  let worker: FetchWorker<T> | undefined;
  let finish: (() => void) | undefined;
  let failure: { readonly error: unknown } | undefined;
  let halted = false;
  let feeding = false;
  let serving = false;
  let working = 0;
  let loading = 0;
  let waitingItems = 0;
  let openSources = 0;
  let turns = 0;

  function queueOf(id: string): Queue<T> {
    let queue = queues.get(id);
    if (!queue) {
      const delay = toMillis(options.delay(id));
      queue = {
        id,
        items: [],
        sources: [],
        loading: false,
        working: 0,
        delay,
        last: -Infinity,
        notBefore: -Infinity,
        turn: undefined,
        order: undefined,
      };
      queues.set(id, queue);
    }
    return queue;
  }

  function readyAt(queue: Queue<T>): number {
    return Math.max(queue.last + queue.delay, queue.notBefore);
  }

  /** Gives a queue its turn. One that was put off meanwhile keeps its early turn, and is put back when that comes. */
  function schedule(queue: Queue<T>): void {
    if (queue.working >= threadsPerQueue || (queue.items.length === 0 && queue.loading)) return;
    const time = readyAt(queue);
    if (queue.turn && queue.turn.time <= time) return;
    queue.turn = { time, order: queue.order ?? turns++, queue };
    heap.push(queue.turn);
  }

  function touch(queue: Queue<T>): void {
    schedule(queue);
    serve();
  }

  function fail(error: unknown): void {
    failure ??= { error };
    halted = true;
  }

  /** Starts all that may start now, then waits: for the next turn, or for something in work to end. */
  function serve(): void {
    if (!worker || serving) return;
    serving = true;
    let next: number | undefined;
    while (!halted && working < threads && next === undefined) {
      const turn = heap.peek();
      if (!turn) break;
      const { queue, time } = turn;
      const valid = queue.turn === turn;
      if (valid && time > clock()) {
        next = time;
        continue;
      }
      const mustLoad = queue.items.length === 0 && queue.sources.length > 0;
      if (valid && mustLoad && loading >= threads) break;
      heap.pop();
      if (!valid) continue;
      queue.turn = undefined;
      if (readyAt(queue) > clock()) schedule(queue);
      else if (queue.items.length > 0) void start(queue, worker);
      else if (mustLoad) {
        queue.order = turn.order;
        void load(queue);
      } else if (queue.working === 0) queues.delete(queue.id);
    }
    serving = false;
    const done = halted || (waitingItems === 0 && openSources === 0 && !feeding);
    timer.wakeAt(done ? undefined : next);
    if (done && working === 0 && loading === 0) finish?.();
    else if (!done && working < threads) options.onIdle?.();
  }

  async function start(queue: Queue<T>, work: FetchWorker<T>): Promise<void> {
    const item = queue.items.shift() as T;
    waitingItems--;
    working++;
    queue.working++;
    const before = queue.last;
    const started = clock();
    queue.last = started;
    queue.order = undefined;
    schedule(queue);
    if (queue.items.length < readAhead && queue.sources.length > 0) void load(queue);
    let result: 'no_request' | void = undefined;
    try {
      result = await work(item, queue.id);
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
          waitingItems++;
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

  /** Empties a queue; what its sources say to that matters to nobody. */
  function empty(queue: Queue<T>): Promise<unknown> {
    waitingItems -= queue.items.length;
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
      const queue = queueOf(id);
      queue.sources.push(source);
      openSources++;
      touch(queue);
    },
    push(id, item) {
      const queue = queueOf(id);
      queue.items.push(item);
      waitingItems++;
      touch(queue);
    },
    putBack(id, item) {
      const queue = queueOf(id);
      queue.items.unshift(item);
      waitingItems++;
      touch(queue);
    },
    setDelay(id, seconds) {
      const queue = queues.get(id);
      const delay = toMillis(seconds);
      if (!queue || queue.delay === delay) return;
      queue.delay = delay;
      touch(queue);
    },
    pause(id, seconds) {
      const queue = queueOf(id);
      queue.notBefore = Math.max(queue.notBefore, clock() + toMillis(seconds));
      touch(queue);
    },
    async run(work, signal, feeder) {
      const onAbort = (): void => {
        halted = true;
        serve();
      };
      halted = signal?.aborted ?? false;
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
      worker = undefined;
      finish = undefined;
      if (halted) await Promise.all([...queues.values()].map(empty));
      if (failure) throw (failure as { error: unknown }).error;
    },
  };
}
