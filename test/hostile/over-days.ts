import { html, links, status } from './web/answers.js';
import { GOOD, UNSEEN, all, range, type Behaviour } from './behaviour.js';

/** Hosts with this number of labels below the first. */
function hosts(depth: number): string[] {
  const names = range(0, 2 ** depth - 1, (bits) =>
    range(0, depth - 1, (at) => ((bits >> at) & 1 ? 'a.' : 'b.')).join(''),
  );
  return names.map((name) => `${name}hosts-without-end.test/`);
}

/**
 * Behaviours that show only over days, and hosts that lead to hosts. They are crawled three times, every second day;
 * `db.fetchRetryMax` is 3.
 */
export const overDays: readonly Behaviour[] = [
  {
    name: 'status-500-once-then-fine',
    answer: ({ path, time }) =>
      path === '/' ? links('/flaky', '/sound') : path === '/flaky' && time === 1 ? status('500 Error') : html('fine'),
    ends: { '/': GOOD, '/flaky': GOOD, '/sound': GOOD },
  },
  {
    name: 'never-comes-back',
    answer: ({ path }) => (path === '/' ? links('/lost') : status('503 Unavailable', { 'Retry-After': '1' })),
    ends: { '/': GOOD, '/lost': 'gone unavailable' },
    holds: { '/lost': { retries: 3 } },
  },
  {
    name: 'robots-that-come-back',
    robots: ({ time }) => status(time === 1 ? '500 Error' : '404 Not Found'),
    answer: () => html('there'),
    ends: { '/': GOOD },
  },
  {
    name: 'robots-that-never-come-back',
    robots: () => status('500 Error'),
    ends: { '/': UNSEEN },
    good: UNSEEN,
    requests: 4,
  },
  {
    name: 'hosts-without-end',
    answer: ({ host, at }) => links(at(`a.${host}`), at(`b.${host}`)),
    ends: {
      '/': GOOD,
      ...all(GOOD, ...range(1, 3, hosts).flat()),
      ...all(UNSEEN, ...hosts(4)),
    },
    requests: 2 * 15 + 1,
  },
];
