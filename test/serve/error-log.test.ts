import { expect, it } from 'vitest';
import { createErrorLog } from '../../packages/serve/serve-pages.js';

it('reports the same failure once a minute, and continues if the log fails', () => {
  let time = 0;
  const reported: unknown[] = [];
  const log = createErrorLog(
    (error) => {
      reported.push(error);
      throw new Error('no room');
    },
    () => time,
  );
  const one = new Error('one');
  for (let i = 0; i < 5; i += 1) log(one);
  log('two');
  expect(reported).toEqual([one, 'two']);
  time = 61_000;
  log(one);
  expect(reported).toEqual([one, 'two', one]);
  for (let i = 0; i < 1000; i += 1) log(`error ${i}`);
  expect(reported).toHaveLength(1003);
});
