import { describe, expect, it } from 'vitest';
import { groupOf, parseUrl } from '../../packages/url/index.js';
import { partitionOf } from '../../webtable/index.js';
import { readReference, referenceTitle } from '../support/reference-cases.js';

interface Partition {
  readonly hash: { readonly input: string; readonly expected: number }[];
  readonly cases: {
    readonly input: { readonly url: string; readonly mode: string; readonly seed: number; readonly partitions: number };
    readonly expected: number;
  }[];
}

const LOWER_HOST = 'hosts are lower case, so that one host is in one partition';
const PUNYCODE = 'hosts are ASCII';

/** By URL and number of partitions: our value, and the reason why it differs from the reference. */
const DEVIATIONS: Readonly<Record<string, readonly [ours: Readonly<Record<number, number>>, reason: string]>> = {
  'http://Foo.COM/': [{ 1: 0, 2: 1, 7: 6, 100: 65 }, LOWER_HOST],
  'http://bücher.de/': [{ 1: 0, 2: 0, 7: 0, 100: 48 }, PUNYCODE],
};

const reference = readReference<Partition>('partition.json');

describe.skipIf(!reference)(referenceTitle('partition cases'), () => {
  // We have no seed: it would move hosts between partitions from one batch to the next, and they must stay.
  const cases = (reference?.cases ?? []).filter(({ input }) => input.seed === 0);
  const seeded = (reference?.cases ?? []).filter(({ input }) => input.seed !== 0);

  it.each(reference?.hash ?? [])('hash of $input', ({ input, expected }) => {
    expect(partitionOf(input, 2 ** 31)).toBe(expected & 0x7fffffff);
  });

  it.each(cases)('$input.url in $input.partitions', ({ input, expected }) => {
    expect(input.mode).toBe('byHost');
    const deviation = DEVIATIONS[input.url]?.[0][input.partitions];
    const ours = partitionOf(groupOf(parseUrl(input.url).href, 'host'), input.partitions);
    expect(ours).toBe(deviation ?? expected);
  });

  it.each(seeded)('$input.url in $input.partitions, whatever the seed', ({ input }) => {
    const unseeded = cases.find((each) => each.input.url === input.url && each.input.partitions === input.partitions);
    const ours = partitionOf(groupOf(parseUrl(input.url).href, 'host'), input.partitions);
    expect(ours).toBe(DEVIATIONS[input.url]?.[0][input.partitions] ?? unseeded?.expected);
  });

  it('knows every deviation', () => {
    for (const [url, [values]] of Object.entries(DEVIATIONS)) {
      const same = cases.filter(({ input, expected }) => input.url === url && values[input.partitions] === expected);
      expect(cases.filter(({ input }) => input.url === url).length).toBe(Object.keys(values).length);
      expect(same.length, url).toBeLessThan(Object.keys(values).length);
    }
  });
});
