import { expect, test } from 'vitest';
import { statusText } from '../../../bin/commands/inspect/status.js';
import type { CrawlStatus } from '../../../packages/webcrawl/internal.js';

const STATUS = {
  now: 1_700_000_000_000,
  jobs: [],
  due: { count: 3, more: false, at: 0 },
  batches: [],
  totals: {},
  since: 0,
  memory: { resident: 1, heap: 1 },
};

const linesOf = (more: Partial<CrawlStatus>): string[] =>
  statusText({ ...STATUS, ...more })
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}/, ': '));

test('a status shows the size of the index, and how far it lags', () => {
  const index = { documents: 1234, bytes: 1, changedAt: STATUS.now - 90_000 };
  const lines = linesOf({ index, batchesToIndex: 2 });
  expect(lines).toContain('search index: 1,234 pages, changed 1 min 30 s ago');
  expect(lines).toContain('batches to index: 2');
  expect(linesOf({ batchesToIndex: 0 }).join()).not.toContain('index');
});

test('a status says why the index cannot be used', () => {
  const lines = linesOf({ indexProblem: { code: 'WRONG_INDEX', hint: 'name another' } });
  expect(lines).toContain('search index: cannot be used: WRONG_INDEX; name another');
});

test('a status shows the pages that a running crawl still has to fetch', () => {
  const job = { job: 'crawl', done: 52, total: 500, toGo: 448, counters: {}, errors: {} };
  const lines = linesOf({ jobs: [job], due: { ...STATUS.due, count: 0 } });
  expect(lines.slice(3, 6)).toEqual(['elapsed: 0.0 s', 'done: 52 of 500', 'to go: 448']);
});
