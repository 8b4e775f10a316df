import { expect, it } from 'vitest';
import { createBoundedCache } from '../../packages/util/bounded-cache.js';
import { randomNumbers } from '../support/web/fake-web.js';

it('drops the least recently used value', () => {
  const cache = createBoundedCache<number>(10);
  cache.set('a', 1, 4);
  cache.set('b', 2, 4);
  cache.get('a');
  cache.set('c', 3, 4);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
  cache.set('d', 4, 9);
  expect(['a', 'c', 'd'].map((key) => cache.get(key))).toEqual([undefined, undefined, 4]);
});

it('counts a value once when it is set again, and does not store one that is too heavy', () => {
  const cache = createBoundedCache<number>(10);
  cache.set('a', 1, 6);
  cache.set('b', 2, 4);
  cache.set('a', 3, 6);
  expect([cache.get('a'), cache.get('b')]).toEqual([3, 2]);
  cache.set('c', 4, 11);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined]);
});

it('drops a deleted value, and lists the others, the least recently used first', () => {
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

it('has the same content as a plain list of the last used values, at any step: 50 seeds', () => {
  for (let seed = 0; seed < 50; seed++) {
    const random = randomNumbers(seed);
    const pick = (below: number): number => Math.floor(random() * below);
    const cache = createBoundedCache<number>(20);
    let plain: { key: string; value: number; weight: number }[] = [];
    for (let step = 0; step < 200; step++) {
      const key = `k${pick(8)}`;
      const found = plain.find((each) => each.key === key);
      const others = plain.filter((each) => each.key !== key);
      const what = pick(4);
      if (what === 0) {
        cache.delete(key);
        plain = others;
      } else if (what === 1) {
        expect(cache.get(key)).toBe(found?.value);
        if (found) plain = [...others, found];
      } else {
        const weight = 1 + pick(22);
        cache.set(key, step, weight);
        plain = [...others, { key, value: step, weight }];
        while (plain.reduce((sum, each) => sum + each.weight, 0) > 20) plain.shift();
      }
      expect(cache.entries(), `seed ${seed}, step ${step}`).toEqual(plain.map((each) => [each.key, each.value]));
    }
  }
});
