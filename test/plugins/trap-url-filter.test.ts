import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trapUrlFilter, type TrapLimits } from '../../packages/plugins/index.js';
import { words } from '../support/files/words.js';

const NONE: TrapLimits = { maxLength: -1, maxRepeats: -1, maxParameters: -1, maxDepth: -1 };
const verdict = (limits: Partial<TrapLimits>, url: string) =>
  trapUrlFilter({ ...NONE, ...limits }).filterUrl!(url, 'outlink');

describe('trapUrlFilter: repeats', () => {
  const REJECTED = 'repeats: the same segments more than 2 times in a row';

  it.each(words`
    /a/a/a/ /x/a/a/a/y /a//a///a/ /a/b/a/b/a/b/ /a/x/a/y/a/ /x/y/a/b/a/c/a/z.html /a/b/c/a/b/c/a/b/c/
    /s/a/b/c/d/a/b/c/d/a/b/c/d/ /h.com/h.com/ /1/x/1/y/1/ /0/0/0/0/0/ /a/a/a/?q /x?path=/a/a/a/
  `)('rejects %s', (path) => {
    expect(verdict({ maxRepeats: 2 }, `http://h.com${path}`)).toBe(REJECTED);
  });

  it.each(words`
    / /2024/01/01/ /2001/01/01/01/ /en/docs/en/ /en/docs/en/docs/ /a/a/ /a/a/a /a/a/b/a/ /a/b/a/b/a
    /a/b/c/a/b/c/a/b/x/ /a/x/y/a/z/w/a/ /h.com/ /a/A/a/ /tiles/0/0/0/0.png /?a=1&a=1&a=1&a=1 /a-a-a-a/
  `)('accepts %s', (path) => {
    expect(verdict({ maxRepeats: 2 }, `http://h.com${path}`)).toBe(true);
  });

  it('uses other limits', () => {
    expect(verdict({ maxRepeats: 1 }, 'http://h/a/b/')).toBe(true);
    expect(verdict({ maxRepeats: 1 }, 'http://h/a/a/')).toBe('repeats: the same segments more than 1 times in a row');
    expect(verdict({ maxRepeats: 3 }, 'http://h/a/a/a/')).toBe(true);
    expect(verdict({ maxRepeats: 3 }, 'http://h/a/a/a/a/')).toMatch(/^repeats: .* 3 times/);
    expect(verdict({ maxRepeats: -1 }, `http://h${'/a'.repeat(100)}/`)).toBe(true);
  });

  it('rejects every block of up to 32 segments that occurs three times in a row, and only there', () => {
    for (let length = 1; length <= 32; length++) {
      const block = Array.from({ length }, (_, i) => `s${i}/`).join('');
      expect(verdict({ maxRepeats: 2 }, `http://h/${block.repeat(3)}`), `${length}`).toBe(REJECTED);
      expect(verdict({ maxRepeats: 2 }, `http://h/${block.repeat(2)}`), `${length}`).toBe(true);
    }
  });

  it('gives the same result as a check of every start and length', () => {
    const slow = (segments: string[]) => {
      const same = (indexes: number[]) =>
        new Set(indexes.map((i) => segments[i])).size === 1 && indexes.at(-1)! < segments.length;
      for (let start = 0; start < segments.length; start++) {
        if (same([start, start + 2, start + 4])) return true;
        for (let length = 1; start + 3 * length <= segments.length; length++) {
          const block = (n: number) => segments.slice(start + n * length, start + (n + 1) * length).join('/');
          const digits = length === 1 && /^\d+$/.test(segments[start]!);
          if (!digits && block(0) === block(1) && block(1) === block(2)) return true;
        }
      }
      return false;
    };
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', '1'), { minLength: 1, maxLength: 16 }), (segments) => {
        const expected = slow(['h', ...segments]) ? REJECTED : true;
        expect(verdict({ maxRepeats: 2 }, `http://h/${segments.join('/')}/file`)).toBe(expected);
      }),
      { seed: 2, numRuns: 5000 },
    );
  });

  it('does limited work if nothing else is limited', () => {
    const long = Array.from({ length: 50_000 }, (_, i) => `s${i % 40}`).join('/');
    expect(verdict({ maxRepeats: 2 }, `http://h/${long}/`)).toBe(true);
  });
});

describe('trapUrlFilter: the other limits', () => {
  it.each([
    [{ maxLength: 20 }, 'http://a.com/1234567', true],
    [{ maxLength: 20 }, 'http://a.com/12345678', 'length: more than 20 characters'],
    [{ maxDepth: 2 }, 'http://a.com/a/b', true],
    [{ maxDepth: 2 }, 'http://a.com/a/b/', true],
    [{ maxDepth: 2 }, 'http://a.com//a///b//', true],
    [{ maxDepth: 2 }, 'http://a.com/a/b?c/d/e', true],
    [{ maxDepth: 2 }, 'http://a.com/a/b/c', 'depth: more than 2 path segments'],
    [{ maxDepth: 0 }, 'http://a.com/', true],
    [{ maxDepth: 0 }, 'http://a.com/a', 'depth: more than 0 path segments'],
    [{ maxParameters: 2 }, 'http://a.com/?a=1&b=2', true],
    [{ maxParameters: 2 }, 'http://a.com/?a=1&&b=2&', true],
    [{ maxParameters: 2 }, 'http://a.com/a&b&c&d', true],
    [{ maxParameters: 2 }, 'http://a.com/?a&b&c', 'parameters: more than 2 in the query'],
    [{ maxParameters: 0 }, 'http://a.com/?', true],
    [{ maxParameters: 0 }, 'http://a.com/?a', 'parameters: more than 0 in the query'],
  ])('%j on %s', (limits, url, expected) => {
    expect(verdict(limits, url)).toBe(expected);
  });

  it('are off at -1', () => {
    expect(verdict({}, `http://a.com${'/a'.repeat(9000)}?${'a=1&'.repeat(9000)}`)).toBe(true);
  });

  it('lists every invalid setting', () => {
    const wrong = { maxLength: -2, maxRepeats: 0, maxParameters: 1.5, maxDepth: NaN };
    expect(() => trapUrlFilter(wrong)).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message:
          'URL trap filter: expected whole numbers from -1 on, and a maxRepeats other than 0; ' +
          'maxLength is -2; maxRepeats is 0; maxParameters is 1.5; maxDepth is NaN',
      }),
    );
  });
});
