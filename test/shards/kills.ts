import { setTimeout as wait } from 'node:timers/promises';
import type { HBaseCluster } from '../../bench/lib/hbase-cluster.js';
import type { RoundsProcess } from './rounds-process.js';

/**
 * Kills something with `kill -9`, and ends when it is there again, where it has to be. Of what is not there yet it waits for one.
 * @param note called when it is killed, with the number of processes
 */
export type Victim = (note: (count: number) => void) => Promise<void>;

/** When something is killed: after so many requests to the web, or when this step of a round is begun. */
export type Kill<Name extends string> =
  | { readonly victim: Name; readonly after: number }
  | { readonly victim: Name; readonly step: 'generate' | 'updatedb'; readonly round: number };

/** What was killed. */
export interface Killed {
  readonly victim: string;
  /** By the clock of the access log, in ms. */
  readonly at: number;
  /** Processes. */
  readonly count: number;
}

/** Kills as planned. */
export interface Killer {
  readonly killed: readonly Killed[];
  /** What was planned, and has not come to pass. */
  readonly left: readonly unknown[];
  /** A request to the web has arrived, the so many-th. */
  onRequest(count: number): void;
  /** The driver has said something. */
  onLine(line: string): void;
  /** Waits until all that was begun is through. @throws what failed */
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

  function killAll(found: readonly Kill<Name>[]): void {
    for (const each of found) {
      left.splice(left.indexOf(each), 1);
      const { victim } = each;
      const task = victims[victim]((count) => void killed.push({ victim, at: now(), count }));
      underWay.add(task.catch((error: unknown) => void (failure ??= error)));
    }
  }

  return {
    killed,
    left,
    onRequest: (count) => killAll(left.filter((each) => 'after' in each && count >= each.after).slice(0, 1)),
    onLine(line) {
      const [, round = '', step = ''] = /^round (\d+): (\w+)/.exec(line) ?? [];
      killAll(left.filter((each) => 'step' in each && each.step === step && each.round === Number(round)));
    },
    async settle() {
      await Promise.all(underWay);
      if (failure !== undefined) throw failure as Error;
    },
  };
}

/** Parts of HBase, each of which is started again before the next one is killed. */
export function hbaseParts<Name extends string>(
  cluster: HBaseCluster,
  names: readonly Name[],
): Readonly<Record<Name, Victim>> {
  /** The part that was killed last is there again. */
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

/** As many as run of some processes, at most so many. */
export function someOf(find: () => Promise<readonly number[]>, most: number): Victim {
  return async (note) => {
    for (let count = 0; count === 0;) {
      count = (await atWork(find)).slice(0, most).filter(isKilled).length;
      if (count > 0) note(count);
    }
  };
}

/** The driver that runs. */
export function theDriver(find: () => RoundsProcess | undefined): Victim {
  return (note) => {
    find()?.kill('SIGKILL');
    note(1);
    return Promise.resolve();
  };
}

/** What is found, soon after it has begun. @throws Error when nothing is for 10 minutes */
export async function atWork<T>(find: () => Promise<readonly T[]>): Promise<readonly T[]> {
  // Of a step that has just begun no worker may be there yet, nor have done anything.
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
