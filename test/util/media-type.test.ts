import { expect, it } from 'vitest';
import { headerValues, mediaTypeOf } from '../../packages/util/index.js';

it.each([
  ['text/html', 'text/html'],
  [' Text/HTML ; charset=utf-8', 'text/html'],
  ['application/xhtml+xml;q=1', 'application/xhtml+xml'],
  ["x-a!#$%&'*+.^_`|~/b", "x-a!#$%&'*+.^_`|~/b"],
  ['text/html, text/plain', undefined],
  ['text', undefined],
  ['te xt/html', undefined],
  ['*/*', undefined],
  ['', undefined],
])('media type of %j', (value, expected) => {
  expect(mediaTypeOf(value)).toBe(expected);
});

it.each([
  ['a, b ,c', ['a', 'b', 'c']],
  [',,a,', ['a']],
  ['a="x,\\",y", b', ['a="x,\\",y"', 'b']],
  ['a="x, b', ['a="x, b']],
  ['', []],
])('values of %j', (header, expected) => {
  expect(headerValues(header)).toEqual(expected);
});
