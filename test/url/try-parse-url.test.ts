import { expect, it } from 'vitest';
import { tryParseUrl } from '../../packages/url/index.js';

it('parses text relative to a base, and returns undefined for an invalid URL', () => {
  expect(tryParseUrl('b?c', 'https://example.com/a/')?.href).toBe('https://example.com/a/b?c');
  expect(tryParseUrl('b?c')).toBeUndefined();
  expect(tryParseUrl('http://[')).toBeUndefined();
});

it('accepts letters like é at every call', () => {
  let refused = 0;
  for (let i = 0; i < 20_000; i++) if (!tryParseUrl('https://É.example')) refused += 1;
  expect(refused).toBe(0);
});
