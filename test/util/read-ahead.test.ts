import { expect, it } from 'vitest';
import { readAhead } from '../../packages/util/index.js';

/** Gives 1, 2, 3 and notes what is asked of it; fails in place of one of them, where that is given. */
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

it('gives the same values in order, and asks for the next one before it gives one', async () => {
  const notes: string[] = [];
  for await (const value of readAhead(numbers(notes))) notes.push(`given ${value}`);
  expect(notes).toEqual(['asked for 1', 'asked for 2', 'given 1', 'asked for 3', 'given 2', 'closed', 'given 3']);
});

it('closes what it reads when the reader stops', async () => {
  const notes: string[] = [];
  for await (const value of readAhead(numbers(notes))) {
    notes.push(`given ${value}`);
    break;
  }
  expect(notes).toEqual(['asked for 1', 'asked for 2', 'given 1', 'closed']);
});

it('fails where what it reads fails, after all values before that, and not earlier', async () => {
  const given: number[] = [];
  const reading = (async () => {
    for await (const value of readAhead(numbers([], 2))) {
      given.push(value);
      // The failure is there by now, and nobody waits for it yet.
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await expect(reading).rejects.toThrow('no more');
  expect(given).toEqual([1]);
});
