import { describe, expect, test } from 'vitest';
import type { IndexHit } from '../../../packages/index/index.js';
import { foldHits } from '../../../packages/search/results/fold-hits.js';

const hit = (key: string, simhash = ''): IndexHit => ({
  key,
  simhash,
  title: '',
  score: 1,
  language: 'en',
  fetchedAt: 0,
  modifiedAt: 0,
  rank: 0,
});
const shown = (hits: readonly IndexHit[], enough: number) =>
  foldHits(hits, enough).map(({ hit: { key }, alike, moreFromHost }) => [key, alike, moreFromHost]);

describe('hits', () => {
  test('with nearly the same text are folded behind the best', () => {
    const hits = [
      hit('a:https/1', 'ffffffffffffffff'),
      hit('b:https/1', '0000000000000000'),
      hit('c:https/1', 'fffffffffffffff8'),
      hit('d:https/1', 'fffffffffffffff0'),
      hit('e:https/1'),
      hit('f:https/1'),
    ];
    expect(shown(hits, 1)).toEqual([
      ['a:https/1', 1, 0],
      ['b:https/1', 0, 0],
      ['d:https/1', 0, 0],
      ['e:https/1', 0, 0],
      ['f:https/1', 0, 0],
    ]);
  });

  test('of a host beyond two are folded behind its second', () => {
    const hits = [
      hit('a:https/1'),
      hit('a:https/2'),
      hit('b:https/1'),
      hit('a:http/3'),
      hit('a.x:https/1'),
      hit('a:https:8443/4'),
    ];
    expect(shown(hits, 4)).toEqual([
      ['a:https/1', 0, 0],
      ['a:https/2', 0, 2],
      ['b:https/1', 0, 0],
      ['a.x:https/1', 0, 0],
    ]);
  });

  test('of a host are not folded if too few would be left', () => {
    const hits = [hit('a:https/1'), hit('a:https/2'), hit('a:https/3')];
    expect(shown(hits, 3)).toHaveLength(3);
    expect(shown(hits, 2)).toHaveLength(2);
  });
});
