import v8 from 'node:v8';

/** Bytes of the main thread's heap beyond which it grows more slowly. */
const LARGE_HEAP = 192 * 1024 * 1024;
/** Milliseconds. */
const LOOK_EVERY = 1000;

/**
 * Sets how V8 collects and compiles, for a process that crawls: it makes much and keeps little of it.
 *
 * V8 lets a heap grow to about four times what is in use before it collects; here to twice as much, and once it is large, for
 * good to one and a half times as much. The benchmark `memory` holds the command to a bound.
 * @param engine only tests need another
 */
export function setV8Flags(engine: Pick<typeof v8, 'setFlagsFromString' | 'getHeapStatistics'> = v8): void {
  engine.setFlagsFromString('--heap-growing-percent=100');
  const timer = setInterval(() => {
    if (engine.getHeapStatistics().total_heap_size < LARGE_HEAP) return;
    clearInterval(timer);
    engine.setFlagsFromString('--heap-growing-percent=50');
  }, LOOK_EVERY).unref();
  // V8 11, that of Node 20, has no middle tier of optimised code, and spends a third of a short crawl on compiling; so it waits
  // eight times as long here before it optimises a function. Later versions need nothing.
  if (process.versions.v8.startsWith('11.')) engine.setFlagsFromString('--interrupt-budget=540672');
}
