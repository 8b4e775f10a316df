import { expect, it } from 'vitest';
import { readAhead } from '../../packages/util/index.js';

/** Yields 1, 2, 3 and records each call; fails in place of one of them if given. */
async function* numbers(notes: string[], failsAt?: number): AsyncGenerator<number> {
  try {
    for (let i = 1; i <= 3; i++) {
      notes.push(`asked for ${i}`);
      await Promise.resolve();
      if (i === failsAt) throw new Error('no more');
      yield i;
    }
  } finally {
    notes.push('closed');
  }
}

it('yields the same values in order, and reads the next one before it yields one', async () => {
  const notes: string[] = [];
  for await (const value of readAhead(numbers(notes))) notes.push(`given ${value}`);
  expect(notes).toEqual(['asked for 1', 'asked for 2', 'given 1', 'asked for 3', 'given 2', 'closed', 'given 3']);
});

it('closes its source when the reader stops', async () => {
  const notes: string[] = [];
  for await (const value of readAhead(numbers(notes))) {
    notes.push(`given ${value}`);
    break;
  }
  expect(notes).toEqual(['asked for 1', 'asked for 2', 'given 1', 'closed']);
});

it('throws an error of its source after all values before it, and not earlier', async () => {
  const given: number[] = [];
  const reading = (async () => {
    for await (const value of readAhead(numbers([], 2))) {
      given.push(value);
      // The source has failed by now, and no call waits for it yet.
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await expect(reading).rejects.toThrow('no more');
  expect(given).toEqual([1]);
});
