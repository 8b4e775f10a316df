import { describe, expect, it } from 'vitest';
import { createHostFailures } from '../../../packages/jobs/changes/host-failures.js';
import type { LoggedState, Status } from '../../../webtable/index.js';

const PAGE: LoggedState = { stands: 'page' };

/** The hosts found broken after adding rows, each given as `[host, status, logged, number of rows]`. */
function broken(...rows: [host: string, status: Status, logged: LoggedState | undefined, n: number, queue?: string][]) {
  const failures = createHostFailures('1-1');
  for (const [host, status, logged, n, queue = host] of rows) {
    for (let i = 0; i < n; i++) {
      const row = { key: `com.${host}:http/${i}`, status, fetchedAt: 1, marks: { generate: '1-1', fetch: '1-1' } };
      failures.add({ ...row, ...(logged && { logged }) }, queue);
    }
  }
  return failures.items().map((item) => (item.kind === 'host' ? [item.host, item.found] : []));
}

describe('hosts that look broken', () => {
  it('are those where at least five pages, and more than a fifth, begin to fail', () => {
    expect(broken(['a', 'fetched', PAGE, 20], ['a', 'gone', PAGE, 5])).toEqual([]);
    expect(broken(['a', 'fetched', PAGE, 19], ['a', 'gone', PAGE, 5])).toEqual([
      ['com.a', { failing: 5, requested: 24 }],
    ]);
    expect(broken(['a', 'retry', PAGE, 4])).toEqual([]);
    expect(broken(['a', 'retry', PAGE, 5])).toEqual([['com.a', { failing: 5, requested: 5 }]]);
  });

  it('do not include hosts whose pages never worked or had failed before', () => {
    expect(broken(['a', 'gone', undefined, 9], ['b', 'gone', {}, 9])).toEqual([]);
    expect(broken(['a', 'gone', { ...PAGE, failing: { since: 1, logged: 'no' } }, 9])).toEqual([]);
  });

  it('are counted by host, also if one queue has several hosts', () => {
    expect(broken(['a', 'gone', PAGE, 5, 'q'], ['b', 'fetched', PAGE, 90, 'q'], ['c', 'gone', PAGE, 6, 'r'])).toEqual([
      ['com.a', { failing: 5, requested: 5 }],
      ['com.c', { failing: 6, requested: 6 }],
    ]);
  });
});
