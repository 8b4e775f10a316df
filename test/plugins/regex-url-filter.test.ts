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
  ])('the first matching line decides on %s', (url, expected) => {
    expect(verdict(rules, url)).toBe(expected);
  });

  it('gives the same verdict every time', () => {
    const filter = regexUrlFilter('-a\n+.');
    for (let i = 0; i < 3; i++) expect(filter.filterUrl!('http://aaa/', 'inject')).toBe('line 1: -a');
  });

  it('rejects if no line matches', () => {
    expect(verdict('-x\n+y', 'http://a.com/')).toBe('no line matches');
    expect(verdict('', 'http://a.com/')).toBe('no line matches');
  });

  it('does not apply patterns to URLs of unlimited length', () => {
    expect(verdict('+.', `http://a.com/${'x'.repeat(8192)}`)).toBe('longer than 8192 characters');
    expect(verdict('+.', `http://a.com/${'x'.repeat(8000)}`)).toBe(true);
  });

  it('lists every invalid line', () => {
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

  it.each([
    ['filter', (rule: string) => regexUrlFilter(`+.\n-${rule}`)],
    ['normaliser', (rule: string) => regexUrlNormalizer(`# a\n${rule}\tx`)],
  ])('rejects a rule that may run for long in a %s, and suggests another', (name, load) => {
    for (const rule of ['.*(/[^/]+)/[^/]+\\1/[^/]+\\1/', '(?:(?!x).)*y', '(?=(a+)+$)b']) {
      expect(() => load(rule)).toThrow(
        expect.objectContaining({
          code: 'BAD_SETTING',
          message: expect.stringMatching(
            new RegExp(
              `^regex URL ${name}: line 2: a pattern with look-ahead or back-references may run for long, found "`,
            ),
          ) as string,
          hint: expect.stringContaining('urlfilter-traps') as string,
        }),
      );
    }
  });

  it('rejects a URL for which a pattern takes too many steps, and continues', () => {
    const normalizer = regexUrlNormalizer('a(.*b)?\tx');
    const long = `http://a.com/${'a'.repeat(5000)}`;
    expect(applyUrlChain([normalizer], long, 'outlink')).toEqual({
      accepted: false,
      url: long,
      rejectedBy: normalizer.name,
      rule: 'the pattern "a(.*b)?" takes too many steps on this URL',
    });
    expect(applyUrlChain([normalizer], 'http://c.com/', 'outlink')).toMatchObject({ accepted: true });
  });
});
