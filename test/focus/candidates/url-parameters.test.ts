import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patternOf } from '../../../packages/focus/candidates/url-parameters.js';
import { isLinear } from '../../../packages/patterns/pattern-cost.js';
import { parsePattern } from '../../../packages/patterns/pattern-tree.js';
import { compilePattern } from '../../../packages/patterns/index.js';
import { keyOfParameter, parameterKeysOf, parametersOf } from '../../../packages/url/index.js';
import { fuzzed } from '../../support/runs.js';
import { words } from '../../support/files/words.js';

const given = (path: string): string[] =>
  parametersOf(path).map(({ place, name, value, rest }) => `${place} ${name} ${value} ${rest}`);

describe('parameters of a URL', () => {
  test('are found in the query and in the path, with the URL without them', () => {
    expect(given('/')).toEqual([]);
    expect(given('/a?')).toEqual([]);
    expect(given('/a?x=1&y=2')).toEqual(['query x 1 /a?y=2', 'query y 2 /a?x=1']);
    expect(given('/a?x=1')).toEqual(['query x 1 /a']);
    expect(given('/a?x=1;y;z=')).toEqual(['query x 1 /a?y;z=', 'query y  /a?x=1;z=', 'query z  /a?x=1;y']);
    expect(given('/a?x=1&x=2&y=b=c?d')).toEqual(['query x 1 /a?y=b=c?d', 'query y b=c?d /a?x=1&x=2']);
    expect(given('/a?=1&&x')).toEqual(['query x  /a?=1&']);
    expect(given('/a?f%5B0%5D=1&f%5b1%5d=2&f=3')).toEqual([
      'brackets f 1 /a?f=3',
      'query f 3 /a?f%5B0%5D=1&f%5b1%5d=2',
    ]);
    expect(given('/a;s=1/b;t;s=3?x=;y')).toEqual([
      'path s 1 /a/b;t;s=3?x=;y',
      'path t  /a;s=1/b;s=3?x=;y',
      'query x  /a;s=1/b;t;s=3?y',
      'query y  /a;s=1/b;t;s=3?x=',
    ]);
  });

  test('have a maximum number and a maximum length of the name', () => {
    const path = `/a?${Array.from({ length: 1000 }, (_, i) => `p${i}=${i}`).join('&')}&${'n'.repeat(101)}=1`;
    expect(parametersOf(path)).toHaveLength(16);
    expect(parameterKeysOf(path).size).toBe(1000);
  });

  test('have patterns that match the URLs with them, and no others', () => {
    const pattern = compilePattern(patternOf({ place: 'query', name: 'sort' }));
    const yes = ['?sort=up', '?a=1&sort', '?a;sort=', '?sort&x', '?x=y?z&sort=1'];
    const no = words`?xsort=up ?sortby=1 ?a=sort ?a=?sort=1 ;sort=1 /sort=1 &sort=1 ?Sort=1 ?sort%5B0%5D=1`;
    for (const end of yes) expect(pattern.test(`http://a.example/list${end}`), end).toBe(true);
    for (const end of no) expect(pattern.test(`http://a.example/list${end}`), end).toBe(false);
  });

  test('have patterns that the engine of the platform runs in linear time', () => {
    for (const place of ['query', 'brackets', 'path'] as const) {
      expect(isLinear(parsePattern(patternOf({ place, name: 'a.b+c$' }))), place).toBe(true);
    }
  });

  const names = fc.constantFrom('a', 'b', 'ab', 'a%5B0%5D', 'a%5B1%5D', '', 'a.b', '%5B', 'x'.repeat(120));
  const pieces = fc.tuple(names, fc.constantFrom('', '=', '=1', '=a', '=a=b', '=?a'), fc.constantFrom('&', ';'));
  const paths = fc
    .tuple(
      fc.array(fc.constantFrom('a', ';a', ';a=1', '/', '&a', 'b;;', '/a;b=2'), { maxLength: 4 }),
      fc.option(fc.array(pieces, { maxLength: 5 })),
    )
    .map(([path, query]) => `/${path.join('')}${query ? `?${query.map((piece) => piece.join('')).join('')}` : ''}`);

  test('match their own patterns in any URL; patterns of other parameters do not match, and none matches the URL without it', () => {
    fc.assert(
      fc.property(paths, paths, (path, other) => {
        const keys = parameterKeysOf(path);
        const all = parametersOf(path);
        expect(all.map(keyOfParameter).every((key) => keys.has(key))).toBe(true);
        for (const each of [...all, ...parametersOf(other)]) {
          const pattern = compilePattern(patternOf(each));
          expect(pattern.test(`http://a.example${path}`), patternOf(each)).toBe(keys.has(keyOfParameter(each)));
        }
        for (const each of all) {
          if (each.place !== 'path') expect(parameterKeysOf(each.rest).has(keyOfParameter(each))).toBe(false);
        }
      }),
      fuzzed(20_261_122, 3_000),
    );
  });
});
