/**
 * Decides which of several waiting processes continues, by random numbers only: the same numbers give the same history. Each strategy finds
 * other faults: any step at random; one process before another, with few changes (a fault of few steps is found with a probability that
 * does not shrink with the length of the history); single steps that are delayed for long; and processes that die.
 */
export interface HostileTurns {
  /** A process. The returned function waits before each step. */
  process(): () => Promise<void>;
  /**
   * Runs processes until each has ended or died.
   * @param look called between any two steps
   */
  run(processes: readonly Promise<unknown>[], look?: () => Promise<void>): Promise<void>;
}

interface Waiting {
  readonly process: number;
  readonly goOn: () => void;
  /** If steps are delayed one by one, the greatest weight continues first. */
  readonly weight: number;
}

const WAYS = ['any', 'processes', 'steps'] as const;
/** Number of steps in which the order of processes changes. */
const USUAL_STEPS = 300;

/** @param random from 0 to 1 */
export function createHostileTurns(random: () => number, { deaths = 0 } = {}): HostileTurns {
  const pick = (n: number): number => Math.floor(random() * n);
  const way = WAYS[pick(WAYS.length)]!;
  const waiting: Waiting[] = [];
  const order: number[] = [];
  const dead = new Set<number>();
  const changes = new Set(Array.from({ length: 1 + pick(4) }, () => pick(USUAL_STEPS)));
  const deathAt = random() < deaths ? pick(USUAL_STEPS) : -1;
  let wake = (): void => {};

  function next(): number {
    if (way === 'any') return pick(waiting.length);
    const rank = ({ process, weight }: Waiting): number => (way === 'steps' ? weight : order[process]!);
    return waiting.reduce((best, each, i) => (rank(each) > rank(waiting[best]!) ? i : best), 0);
  }

  return {
    process() {
      const process = order.length;
      order.push(random());
      return () =>
        new Promise((goOn) => {
          if (!dead.has(process)) waiting.push({ process, goOn, weight: random() });
          wake();
        });
    },
    async run(processes, look = async () => {}) {
      let left = processes.length;
      const ended = (): void => {
        left -= 1;
        wake();
      };
      const ends = processes.map((each) => each.then(ended, ended));
      for (let step = 0; left > dead.size; step++) {
        // Everything that can continue without a turn does so first.
        await new Promise(setImmediate);
        // All wait for timers.
        while (waiting.length === 0 && left > dead.size) await new Promise<void>((resolve) => (wake = resolve));
        if (waiting.length === 0) break;
        await look();
        const at = next();
        const { process, goOn } = waiting[at]!;
        if (changes.has(step)) order[process] = -step;
        if (step === deathAt && order.length > 1) {
          dead.add(process);
          for (let i = waiting.length; i-- > 0;) if (waiting[i]!.process === process) waiting.splice(i, 1);
          continue;
        }
        waiting.splice(at, 1);
        goOn();
      }
      if (dead.size === 0) await Promise.all(ends);
      // The first failure, if there is one.
      await Promise.all(processes.filter((_, i) => !dead.has(i)));
    },
  };
}
