import { createHeap } from '../../util/index.js';
import { isIdle, isSooner, newQueue, nextOf, readyAt, type HeapEntry, type Queue } from './queue-state.js';

/** The queues, and whose turn is when. A queue that waits costs one place in a heap. */
export class QueueOrder<T> {
  readonly #queues = new Map<string, Queue<T>>();
  readonly #turns = createHeap<HeapEntry<T>>(isSooner);
  /** Queues that ran empty, by when their delay is over. They do not wait for a thread as turns do. */
  readonly #resting = createHeap<HeapEntry<T>>(isSooner);
  readonly #threadsPerQueue: number;
  readonly #delay: (queueId: string) => number;
  readonly #clock: () => number;
  #given = 0;

  /** @param delay in ms, of a queue when it is made */
  constructor(threadsPerQueue: number, delay: (queueId: string) => number, clock: () => number) {
    this.#threadsPerQueue = threadsPerQueue;
    this.#delay = delay;
    this.#clock = clock;
  }

  /** All that are not forgotten. */
  get all(): Queue<T>[] {
    return [...this.#queues.values()];
  }

  /** The turn that is next; undefined where no queue has anything to do. */
  get first(): HeapEntry<T> | undefined {
    return this.#turns.first;
  }

  /** A queue that is not forgotten. */
  get(id: string): Queue<T> | undefined {
    return this.#queues.get(id);
  }

  /** A queue, which is made where it is not there. */
  of(id: string): Queue<T> {
    let queue = this.#queues.get(id);
    if (!queue) this.#queues.set(id, (queue = newQueue<T>(id, this.#delay(id))));
    return queue;
  }

  /** Gives a queue its turn. One that was put off meanwhile keeps its early turn, and is put back when that comes. */
  schedule(queue: Queue<T>): void {
    const time = readyAt(queue);
    if (nextOf(queue, this.#threadsPerQueue) === undefined) {
      if (!isIdle(queue) || queue.rest.at >= 0) return;
      queue.rest.time = time;
      this.#resting.put(queue.rest);
      return;
    }
    const { turn } = queue;
    if (turn.at >= 0 && turn.time <= time) return;
    turn.time = time;
    turn.order = queue.order ?? this.#given++;
    this.#turns.put(turn);
  }

  /** The turn has come. */
  take(turn: HeapEntry<T>): void {
    this.#turns.remove(turn);
  }

  /** Forgets the queues that ran empty and whose delay is over. */
  forget(): void {
    const now = this.#clock();
    for (let rest = this.#resting.first; rest && rest.time <= now; rest = this.#resting.first) {
      const { queue } = rest;
      this.#resting.remove(rest);
      // An old turn of a queue that was forgotten may have led here.
      if (this.#queues.get(queue.id) !== queue) continue;
      if (isIdle(queue) && readyAt(queue) <= now) this.#queues.delete(queue.id);
      else this.schedule(queue);
    }
  }
}
