import { expect, it, vi } from 'vitest';
import { MemoryStore, openTables, rowKeyOf } from '../../../packages/webcrawl/internal.js';

it('the sizes of inboxes are counted up to a limit, with no read for each empty inbox', async () => {
  const store = new MemoryStore();
  const { inboxes, slots } = await openTables(store, { slots: 64 });
  const hosts = ['a.com', 'b.com', 'c.com', 'd.com', 'e.com'];
  const counts = new Map<string, number>();
  for (const [i, host] of hosts.entries()) {
    for (let n = 0; n <= i; n++) {
      const rowKey = rowKeyOf(`http://${host}/${n}`);
      await inboxes.put([{ rowKey, source: { run: '1-1', slot: '00', part: '0' }, value: {} }]);
      const slot = slots.ofRow(rowKey);
      counts.set(slot, (counts.get(slot) ?? 0) + 1);
    }
  }
  const scan = vi.spyOn(store, 'scan');
  for (const limit of [1, 2, 3, 1000]) {
    const expected = new Map([...counts].map(([slot, count]) => [slot, Math.min(count, limit)]));
    expect(await inboxes.sizes(slots.all, limit)).toEqual(expected);
  }
  scan.mockClear();
  await inboxes.sizes(slots.all, 1);
  expect(scan).toHaveBeenCalledTimes(counts.size + 1);
  const [slot, count] = [...counts][0]!;
  expect(await inboxes.sizes([slot], 1000)).toEqual(new Map([[slot, count]]));
});
