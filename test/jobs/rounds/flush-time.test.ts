import { describe, expect, it } from 'vitest';
import { flushIn } from '../../../packages/jobs/rounds/flush-time.js';

const BUSY = { size: 300, age: 0, left: 5000, threads: 50, isIdle: false };

describe('pages that are fetched wait for updatedb', () => {
  it.each([
    ['as long as there are none', { ...BUSY, size: 0, left: 0 }, Infinity],
    ['a minute while the fetcher has enough to do', BUSY, 60_000],
    ['less by as long as they have waited', { ...BUSY, age: 59_500 }, 500],
    ['ten seconds while it could do more', { ...BUSY, isIdle: true }, 10_000],
    ['hardly at all when it runs dry', { ...BUSY, left: 200 }, 50],
    ['no less for pages of slow hosts than these are', { ...BUSY, size: 10, left: 11, isIdle: true }, 10_000],
    ['not when they are twenty thousand', { ...BUSY, size: 20_000 }, 0],
    ['not when nothing is left to fetch', { ...BUSY, size: 1, left: 0 }, 0],
  ])('%s', (_, state, wait) => {
    expect(flushIn(state)).toBe(wait);
  });
});
