import { describe, expect, it } from 'vitest';
import { applyUrlChain } from '../../packages/plugin-api/index.js';
import { regexUrlFilter, regexUrlNormalizer } from '../../packages/plugins/index.js';

const verdict = (rules: string, url: string) => regexUrlFilter(rules).filterUrl!(url, 'outlink');

describe('regexUrlFilter', () => {
  const rules = ['# comment', '', '+/keep/', '-(?i)\\.gif$ ', '-[?]bad', '+^http://a\\.com/', '-.'].join('\n');

  it.each([
    ['http://a.com/', true],
    ['http://b.com/keep/x.gif', true],
    ['http://a.com/x.GIF', 'line 4: -(?i)\\.gif$'],
    ['http://a.com/?bad', 'line 5: -[?]bad'],
    ['http://b.com/', 'line 7: -.'],
  ])('the first line that is found decides on %s', (url, expected) => {
    expect(verdict(rules, url)).toBe(expected);
  });

  it('gives the same verdict every time', () => {
    const filter = regexUrlFilter('-a\n+.');
    for (let i = 0; i < 3; i++) expect(filter.filterUrl!('http://aaa/', 'inject')).toBe('line 1: -a');
  });

  it('rejects where no line is found', () => {
    expect(verdict('-x\n+y', 'http://a.com/')).toBe('no line matches');
    expect(verdict('', 'http://a.com/')).toBe('no line matches');
  });

  it('shows no URL of unbounded length to a pattern', () => {
    expect(verdict('+.', `http://a.com/${'x'.repeat(8192)}`)).toBe('longer than 8192 characters');
    expect(verdict('+.', `http://a.com/${'x'.repeat(8000)}`)).toBe(true);
  });

  it('lists every wrong line', () => {
    expect(() => regexUrlFilter('+.\nx\n +y\n-(\n-\n> host a')).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message:
          'regex URL filter: line 2: a line starts with +, - or #, found "x"; line 3: a line starts with +, - or #, found " +y"; ' +
          'line 4: the pattern is wrong (Unterminated group), found "-("; line 5: a pattern is expected, found "-"; ' +
          'line 6: a line starts with +, - or #, found "> host a"',
      }),
    );
  });

  it('rejects a URL that makes a pattern run for long, and goes on', () => {
    const slow = '(?=(a+)+$)b';
    const long = `http://a.com/${'a'.repeat(50)}!`;
    for (const plugin of [regexUrlFilter(`+${slow}\n+.`), regexUrlNormalizer(`${slow}\tx`)]) {
      expect(applyUrlChain([plugin], long, 'outlink')).toEqual({
        accepted: false,
        url: long,
        rejectedBy: plugin.name,
        rule: `the pattern "${slow}" takes too many steps on this URL`,
      });
      expect(applyUrlChain([plugin], 'http://a.com/', 'outlink')).toMatchObject({ accepted: true });
    }
  });
});
