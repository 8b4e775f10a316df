import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pause, pauseAfter, spread } from '../../packages/util/index.js';

describe('pauseAfter', () => {
  it('doubles with each failure, up to the maximum', () => {
    const pauses = { first: 2, most: 30 };
    expect([1, 2, 3, 4, 5, 6, 5000].map((failures) => pauseAfter(failures, pauses))).toEqual([2, 4, 8, 16, 30, 30, 30]);
    expect(pauseAfter(5000, { first: 0, most: 30 })).toBe(0);
  });
});

describe('spread', () => {
  it('returns between half of a wait and all of it', () => {
    const random = vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(1);
    expect([spread(100), spread(100)]).toEqual([50, 100]);
    random.mockRestore();
  });
});

describe('pause', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ends after its time, or with the signal, and leaves no timer', async () => {
    const stop = new AbortController();
    const ended: string[] = [];
    const pauses = [
      pause(1000).then(() => ended.push('time')),
      pause(5000, stop.signal).then(() => ended.push('signal')),
    ];
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['time']);
    stop.abort();
    await Promise.all(pauses);
    expect(vi.getTimerCount()).toBe(0);
  });
});
