import { describe, expect, it } from 'vitest';
import { chooseRepresentativeUrl } from '../../packages/url/index.js';
import { readReference, referenceTitle } from '../support/reference-cases.js';

interface Case {
  readonly input: { readonly src: string; readonly dst: string; readonly temp: boolean };
  readonly expected: string;
}

/** By source, target and kind: our value, and why it is not that of the reference. */
const DEVIATIONS: Readonly<Record<string, readonly [ours: string, reason: string]>> = {
  'http://A.com/ http://a.com/x permanent': ['http://A.com/', 'case makes no other domain; the source is a root'],
};

const reference = readReference<Case[]>('urlutil-chooserepr.json');

describe.skipIf(!reference)(referenceTitle('representative URL cases'), () => {
  const cases = (reference ?? []).map((each) => {
    const { src, dst, temp } = each.input;
    return { ...each, name: `${src} ${dst} ${temp ? 'temporary' : 'permanent'}` };
  });

  it.each(cases)('$name', ({ input, expected, name }) => {
    const deviation = DEVIATIONS[name];
    if (deviation) expect(deviation[0], 'a deviation that is none').not.toBe(expected);
    expect(chooseRepresentativeUrl(input.src, input.dst, input.temp)).toBe(deviation ? deviation[0] : expected);
  });

  it('knows every deviation', () => {
    const names = new Set(cases.map(({ name }) => name));
    expect(Object.keys(DEVIATIONS).filter((name) => !names.has(name))).toEqual([]);
  });
});
