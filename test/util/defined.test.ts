import { expect, test } from 'vitest';
import { defined } from '../../packages/util/index.js';

test('leaves out undefined values, and nothing else', () => {
  const none: number | undefined = undefined;
  expect(Object.entries(defined({ none, zero: 0, no: false, empty: '', nothing: null }))).toEqual([
    ['zero', 0],
    ['no', false],
    ['empty', ''],
    ['nothing', null],
  ]);
});
