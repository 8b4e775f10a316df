import { describe, expect, it } from 'vitest';
import { resolveLink } from '../../packages/url/index.js';
import { readReference, referenceTitle } from '../support/reference-cases.js';

interface Case {
  readonly input: { readonly base: string; readonly target: string };
  readonly expected: string | null;
}

const FRAGMENT = 'fragments are dropped: they name no page of their own';
const NO_PATH = 'an empty path is "/"';
const LEADING_DOTS = 'RFC 3986, 5.2.4: ".." above the root and "." segments go';
const ESCAPED = 'the WHATWG URL Standard escapes it';

/** By base and target: our value, and the reason why it differs from the reference. */
const DEVIATIONS: Readonly<Record<string, readonly [ours: string | null, reason: string]>> = {
  'http://a/b/c/d;p?q //g': ['http://g/', NO_PATH],
  'http://a/b/c/d;p?q #s': ['http://a/b/c/d;p?q', FRAGMENT],
  'http://a/b/c/d;p?q g#s': ['http://a/b/c/g', FRAGMENT],
  'http://a/b/c/d;p?q g?y#s': ['http://a/b/c/g?y', FRAGMENT],
  'http://a/b/c/d;p?q g;x?y#s': ['http://a/b/c/g;x?y', FRAGMENT],
  'http://a/b/c/d;p?q g#s/../x': ['http://a/b/c/g', FRAGMENT],
  'http://a/b/ #': ['http://a/b/', FRAGMENT],
  'http://a/b/c/d;p?q ../../../g': ['http://a/g', LEADING_DOTS],
  'http://a/b/c/d;p?q ../../../../g': ['http://a/g', LEADING_DOTS],
  'http://a/b/c/d;p?q /./g': ['http://a/g', LEADING_DOTS],
  'http://a/b/c/d;p?q /../g': ['http://a/g', LEADING_DOTS],
  'http://a/b http://C.com': ['http://c.com/', 'hosts are lower case, and an empty path is "/"'],
  'http://a/b mailto:x@y': [null, 'only http and https can be fetched'],
  'http://a/b \\x': ['http://a/x', 'the WHATWG URL Standard takes "\\" for "/"'],
  'http://a/b c/d e f': ['http://a/b%20c/e%20f', ESCAPED],
};

const reference = readReference<Case[]>('urlutil-resolve.json');

describe.skipIf(!reference)(referenceTitle('link cases'), () => {
  const cases = (reference ?? []).map((each) => {
    return { ...each, name: `${each.input.base} ${each.input.target}` };
  });

  it.each(cases)('$name', ({ input, expected, name }) => {
    const deviation = DEVIATIONS[name];
    if (deviation) expect(deviation[0], 'a deviation that is none').not.toBe(expected);
    expect(resolveLink(input.target, input.base)).toBe(deviation ? deviation[0] : expected);
  });

  it('knows every deviation', () => {
    const names = new Set(cases.map(({ name }) => name));
    expect(Object.keys(DEVIATIONS).filter((name) => !names.has(name))).toEqual([]);
  });
});
