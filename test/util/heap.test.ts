import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createHeap, type HeapItem } from '../../packages/util/index.js';
import { fuzzed } from '../support/runs.js';

interface Item extends HeapItem {
  value: number;
}

it('returns the first of its items after any puts, moves and removals', () => {
  const step = fc.record({
    do: fc.constantFrom('put', 'move', 'remove', 'first'),
    item: fc.nat(19),
    value: fc.integer({ min: 0, max: 30 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = createHeap<Item>((a, b) => a.value < b.value);
      const items: Item[] = Array.from({ length: 20 }, (_, value) => ({ value, at: -1 }));
      const inside = new Set<Item>();
      for (const { do: what, item: index, value } of steps) {
        const item = items[index]!;
        if (what === 'remove') {
          heap.remove(item);
          inside.delete(item);
        } else if (what === 'first' && heap.first) {
          inside.delete(heap.first);
          heap.remove(heap.first);
        } else if (what === 'put' || (what === 'move' && inside.has(item))) {
          item.value = value;
          heap.put(item);
          inside.add(item);
        }
        expect(heap.first?.value).toBe(
          inside.size === 0 ? undefined : Math.min(...[...inside].map((one) => one.value)),
        );
        expect(items.filter(({ at }) => at >= 0)).toEqual(items.filter((one) => inside.has(one)));
      }
    }),
    fuzzed(20_240_801, 500),
  );
});
