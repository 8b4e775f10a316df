import { setTimeout as wait } from 'node:timers/promises';
import type { HBaseCluster } from '../../bench/lib/hbase-cluster.js';
import type { RoundsProcess } from './rounds-process.js';

/** What is killed with `kill -9`; `workers` are as many of them as run, up to three. */
export type Victim = 'workers' | 'driver' | 'gw1' | 'gw2' | 'rs1' | 'rs2';

/** When something is killed: after so many requests to the web, or when this step of a round is begun. */
export type Kill =
  | { readonly victim: Victim; readonly after: number }
  | { readonly victim: Victim; readonly step: 'generate' | 'updatedb'; readonly round: number };

/** What was killed. */
export interface Killed {
  readonly victim: Victim;
  /** By the clock of the access log, in ms. */
  readonly at: number;
  /** Processes. */
  readonly count: number;
}

/** Kills as planned, one after the other. A part of HBase is started again before the next one is killed. */
export function createKiller(cluster: HBaseCluster, plan: readonly Kill[], now: () => number) {
  const left = [...plan];
  const killed: Killed[] = [];
  let driver: RoundsProcess | undefined;
  /** The part of HBase that was killed last is there again. */
  let repaired: Promise<void> = Promise.resolve();
  let failure: unknown;
  const underWay = new Set<Promise<void>>();

  async function kill(victim: Victim): Promise<void> {
    if (victim === 'driver') {
      driver?.kill('SIGKILL');
      killed.push({ victim, at: now(), count: 1 });
    } else if (victim === 'workers') {
      // Of a step that has just begun none may be there yet, nor have done anything.
      for (let tries = 0; tries < 600; tries++) {
        await wait(100);
        const workers = (await driver?.workers()) ?? [];
        if (workers.length === 0) continue;
        await wait(400);
        const pids = workers.slice(0, 3).map(({ pid }) => pid);
        const count = pids.filter(isKilled).length;
        if (count === 0) continue;
        killed.push({ victim, at: now(), count });
        return;
      }
    } else {
      const before = repaired;
      repaired = before.then(async () => {
        await cluster.kill(victim);
        killed.push({ victim, at: now(), count: 1 });
        await cluster.restart(victim);
      });
      await repaired;
    }
  }

  function killAll(found: readonly Kill[]): void {
    for (const each of found) {
      left.splice(left.indexOf(each), 1);
      const task = kill(each.victim).catch((error: unknown) => (failure ??= error));
      underWay.add(task as Promise<void>);
    }
  }

  return {
    killed,
    /** What was planned, and has not come to pass. */
    get left(): readonly Kill[] {
      return left;
    },
    /** The driver that is to be killed, and of whom the workers are. */
    watch(process: RoundsProcess): void {
      driver = process;
    },
    onRequest: (count: number): void =>
      killAll(left.filter((each) => 'after' in each && count >= each.after).slice(0, 1)),
    onLine(line: string): void {
      const [, round = '', step = ''] = /^round (\d+): (\w+)/.exec(line) ?? [];
      killAll(left.filter((each) => 'step' in each && each.step === step && each.round === Number(round)));
    },
    /** Waits until all that was begun is through. @throws what failed */
    async settle(): Promise<void> {
      await Promise.all(underWay);
      if (failure !== undefined) throw failure as Error;
    },
  };
}

function isKilled(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
