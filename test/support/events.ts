/** The timer of the platform, even if a test has replaced it. */
const wait = globalThis.setTimeout;

/** Waits until a condition is true: it checks after some turns of the event loop, then every 3 ms. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await condition()); looks++) {
    await new Promise((goOn) => (looks < 100 ? setImmediate(goOn) : wait(goOn, 3)));
  }
}

/** Waits for n turns of the event loop. Only for work that needs no timer and no file; for background work use `until`. */
export async function turns(count = 50): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}
