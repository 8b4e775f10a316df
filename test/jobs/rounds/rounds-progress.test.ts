import { expect, it } from 'vitest';
import { createRoundsProgress } from '../../../packages/jobs/rounds/rounds-progress.js';

it('adds up what batches reported last, also of those that are through', () => {
  const progress = createRoundsProgress();
  const report = (batchId: string, done: number, errors: Record<string, number> = {}) => {
    progress.add({ job: 'fetch', batchId, done, total: 9, counters: { fetched: done, ...errors }, errors });
    return progress.sum();
  };
  report('a', 1);
  expect(report('a', 2, { dns: 1 })).toEqual({
    done: 2,
    bytes: 0,
    counters: { dns: 1, fetched: 2 },
    errors: { dns: 1 },
  });
  expect(report('b', 1, { dns: 1 })).toEqual({
    done: 3,
    bytes: 0,
    counters: { dns: 2, fetched: 3 },
    errors: { dns: 2 },
  });
  progress.end('a');
  progress.end('c');
  expect(report('b', 3)).toEqual({ done: 5, bytes: 0, counters: { dns: 1, fetched: 5 }, errors: { dns: 1 } });
});
