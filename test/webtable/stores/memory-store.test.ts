import { expect, it } from 'vitest';
import { MemoryStore } from '../../../webtable/index.js';
import { bytes, getPlain } from '../../support/stores/plain-rows.js';

it('keeps its own copy of its input', async () => {
  const store = new MemoryStore();
  const value = bytes('before');
  await store.write('webpage', [{ key: 'a', put: new Map([['m:st', value]]) }]);
  value.fill(0);
  expect(await getPlain(store, ['a'], ['m'])).toEqual([{ key: 'a', cells: [['m:st', 'before']] }]);
});
