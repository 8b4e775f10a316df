import { describe, expect, it } from 'vitest';
import { suffixUrlFilter } from '../../packages/plugins/index.js';

const verdict = (text: string, url: string) => suffixUrlFilter(text).filterUrl!(url, 'outlink');

describe('suffixUrlFilter', () => {
  it.each([
    ['+', 'http://a.com/x.gif', 'suffix .gif'],
    ['+', 'http://a.com/x.GIF', true],
    ['+', 'http://a.com/x.gif?y', true],
    ['+', 'http://a.com/x?y=.gif', 'suffix .gif'],
    ['+', 'http://a.com/', true],
    ['+I', 'http://a.com/x.GIF', 'suffix .gif'],
    ['+P', 'http://a.com/x.gif?y', 'suffix .gif'],
    ['+P', 'http://a.com/x?y=.gif', true],
    ['+P', 'http://a.gif/', true],
    ['+PI', 'http://a.com/x.Gif?y', 'suffix .gif'],
    ['+IP', 'http://a.com/x.Gif?y', 'suffix .gif'],
    ['-', 'http://a.com/x.gif', true],
    ['-', 'http://a.com/x.png', 'no suffix matches'],
    ['-I', 'http://a.com/x.TAR.GZ', true],
    ['-PI', 'http://a.com/x.GIF?y', true],
    ['-P', 'http://a.com/x?y=.gif', 'no suffix matches'],
  ])('mode %s on %s: %s', (mode, url, expected) => {
    expect(verdict(`# comment\n.gif\n${mode}\n.Tar.gz \n`, url)).toBe(expected);
  });

  it('accepts a URL that is shorter than a suffix', () => {
    expect(verdict(`+\n${'x'.repeat(500)}`, 'http://a.com/x')).toBe(true);
  });

  it('does nothing without suffixes', () => {
    expect(verdict('+', 'http://a.com/')).toBe(true);
    expect(verdict('-', 'http://a.com/')).toBe('no suffix matches');
  });

  it('requires exactly one mode', () => {
    for (const text of ['', '.gif', '# +']) {
      expect(() => suffixUrlFilter(text)).toThrow(
        expect.objectContaining({
          code: 'BAD_SETTING',
          message: 'suffix URL filter: a line with the mode, + or -, is expected',
        }),
      );
    }
  });

  it('lists every invalid line', () => {
    expect(() => suffixUrlFilter('+\n-I\n+.gif\n+II\na b')).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: [
          'suffix URL filter: line 2: the mode is expected only once, found "-I"',
          'line 3: the mode is + or - with P, I or both; suffixes have no sign, found "+.gif"',
          'line 4: the mode is + or - with P, I or both; suffixes have no sign, found "+II"',
          'line 5: a suffix is printable ASCII without white space, found "a b"',
        ].join('; '),
      }),
    );
  });
});
