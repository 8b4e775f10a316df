import { expect, it } from 'vitest';
import { tryParseUrl } from '../../packages/url/index.js';

it('parses text that is relative to a base, and is undefined for what is none', () => {
  expect(tryParseUrl('b?c', 'https://example.com/a/')?.href).toBe('https://example.com/a/b?c');
  expect(tryParseUrl('b?c')).toBeUndefined();
  expect(tryParseUrl('http://[')).toBeUndefined();
});

it('takes letters like é however often it was called', () => {
  let refused = 0;
  for (let i = 0; i < 20_000; i++) if (!tryParseUrl('https://É.example')) refused += 1;
  expect(refused).toBe(0);
});
