import { describe, expect, it } from 'vitest';
import { createOneByOne } from '../../packages/util/index.js';

describe('createOneByOne', () => {
  it('begins a task when the one before has ended, well or not, and passes on each result', async () => {
    const oneByOne = createOneByOne();
    const log: string[] = [];
    const task = (name: string) => async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
      if (name === 'a') throw new Error(name);
      return name;
    };
    const outcomes = await Promise.allSettled([oneByOne(task('a')), oneByOne(task('b'))]);
    expect(outcomes).toMatchObject([{ status: 'rejected', reason: { message: 'a' } }, { value: 'b' }]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });
});
