import { expect, it } from 'vitest';
import { processMark, processOf } from '../../packages/util/index.js';
import { marksOfGone } from '../support/process-marks.js';

it('knows whether a process is the one that left a mark', async () => {
  const own = await processMark();
  expect(own).toMatch(/^\d+(\.\w+){3}$/);
  expect(await processOf(own)).toBe('running');
  for (const mark of await marksOfGone()) expect(await processOf(mark), mark).toBe('gone');
  for (const mark of ['', '7.1.a.other', `${own}.x`]) expect(await processOf(mark), mark).toBe('unknown');
});
