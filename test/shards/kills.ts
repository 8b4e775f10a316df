import { setTimeout as wait } from 'node:timers/promises';
import type { HBaseCluster } from '../../bench/lib/hbase-cluster.js';

/**
 * Kills something with `kill -9`, and returns when it runs again, if it must be restarted. If nothing is running yet, waits for
 * it.
 * @param note called at the kill, with the number of processes
 */
export type Victim = (note: (count: number) => void) => Promise<void>;

/** What is killed after this number of requests to the web. */
export interface Kill<Name extends string> {
  readonly victim: Name;
  readonly after: number;
}

/** A kill that was done. */
export interface Killed {
  readonly victim: string;
  /** The time by the clock of the access log, in ms. */
  readonly at: number;
  /** The number of processes. */
  readonly count: number;
}

/** Does the planned kills. */
export interface Killer {
  readonly killed: readonly Killed[];
  /** Planned kills that were not done yet. */
  readonly left: readonly unknown[];
  /** Called for each request to the web, with the number of all requests so far. */
  onRequest(count: number): void;
  /** Waits until all begun kills are done. @throws the error of a kill that failed */
  settle(): Promise<void>;
}

/** @param now the clock of the access log */
export function createKiller<Name extends string>(
  victims: Readonly<Record<Name, Victim>>,
  plan: readonly Kill<Name>[],
  now: () => number,
): Killer {
  const left = [...plan];
  const killed: Killed[] = [];
  const underWay = new Set<Promise<void>>();
  let failure: unknown;

  return {
    killed,
    left,
    onRequest(count) {
      const at = left.findIndex(({ after }) => count >= after);
      if (at < 0) return;
      const [{ victim }] = left.splice(at, 1) as [Kill<Name>];
      const task = victims[victim]((count) => void killed.push({ victim, at: now(), count }));
      underWay.add(task.catch((error: unknown) => void (failure ??= error)));
    },
    async settle() {
      await Promise.all(underWay);
      if (failure !== undefined) throw failure as Error;
    },
  };
}

/** The parts of HBase. Each is restarted before the next one is killed. */
export function hbaseParts<Name extends string>(
  cluster: HBaseCluster,
  names: readonly Name[],
): Readonly<Record<Name, Victim>> {
  /** Resolves when the part that was killed last runs again. */
  let repaired: Promise<void> = Promise.resolve();
  const victim =
    (name: Name): Victim =>
    (note) =>
      (repaired = repaired.then(async () => {
        await cluster.kill(name);
        note(1);
        await cluster.restart(name);
      }));
  return Object.fromEntries(names.map((name) => [name, victim(name)])) as Record<Name, Victim>;
}

/** The running processes of a kind, but at most `most`. */
export function someOf(find: () => Promise<readonly number[]>, most: number): Victim {
  return async (note) => {
    for (let count = 0; count === 0;) {
      count = (await atWork(find)).slice(0, most).filter(isKilled).length;
      if (count > 0) note(count);
    }
  };
}

/** Waits until `find` finds something, and then a moment. @throws Error if it finds nothing for 10 minutes */
export async function atWork<T>(find: () => Promise<readonly T[]>): Promise<readonly T[]> {
  // A worker that has just started may not have done anything.
  for (let tries = 0; tries < 6000; tries++) {
    await wait(100);
    const found = await find();
    if (found.length === 0) continue;
    await wait(400);
    return found;
  }
  throw new Error('expected something that can be killed, found nothing in 10 minutes');
}

function isKilled(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
