import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostOf, isSameOrigin } from '../../packages/url/index.js';
import { fuzzed } from '../support/runs.js';

describe('isSameOrigin', () => {
  it('equals the comparison of origins for normalised URLs, so it is only true for equal hosts', () => {
    const url = fc
      .tuple(
        fc.constantFrom('http', 'https'),
        fc.constantFrom('a.com', 'a.co', 'a.com:81', 'a.com:8', 'b.a.com', '10.0.0.1', '[::1]', 'xn--r8jz45g.jp'),
        fc.constantFrom('/', '/a', '/a.com/', '//', '/?a/b'),
      )
      .map(([scheme, host, rest]) => `${scheme}://${host}${rest}`);
    fc.assert(
      fc.property(url, url, (a, b) => {
        expect(isSameOrigin(a, b)).toBe(new URL(a).origin === new URL(b).origin);
        if (isSameOrigin(a, b)) expect(hostOf(a)).toBe(hostOf(b));
      }),
      fuzzed(20_241_104, 2_000),
    );
  });
});
