import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { deadline } from '../../packages/util/waiting/deadline.js';

const never = new Promise<string>(() => undefined);

it('gives the result of the promise, and leaves no timer and no listener', async () => {
  const clear = vi.spyOn(globalThis, 'clearTimeout');
  const { signal } = new AbortController();
  expect(await deadline(Promise.resolve('in time'), 60_000, () => 'late', signal)).toBe('in time');
  await expect(deadline(Promise.reject(new Error('no')), 60_000, () => 'late', signal)).rejects.toThrow('no');
  expect(clear).toHaveBeenCalledTimes(2);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  clear.mockRestore();
});

it('states what ended the wait, and returns what the callback makes of it', async () => {
  const stop = new AbortController();
  const aborted = deadline(never, Infinity, (why) => why, stop.signal);
  stop.abort();
  expect(await aborted).toBe('abort');
  expect(await deadline(never, 60_000, (why) => why, AbortSignal.abort())).toBe('abort');
  expect(await deadline(never, 0, (why) => why)).toBe('time');
  const late = (): never => {
    throw new Error('too late');
  };
  await expect(deadline(never, 0, late)).rejects.toThrow('too late');
});

it('waits as long as a timer can if the limit is longer', async () => {
  vi.useFakeTimers();
  try {
    const why = deadline(never, 1e12, (why) => why);
    expect(await Promise.race([why, Promise.resolve('waiting')])).toBe('waiting');
    await vi.advanceTimersByTimeAsync(2_147_483_647);
    expect(await why).toBe('time');
  } finally {
    vi.useRealTimers();
  }
});
