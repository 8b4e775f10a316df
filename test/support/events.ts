/** The timer of the platform, even if a test has replaced it. */
const wait = globalThis.setTimeout;

/**
 * Waits until a condition is true: it checks after some turns of the event loop, then every 3 ms. After a check that takes long, as a search
 * does, it waits for four times as long, so that what the condition waits for gets most of the processor.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; ; looks++) {
    const began = performance.now();
    if (await condition()) return;
    const ms = performance.now() - began;
    await new Promise((goOn) => (looks < 100 && ms < 1 ? setImmediate(goOn) : wait(goOn, Math.max(3, 4 * ms))));
  }
}

/** Waits for n turns of the event loop. Only for work that needs no timer and no file; for background work use `until`. */
export async function turns(count = 50): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}
