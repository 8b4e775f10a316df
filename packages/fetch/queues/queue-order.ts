import { createHeap } from '../../util/index.js';
import { isIdle, isSooner, newQueue, nextOf, readyAt, type HeapEntry, type Queue } from './queue-state.js';

/** The queues in the order of their turns. Each queue that waits for its turn has one entry in a heap. */
export class QueueOrder<T> {
  readonly #queues = new Map<string, Queue<T>>();
  readonly #turns = createHeap<HeapEntry<T>>(isSooner);
  /** Empty queues, in the order in which their delays end. They need no thread, so they are not in the heap of turns. */
  readonly #resting = createHeap<HeapEntry<T>>(isSooner);
  readonly #threadsPerQueue: number;
  readonly #delay: (queueId: string) => number;
  readonly #clock: () => number;
  #given = 0;

  /** @param delay returns the delay of a new queue in ms */
  constructor(threadsPerQueue: number, delay: (queueId: string) => number, clock: () => number) {
    this.#threadsPerQueue = threadsPerQueue;
    this.#delay = delay;
    this.#clock = clock;
  }

  get all(): Queue<T>[] {
    return [...this.#queues.values()];
  }

  /** The next turn. undefined if no queue has anything to do. */
  get first(): HeapEntry<T> | undefined {
    return this.#turns.first;
  }

  /** Returns a queue. Returns undefined if it does not exist. */
  get(id: string): Queue<T> | undefined {
    return this.#queues.get(id);
  }

  /** Returns a queue. If it does not exist, it is created. */
  of(id: string): Queue<T> {
    let queue = this.#queues.get(id);
    if (!queue) this.#queues.set(id, (queue = newQueue<T>(id, this.#delay(id))));
    return queue;
  }

  /**
   * Schedules the turn of a queue. If the heap has an earlier entry for this turn, that entry stays. When its time comes, the turn is
   * scheduled again.
   */
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

  /** Removes a turn from the heap. */
  take(turn: HeapEntry<T>): void {
    this.#turns.remove(turn);
  }

  /** Removes queues that are empty and whose delay is over. */
  forget(): void {
    const now = this.#clock();
    for (let rest = this.#resting.first; rest && rest.time <= now; rest = this.#resting.first) {
      const { queue } = rest;
      this.#resting.remove(rest);
      // This entry may belong to a removed queue with the same id.
      if (this.#queues.get(queue.id) !== queue) continue;
      if (isIdle(queue) && readyAt(queue) <= now) this.#queues.delete(queue.id);
      else this.schedule(queue);
    }
  }
}
