import { expect, it } from 'vitest';
import { createRoundsProgress } from '../../packages/jobs/rounds-progress.js';

it('adds up what batches told last, also of those that are through', () => {
  const progress = createRoundsProgress();
  const tell = (batchId: string, done: number, total?: number) =>
    progress.tell({ job: 'fetch', batchId, done, ...(total !== undefined && { total }), counters: { fetched: done } });
  tell('a', 1, 5);
  expect(tell('a', 2, 5)).toEqual({ done: 2, total: 5, counters: { fetched: 2 } });
  expect(tell('b', 1)).toEqual({ done: 3, total: 6, counters: { fetched: 3 } });
  progress.end('a');
  progress.end('c');
  expect(tell('b', 3, 4)).toEqual({ done: 5, total: 9, counters: { fetched: 5 } });
});
