import type { Queue } from './queue-state.js';

/** Reads the items of queues before their turns, because sources may be slow. */
export class ReadAhead<T> {
  /** Number of queues that are being read. */
  loading = 0;
  #openSources = 0;
  readonly #items: number;
  readonly #onItem: (queue: Queue<T>) => void;
  readonly #onEnd: (queue: Queue<T>) => void;
  readonly #onError: (error: unknown) => void;

  /**
   * @param items number of items that are read ahead for each queue
   * @param onItem called after each item
   * @param onEnd called after the last item of a load
   */
  constructor(
    items: number,
    onItem: (queue: Queue<T>) => void,
    onEnd: (queue: Queue<T>) => void,
    onError: (error: unknown) => void,
  ) {
    this.#items = items;
    this.#onItem = onItem;
    this.#onEnd = onEnd;
    this.#onError = onError;
  }

  /** Whether there are sources that are not read to their end. */
  get isOpen(): boolean {
    return this.#openSources > 0;
  }

  add(queue: Queue<T>, source: AsyncIterator<T>): void {
    queue.sources.push(source);
    this.#openSources++;
  }

  /** Whether more items of a queue should be read. */
  wants(queue: Queue<T>): boolean {
    return queue.items.length < this.#items && queue.sources.length > 0;
  }

  /**
   * Reads items of a queue until it has enough, or its sources end.
   * @param isHalted returns true if reading must end
   */
  async load(queue: Queue<T>, isHalted: () => boolean): Promise<void> {
    if (queue.loading) return;
    queue.loading = true;
    this.loading++;
    try {
      while (!isHalted() && this.wants(queue)) {
        const next = await queue.sources[0]!.next();
        if (next.done) {
          queue.sources.shift();
          this.#openSources--;
        } else {
          queue.items.push(next.value);
          this.#onItem(queue);
        }
      }
    } catch (error) {
      this.#onError(error);
    }
    queue.loading = false;
    this.loading--;
    this.#onEnd(queue);
  }

  /** Drops the items of a queue and closes its sources. Errors of the sources are ignored. */
  async empty(queue: Queue<T>): Promise<void> {
    queue.items.length = 0;
    const sources = queue.sources.splice(0);
    this.#openSources -= sources.length;
    await Promise.allSettled(sources.map(async (source) => source.return?.()));
  }
}
