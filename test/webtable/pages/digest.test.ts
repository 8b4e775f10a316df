import { describe, expect, it } from 'vitest';
import { loggedState, pageDigest, type LoggedState, type PageDigest } from '../../../webtable/pages/digest.js';

const DIGEST: PageDigest = {
  basis: 0xfedcba98,
  content: 2 ** 53 - 1,
  blocks: 1,
  title: 2,
  description: 0,
  canonical: 4,
  links: 5,
  externalLinks: 6,
  noindex: true,
  length: 70_000,
  linkCount: 8,
  externalLinkCount: 9,
  titleText: 'Über 你好',
};

describe('the digest of a page', () => {
  it('is read as it was written', () => {
    for (const digest of [DIGEST, { ...DIGEST, noindex: false, titleText: '' }]) {
      expect(pageDigest.decode(pageDigest.encode(digest))).toEqual(digest);
    }
  });

  it('is always written as the same bytes', () => {
    expect(Buffer.from(pageDigest.encode({ ...DIGEST, titleText: 'T' })).toString('hex')).toBe(
      'fedcba98' +
        '00011170' +
        '00000008' +
        '00000009' +
        '433fffffffffffff' +
        '3ff0000000000000' +
        '4000000000000000' +
        '0000000000000000' +
        '4010000000000000' +
        '4014000000000000' +
        '4018000000000000' +
        '01' +
        '54',
    );
  });

  it('is rejected if bytes are missing', () => {
    expect(() => pageDigest.decode(pageDigest.encode(DIGEST).subarray(0, 40))).toThrow('no digest');
  });
});

describe('the state of a page in the change log', () => {
  it.each<LoggedState>([
    {},
    {
      stands: 'page',
      http: 200,
      digest: DIGEST,
      seenAt: 1_700_000_000_000,
      bodyAt: 1_600_000_000_000.5,
      isFirst: true,
    },
    { stands: 'redirect', http: 301, target: 2 ** 52 },
    { stands: 'page', failing: { since: 1, logged: 'no' }, suspect: { ...DIGEST, length: 1 } },
    { stands: 'page', digest: DIGEST, suspect: DIGEST, failing: { since: 1, missingSince: 2, logged: 'gone' } },
    { failing: { since: 0, logged: 'status' } },
  ])('is read as it was written: %j', (state) => {
    expect(loggedState.decode(loggedState.encode(state))).toEqual(state);
  });

  it('is rejected if bytes are missing', () => {
    expect(() => loggedState.decode(new Uint8Array(3))).toThrow('no state');
  });
});
