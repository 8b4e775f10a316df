/** Waits until something holds, looking once a turn of the event loop: no time is too short, or wasted. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(setImmediate);
}

/** Lets everybody do what needs no time: so many turns of the event loop. */
export async function turns(count = 50): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}
