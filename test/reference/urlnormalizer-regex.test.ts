import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { regexUrlNormalizer } from '../../packages/plugins/index.js';
import { readReference, referenceTitle } from '../support/reference-cases.js';

interface Rule {
  readonly pattern: string;
  readonly substitution: string;
}
interface RegexCases {
  readonly sets: {
    readonly scope: string;
    readonly rules: Rule[];
    readonly cases: { readonly input: string; readonly expected: string }[];
  }[];
  readonly shippedDefaultRules: Rule[];
}

/** Rules that are rejected as they are, in a form that we accept: flags are allowed only at the start of a pattern. */
const REWORDED: Readonly<Record<string, string>> = {
  '/((?i)index|default)\\.((?i)js[pf]{1}?[afx]?|cgi|cfm|asp[x]?|[psx]?htm[l]?|php[3456]?)(\\?|&|#|$)':
    '(?i)/(index|default)\\.(js[pf]{1}?[afx]?|cgi|cfm|asp[x]?|[psx]?htm[l]?|php[3456]?)(\\?|&|#|$)',
};

const INDEX_PAGE = /^(http:\/\/www\.foo\.com\/(?:home\/)?)(?:index|default)\.\w+$/i;
const SHORT_SESSION = '"sid" and "sessionid" count only with a value of the length of a session id of PHP';
const NO_FRAGMENT = 'the URL parser has dropped the fragment before';
const NO_FILE = 'there are no file URLs in the table';

/** URLs that the default rules of the reference change and our default rules do not: our value, and the reason. */
const SHIPPED: Readonly<Record<string, readonly [ours: string, reason: string]>> = {
  'http://www.foo.com/foo.php?&x=1&sid=xyz&something=1': [
    'http://www.foo.com/foo.php?x=1&sid=xyz&something=1',
    SHORT_SESSION,
  ],
  'http://www.foo.com/foo.html?_sessionID=824A6C0A13a7e11205wxN28F44E3': [
    'http://www.foo.com/foo.html?_sessionID=824A6C0A13a7e11205wxN28F44E3',
    SHORT_SESSION,
  ],
  'http://www.foo.com/foo.php?_sessionid=qmyrcedt&outputformat=html&path=/3_images/foo': [
    'http://www.foo.com/foo.php?_sessionid=qmyrcedt&outputformat=html&path=/3_images/foo',
    SHORT_SESSION,
  ],
  'http://www.foo.com/foo.php?_pid=2&_spid=0&lang=en&_sessionid=e36902d5bb2d0d922fc24b43': [
    'http://www.foo.com/foo.php?_pid=2&_spid=0&lang=en&_sessionid=e36902d5bb2d0d922fc24b43',
    SHORT_SESSION,
  ],
  'http://www.foo.com/foo.html#something': ['http://www.foo.com/foo.html#something', NO_FRAGMENT],
  'http://www.foo.com/foo.html#something?x=y': ['http://www.foo.com/foo.html#something?x=y', NO_FRAGMENT],
  'file:///path//foo.html': ['file://path/foo.html', NO_FILE],
};

/** A line that starts with # is a comment, so such a pattern starts with \#. */
const asText = (rules: Rule[]) => {
  const lines = rules.map(({ pattern, substitution }) => `${REWORDED[pattern] ?? pattern}\t${substitution}`);
  return lines.map((line) => line.replace(/^#/, '\\#')).join('\n');
};

const reference = readReference<RegexCases>('urlnormalizer-regex.json');

describe.skipIf(!reference)(referenceTitle('regex URL normaliser cases'), () => {
  for (const { scope, rules, cases } of reference?.sets ?? []) {
    describe(`the rules of ${scope}`, () => {
      const normalizer = regexUrlNormalizer(asText(rules));
      it.each(cases)('$input', ({ input, expected }) => {
        expect(normalizer.normalizeUrl!(input, 'outlink')).toBe(expected);
      });
    });
  }

  it('accepts the default rules of the reference as they are', () => {
    const rules = reference?.shippedDefaultRules ?? [];
    expect(rules.filter(({ pattern }) => pattern in REWORDED)).toEqual([]);
    const normalizer = regexUrlNormalizer(asText(rules));
    expect(normalizer.normalizeUrl!('http://a.com//b;jsessionid=1?&c&&d&#e', 'outlink')).toBe('http://a.com/b?c&d');
  });

  it('rejects every rule that is reworded', () => {
    for (const pattern of Object.keys(REWORDED))
      expect(() => regexUrlNormalizer(`${pattern}\t`)).toThrow(/only as \(\?i\)/);
  });

  describe('our default rules', () => {
    const text = readFileSync(new URL('../../config/regex-normalize.txt', import.meta.url), 'utf8');
    const normalizer = regexUrlNormalizer(text);
    const cases = reference?.sets.find(({ scope }) => scope === 'default')?.cases ?? [];

    it.each(cases)('$input', ({ input, expected }) => {
      const deviation = SHIPPED[input];
      if (deviation) expect(deviation[0], 'a deviation that is none').not.toBe(expected);
      // The rule for index pages is among the cases, but not among the default rules of the reference or ours.
      const unlessIndex = INDEX_PAGE.test(input) ? input : expected;
      expect(normalizer.normalizeUrl!(input, 'outlink')).toBe(deviation ? deviation[0] : unlessIndex);
    });

    it('knows every deviation', () => {
      const inputs = new Set(cases.map(({ input }) => input));
      expect(Object.keys(SHIPPED).filter((input) => !inputs.has(input))).toEqual([]);
    });
  });
});
