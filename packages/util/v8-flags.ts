import v8 from 'node:v8';

/** Above this, memory matters more than time. */
const LARGE_HEAP_BYTES = 256 * 1024 * 1024;
const HEAP_CHECK_MS = 1000;

/**
 * Sets how V8 collects garbage and compiles, for a process that crawls: it allocates much memory and soon needs most of it no longer. All
 * threads share the flags.
 *
 * By default, V8 lets a heap grow to about four times the used size before it collects. Here it may grow to twice the used size, and to 1.2
 * times once the heap has been large. The benchmark `memory` checks a limit for the command.
 *
 * By default, V8 begins to mark when the free space is as small as the young generation. V8 adds the bytes of bodies to the used space,
 * although bodies are outside the heap. They would fill the free space about once a second. Therefore marking begins when 80 % of the space
 * is used. In a large heap, marking begins as by default.
 * @param engine only tests replace it
 */
export function setV8Flags(engine: Pick<typeof v8, 'setFlagsFromString' | 'getHeapStatistics'> = v8): void {
  const set = (growth: number, softTrigger: number, hardTrigger: number): void => {
    engine.setFlagsFromString(`--heap-growing-percent=${growth}`);
    engine.setFlagsFromString(`--incremental-marking-soft-trigger=${softTrigger}`);
    engine.setFlagsFromString(`--incremental-marking-hard-trigger=${hardTrigger}`);
  };
  set(100, 80, 95);
  const timer = setInterval(() => {
    if (engine.getHeapStatistics().total_heap_size < LARGE_HEAP_BYTES) return;
    clearInterval(timer);
    set(20, 0, 0);
  }, HEAP_CHECK_MS).unref();
  // V8 11, in Node 20, has no middle tier of optimised code, and spends a third of a short crawl on compiling. So here V8 waits eight times
  // as long before it optimises a function. Later versions do not need this.
  if (process.versions.v8.startsWith('11.')) engine.setFlagsFromString('--interrupt-budget=540672');
}
