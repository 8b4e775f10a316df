import { expect, it } from 'vitest';
import { createRoundsProgress } from '../../packages/jobs/rounds/rounds-progress.js';

it('adds up what batches told last, also of those that are through', () => {
  const progress = createRoundsProgress();
  const tell = (batchId: string, done: number, errors: Record<string, number> = {}) => {
    progress.tell({ job: 'fetch', batchId, done, total: 9, counters: { fetched: done, ...errors }, errors });
    return progress.sum();
  };
  tell('a', 1);
  expect(tell('a', 2, { dns: 1 })).toEqual({ done: 2, counters: { dns: 1, fetched: 2 }, errors: { dns: 1 } });
  expect(tell('b', 1, { dns: 1 })).toEqual({ done: 3, counters: { dns: 2, fetched: 3 }, errors: { dns: 2 } });
  progress.end('a');
  progress.end('c');
  expect(tell('b', 3)).toEqual({ done: 5, counters: { dns: 1, fetched: 5 }, errors: { dns: 1 } });
});
