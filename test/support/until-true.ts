import { setTimeout as wait } from 'node:timers/promises';

/** Looks again and again until something holds. @throws Error after five minutes */
export async function untilTrue(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 300_000; !(await holds()); await wait(20)) {
    if (Date.now() > end) throw new Error('it did not come to hold');
  }
}
