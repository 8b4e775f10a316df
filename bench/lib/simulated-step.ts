import { openTables, slotsOfShard } from '../../webtable/index.js';
import { SimulatedTime } from './simulated-time.js';
import { VersionedMeta } from './versioned-meta.js';

/** The parameters of a simulation. */
export interface StepPlan {
  readonly slots: number;
  readonly workers: number;
  /** The share of workers that die, half of them before they note anything, half before they poll. */
  readonly dying: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** The results of a simulation. */
export interface StepLoad {
  /** Simulated time until every worker was done. */
  readonly seconds: number;
  /** Number of noted slots. */
  readonly held: number;
  /** Seconds until a worker knew that all slots are done. */
  readonly untilAll: number;
  /** Number of calls in a second. */
  readonly calls: number;
  readonly compared: number;
  readonly read: number;
}

const BATCH = 'b-1';
/** Milliseconds in which the workers finish. */
const ENDS_WITHIN = 60_000;
/** Milliseconds until a dead worker is noticed, and another one gets its leases. */
const AGAIN_AFTER = 40_000;
const STEP_MS = 2;

/**
 * Simulates the end of a step of a batch, with the real code of batches: each worker notes that its slots are done, and checks whether all
 * are, so that the last one continues.
 * @throws Error when no worker learns it, or one learns it too early
 */
export async function simulateStep({ slots: count, workers, dying, random }: StepPlan): Promise<StepLoad> {
  const time = new SimulatedTime();
  const store = new VersionedMeta();
  const far = store.seenFrom(time, { sleep: () => Promise.resolve() }, () => 2 + random() ** 4 * 200);
  const { batches, slots } = await whileTimePasses(time, openTables(far, { slots: count }));
  const began = time.now;
  const before = { ...store.load };
  const through = new Set<string>();
  let left = workers;
  let knownAt: number | undefined;

  async function work(index: number, dies: 'before' | 'between' | undefined): Promise<void> {
    const again = (): void => void time.after(AGAIN_AFTER + random() * 10_000, () => void work(index, undefined));
    if (dies === 'before') return again();
    const own = slotsOfShard(slots, { index, count: workers });
    for (const slot of own) through.add(slot);
    await batches.changeProgress(BATCH, own, (found) => (found?.linked ? undefined : { ...found, linked: true }));
    if (dies === 'between') return again();
    if (await batches.everyProgress(BATCH, ({ linked }) => linked === true, own[0])) {
      if (through.size < count) throw new Error(`expected ${count} slots to be through, found ${through.size}`);
      knownAt ??= time.now;
    }
    left -= 1;
  }
  for (let index = 0; index < workers; index++) {
    const dies = random() < dying ? (random() < 0.5 ? 'before' : 'between') : undefined;
    time.after(random() * ENDS_WITHIN, () => void work(index, dies));
  }
  // Some of the awaited work takes turns of the event loop. The clock should advance only a little during them.
  while (left > 0) await time.runUntil(time.now + STEP_MS);

  if (knownAt === undefined) throw new Error('expected a worker to know that all slots are through, found none');
  const seconds = (time.now - began) / 1000;
  return {
    seconds,
    held: through.size,
    untilAll: (knownAt - began) / 1000,
    calls: (store.load.calls - before.calls) / seconds,
    compared: (store.load.compared - before.compared) / seconds,
    read: (store.load.rowsRead - before.rowsRead) / seconds,
  };
}

/** The value of a promise that needs the clock to advance. */
async function whileTimePasses<T>(time: SimulatedTime, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const end = (): void => void (isSettled = true);
  promise.then(end, end);
  while (!isSettled) await time.runUntil(time.now + STEP_MS);
  return promise;
}
