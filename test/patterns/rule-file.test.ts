import { describe, expect, it } from 'vitest';
import { BadRule, readRules } from '../../packages/patterns/rule-file.js';

describe('readRules', () => {
  it('numbers lines from 1 and skips comments and blank lines', () => {
    expect(readRules('test', '\ufeff# one\r\na\r\n\r\n \t\n#b\nc', (line) => line)).toEqual([
      { line: 2, rule: 'a' },
      { line: 6, rule: 'c' },
    ]);
    expect(readRules('test', '', (line) => line)).toEqual([]);
  });

  it('lists every invalid line, escaped', () => {
    const read = (line: string) => {
      if (line.includes('x')) throw new BadRule('no x is expected');
    };
    expect(() => readRules('test rules', 'a\nx1\nb\n\u001bx2', read)).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: 'test rules: line 2: no x is expected, found "x1"; line 4: no x is expected, found "\\u001bx2"',
      }),
    );
  });

  it('hides no other error', () => {
    const read = () => {
      throw new TypeError('a bug');
    };
    expect(() => readRules('test', 'a', read)).toThrow(TypeError);
  });
});
