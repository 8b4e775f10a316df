import v8 from 'node:v8';

/** Bytes of the main thread's heap beyond which memory counts more than time. */
const LARGE_HEAP = 256 * 1024 * 1024;
/** Milliseconds. */
const LOOK_EVERY = 1000;

/**
 * Sets how V8 collects and compiles, for a process that crawls: it makes much and keeps little of it. All threads share the flags.
 *
 * V8 lets a heap grow to about four times what is in use before it collects; here to twice as much, and for good to 1.2
 * times as much once it is large. The benchmark `memory` holds the command to a bound.
 *
 * V8 begins to mark when the room that is left is no larger than the young generation. Bodies, which lie outside of the heap and
 * count, fill that about once a second, so here it begins when 80 % of the room are used; early again in a large heap.
 * @param engine only tests need another
 */
export function setV8Flags(engine: Pick<typeof v8, 'setFlagsFromString' | 'getHeapStatistics'> = v8): void {
  const set = (growth: number, softTrigger: number, hardTrigger: number): void => {
    engine.setFlagsFromString(`--heap-growing-percent=${growth}`);
    engine.setFlagsFromString(`--incremental-marking-soft-trigger=${softTrigger}`);
    engine.setFlagsFromString(`--incremental-marking-hard-trigger=${hardTrigger}`);
  };
  set(100, 80, 95);
  const timer = setInterval(() => {
    if (engine.getHeapStatistics().total_heap_size < LARGE_HEAP) return;
    clearInterval(timer);
    set(20, 0, 0);
  }, LOOK_EVERY).unref();
  // V8 11, that of Node 20, has no middle tier of optimised code, and spends a third of a short crawl on compiling; so it waits
  // eight times as long here before it optimises a function. Later versions need nothing.
  if (process.versions.v8.startsWith('11.')) engine.setFlagsFromString('--interrupt-budget=540672');
}
