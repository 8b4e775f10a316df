import { isBefore } from '../../core/index.js';

export interface Candidate {
  readonly rowKey: string;
  readonly score: number;
  readonly queue: string;
}

export interface RoundBounds {
  readonly rounds: number;
  readonly topN: number;
  /** Maximum number of pages of a queue in a round. */
  readonly maxCount: number;
}

const SLACK = 10_000;

/**
 * Selects the pages of the rounds from all added candidates. It stores about twice as many candidates as the rounds can select, and drops
 * the rest from time to time. A dropped candidate cannot be selected later, because better candidates have filled the rounds.
 * @param slack number of further candidates to store
 */
export function createCandidates<C extends Candidate>(bounds: RoundBounds, slack = SLACK) {
  let kept: C[] = [];
  let next = slack;
  return {
    add(candidate: C): void {
      if (kept.push(candidate) < next) return;
      kept = roundsOf(kept, bounds).flat();
      next = 2 * kept.length + slack;
    },
    rounds: (): C[][] => roundsOf(kept, bounds),
  };
}

function roundsOf<C extends Candidate>(candidates: readonly C[], { rounds, topN, maxCount }: RoundBounds): C[][] {
  const found: C[][] = [];
  let rest = candidates.toSorted(order);
  while (found.length < rounds && rest.length > 0) {
    const ofQueue = new Map<string, number>();
    const taken: C[] = [];
    const left: C[] = [];
    for (const candidate of rest) {
      const n = ofQueue.get(candidate.queue) ?? 0;
      const isTaken = taken.length < topN && n < maxCount;
      if (isTaken) ofQueue.set(candidate.queue, n + 1);
      (isTaken ? taken : left).push(candidate);
    }
    found.push(taken);
    rest = left;
  }
  return found;
}

const order = (a: Candidate, b: Candidate): number => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0);
