import { describe, expect, it } from 'vitest';
import { flushIn } from '../../packages/jobs/rounds/flush-time.js';

const BUSY = { size: 300, age: 0, left: 5000, threads: 50, isIdle: false };

describe('pages that are fetched wait for updatedb', () => {
  it.each([
    ['as long as there are none', { ...BUSY, size: 0, left: 0 }, Infinity],
    ['two seconds while the fetcher has enough to do', BUSY, 2000],
    ['less by as long as they have waited', { ...BUSY, age: 1500 }, 500],
    ['half a second while it could do more', { ...BUSY, isIdle: true }, 500],
    ['hardly at all when it runs dry', { ...BUSY, left: 200 }, 50],
    ['no less for pages of slow hosts than these are', { ...BUSY, size: 10, left: 11, isIdle: true }, 500],
    ['not when they are a thousand', { ...BUSY, size: 1000 }, 0],
    ['not when nothing is left to fetch', { ...BUSY, size: 1, left: 0 }, 0],
  ])('%s', (_, state, wait) => {
    expect(flushIn(state)).toBe(wait);
  });
});
