import { expect, it } from 'vitest';
import { createCandidates, type Candidate } from '../../packages/hosts/plan/plan.js';
import { randomNumbers } from '../support/web/fake-web.js';

/** Selects round by round from all remaining candidates. */
function plainly(all: readonly Candidate[], rounds: number, topN: number, maxCount: number): string[][] {
  let rest = all.toSorted((a, b) => b.score - a.score || (a.rowKey < b.rowKey ? -1 : 1));
  const found: string[][] = [];
  for (let round = 0; round < rounds && rest.length > 0; round++) {
    const taken: Candidate[] = [];
    for (const candidate of rest) {
      const ofQueue = taken.filter(({ queue }) => queue === candidate.queue).length;
      if (taken.length < topN && ofQueue < maxCount) taken.push(candidate);
    }
    found.push(taken.map(({ rowKey }) => rowKey));
    rest = rest.filter((candidate) => !taken.includes(candidate));
  }
  return found;
}

it('keeps what the rounds take, in any order and with any limits', () => {
  const random = randomNumbers(7);
  const below = (n: number): number => Math.floor(random() * n);
  for (let run = 0; run < 400; run++) {
    const [queues, rounds] = [1 + below(6), 1 + below(4)];
    const topN = [Infinity, 1 + below(12)][below(2)]!;
    const maxCount = [Infinity, 1 + below(5)][below(2)]!;
    const all = Array.from({ length: below(60) }, (_, i): Candidate => {
      return { rowKey: `r${i}`, score: below(8), queue: `q${below(queues)}` };
    });
    const candidates = createCandidates({ rounds, topN, maxCount }, 3);
    for (const candidate of all) candidates.add(candidate);
    const found = candidates.rounds().map((pages) => pages.map(({ rowKey }) => rowKey));
    expect(found).toEqual(plainly(all, rounds, topN, maxCount));
  }
});
