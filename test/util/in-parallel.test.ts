import { describe, expect, it } from 'vitest';
import { inParallel } from '../../packages/util/index.js';

async function* later<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

describe.each([
  ['items', (items: readonly number[]) => items],
  ['items that come later', later<number>],
])('inParallel over %s', (_, given) => {
  it('runs some at a time, started in order', async () => {
    const begun: number[] = [];
    let atOnce = 0;
    let most = 0;
    await inParallel(given([1, 2, 3, 4, 5]), 2, async (item) => {
      begun.push(item);
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
    });
    expect([begun, most, atOnce]).toEqual([[1, 2, 3, 4, 5], 2, 0]);
  });

  it('starts none after a failure, and throws it when none runs any more', async () => {
    const ended: number[] = [];
    let begin = (): void => {};
    const secondBegins = new Promise<void>((resolve) => (begin = resolve));
    const run = inParallel(given([1, 2, 3, 4]), 2, async (item) => {
      if (item === 1) {
        await secondBegins;
        throw new Error('first');
      }
      begin();
      await new Promise((resolve) => setImmediate(resolve));
      ended.push(item);
    });
    await expect(run).rejects.toThrow('first');
    expect(ended).toEqual([2]);
  });
});
