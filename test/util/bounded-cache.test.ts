import { expect, it } from 'vitest';
import { createBoundedCache } from '../../packages/util/bounded-cache.js';

it('forgets what was not used for longest', () => {
  const cache = createBoundedCache<number>(10);
  cache.set('a', 1, 4);
  cache.set('b', 2, 4);
  cache.get('a');
  cache.set('c', 3, 4);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
  cache.set('d', 4, 9);
  expect(['a', 'c', 'd'].map((key) => cache.get(key))).toEqual([undefined, undefined, 4]);
});

it('counts a value set again once, and keeps none that is too heavy', () => {
  const cache = createBoundedCache<number>(10);
  cache.set('a', 1, 6);
  cache.set('b', 2, 4);
  cache.set('a', 3, 6);
  expect([cache.get('a'), cache.get('b')]).toEqual([3, 2]);
  cache.set('c', 4, 11);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined]);
});

it('forgets one that is deleted, and lists the others, the least recently used first', () => {
  const cache = createBoundedCache<number>(3);
  for (const [i, key] of ['a', 'b', 'c'].entries()) cache.set(key, i);
  cache.get('a');
  cache.delete('b');
  cache.set('d', 3);
  expect(cache.entries()).toEqual([
    ['c', 2],
    ['a', 0],
    ['d', 3],
  ]);
});
