import { describe, expect, it } from 'vitest';
import { parseRobots } from '../../packages/fetch/index.js';
import { readReference, referenceTitle } from '../support/reference-cases.js';

interface Case {
  readonly name: string;
  readonly robots: string;
  readonly agent: string;
  readonly url: string;
  readonly allowed: boolean;
}

/** Deliberate deviations from the reference: the number of the case in the file, its test and URL, our answer, and the reason. */
const DEVIATIONS: readonly { at: number; name: string; url: string; allowed: boolean; reason: string }[] = [
  {
    at: 57,
    name: 'ID_Encoding',
    url: 'http://foo.bar/foo/bar/ツ',
    allowed: true,
    reason: 'RFC 9309, 2.2.2: octets outside ASCII are escaped before comparison, in the URL too',
  },
  {
    at: 59,
    name: 'ID_Encoding',
    url: 'http://foo.bar/foo/bar/ツ',
    allowed: true,
    reason: 'RFC 9309, 2.2.2: octets outside ASCII are escaped before comparison, in the URL too',
  },
  {
    at: 60,
    name: 'ID_Encoding',
    url: 'http://foo.bar/foo/bar/baz',
    allowed: true,
    reason: 'RFC 9309, 2.2.2: escaped unreserved octets of ASCII equal the plain ones',
  },
  {
    at: 72,
    name: 'GoogleOnly_IndexHTMLisDirectory',
    url: 'http://foo.com/allowed-slash/',
    allowed: false,
    reason: 'RFC 9309 does not know that index.html stands for its directory',
  },
  {
    at: 77,
    name: 'GoogleOnly_LineTooLong',
    url: 'http://foo.bar/x/aaaa',
    allowed: true,
    reason: 'RFC 9309 knows no longest line; the whole rule counts, and it is longer than the URL',
  },
];

const cases = readReference<readonly Case[]>('robots-google.json');

function answer({ robots, agent, url }: Case): boolean {
  const pathAndQuery = url.replace(/^https?:\/\/[^/]*/, '');
  return parseRobots(robots).rulesFor([agent]).allowed(pathAndQuery).allowed;
}

describe.skipIf(!cases)(referenceTitle('robots.txt cases'), () => {
  it('answers as expected except for the deviations', () => {
    expect(cases).toHaveLength(136);
    const deviating = new Set(DEVIATIONS.map(({ at }) => at));
    for (const [at, one] of cases!.entries()) {
      if (deviating.has(at)) continue;
      expect(answer(one), `${at} ${one.name} ${one.url.slice(0, 80)}`).toBe(one.allowed);
    }
  });

  it.each(DEVIATIONS)('deviates in case $at: $reason', ({ at, name, url, allowed }) => {
    const one = cases![at];
    if (!one) throw new Error('no such case');
    expect(one.name).toBe(name);
    expect(one.url.startsWith(url)).toBe(true);
    expect(one.allowed).toBe(!allowed);
    expect(answer(one)).toBe(allowed);
  });
});
