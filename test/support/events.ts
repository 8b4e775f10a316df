/** The timer of the platform, also where a test has put a stand-in for it. */
const wait = globalThis.setTimeout;

/** Waits until something holds: looks at some turns of the event loop one after another, then every 3 ms. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await condition()); looks++) {
    await new Promise((goOn) => (looks < 100 ? setImmediate(goOn) : wait(goOn, 3)));
  }
}

/** Lets n turns of the event loop pass. Only for what needs no time and no file: what works in the background is waited for with `until`. */
export async function turns(count = 50): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}
