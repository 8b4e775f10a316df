import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLineFinder } from '../../../packages/audit/facts/link-facts.js';

const linesOf = (page: string, ...values: string[]): number[] => {
  const find = createLineFinder(Buffer.from(page));
  return values.map((value) => find(value));
};

describe('the line of a value', () => {
  it.each([
    ['<a href="/a">\n<a href=\'/b\'>\n<a href=/c>', ['/a', '/b', '/c'], [1, 2, 3]],
    ['\n<a href="/a?b&amp;c">\n<a href="/a?b&c">', ['/a?b&c', '/a?b&c'], [2, 3]],
    ['/a /a\n<a href="/a">', ['/a'], [2]],
    ['<a href="/&#97;">\n<a href="/b">', ['/a', '/b'], [0, 2]],
    ['<a href="/a">\n<a href="/a">', ['/a', '/a'], [1, 2]],
    ['<a href="/a#x">\n<a href="/a">', ['/a'], [2]],
    ['<a href="/ä">\n\n<a href="/é">', ['/ä', '/é'], [1, 3]],
  ] as const)('%j', (page, values, lines) => {
    expect(linesOf(page, ...values)).toEqual(lines);
  });

  it.each([
    ['values that stand everywhere in the text', `${'"a?b"\'a?b\''.repeat(100_000)}`, 'a?b&c'],
    ['values without a delimiter', 'a'.repeat(1_000_000), 'a'],
    ['values that are not there', 'x'.repeat(1_000_000), '/y'],
  ])('is looked for in work that the page bounds: %s', (_, text, value) => {
    const content = Buffer.from(text);
    const search = vi.spyOn(content.constructor.prototype as Buffer, 'indexOf');
    onTestFinished(() => search.mockRestore());
    const find = createLineFinder(content);
    for (let i = 0; i < 30_000; i++) find(value);
    const searched = search.mock.calls.reduce((sum, [, from = 0], i) => {
      const found = search.mock.results[i]!.value as number;
      return sum + (found === -1 ? content.length : found + 1) - Number(from);
    }, 0);
    expect(searched).toBeGreaterThan(0);
    expect(searched).toBeLessThanOrEqual(12 * content.length);
  });
});
